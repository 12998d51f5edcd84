//! Pictures made clean: upright, encoded anew, nothing but pixels (decisions 6).
//!
//! A picture is first *bared*, without decoding anything: its container is walked to the end, the
//! size is read from the header, and what is not pixels is left out, so that the decoder never sees
//! it. Only then is it decoded, when there is memory for it.

mod cleaner;
mod jpeg;
mod pixels;
mod png;
mod reader;
mod webp;

use image::metadata::Orientation;
use patrol_domain::photo::ImageFormat;

pub use cleaner::Cleaner;

/// It is no picture that can be kept.
#[derive(Debug)]
struct Unusable;

/// Most pixels of a side. JPEG has no more; of a wider PNG a single row would take more memory than
/// a whole picture.
const SIDE: u32 = 65_535;

/// A picture without anything but what its pixels are made of.
struct StrippedImage {
    format: ImageFormat,
    width: u32,
    height: u32,
    /// What was said of the way it was held.
    orientation: Orientation,
    /// Bytes that decoding and encoding it take at most, apart from `bytes`.
    memory: u64,
    /// The picture, in its own format.
    bytes: Vec<u8>,
}

impl StrippedImage {
    /// The picture in `bytes`, when it is one: complete, not animated, of at most `limit` pixels,
    /// and of at most [`SIDE`] a side.
    fn of(bytes: &[u8], limit: u64) -> Result<Self, Unusable> {
        let stripped = match format_of(bytes).ok_or(Unusable)? {
            ImageFormat::Jpeg => jpeg::strip(bytes),
            ImageFormat::Png => png::strip(bytes),
            ImageFormat::Webp => webp::strip(bytes),
        }?;
        let pixels = u64::from(stripped.width) * u64::from(stripped.height);
        let side = stripped.width.max(stripped.height);
        if pixels == 0 || pixels > limit || side > SIDE { Err(Unusable) } else { Ok(stripped) }
    }

    /// Decodes all of it and encodes it again.
    fn clean(self) -> Result<Vec<u8>, Unusable> {
        match self.format {
            ImageFormat::Jpeg => jpeg::clean(self),
            ImageFormat::Png => png::clean(self),
            ImageFormat::Webp => webp::clean(self),
        }
    }
}

/// The format of a picture, by how it begins.
pub(crate) fn format_of(bytes: &[u8]) -> Option<ImageFormat> {
    match bytes {
        [0xff, 0xd8, 0xff, ..] => Some(ImageFormat::Jpeg),
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(ImageFormat::Png),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(ImageFormat::Webp),
        _ => None,
    }
}

/// The orientation that a block of EXIF tells, if it tells one.
fn orientation(exif: &[u8]) -> Orientation {
    Orientation::from_exif_chunk(exif).unwrap_or(Orientation::NoTransforms)
}
