//! Cleans images: turns them upright and encodes them anew, so that no metadata survives.
//!
//! An image is first *stripped* without decoding: its container is read to the end, the size is
//! taken from the header, and everything that is not needed for the pixels is dropped, so that the
//! decoder never sees it. It is decoded only when there is memory for it.

mod cleaner;
mod jpeg;
mod pixels;
mod png;
mod reader;
mod webp;

use image::metadata::Orientation;
use patrol_domain::photo::ImageFormat;

pub use cleaner::Cleaner;

/// The file is not an image that can be stored.
#[derive(Debug)]
struct Unusable;

/// The most pixels of a side. JPEG allows no more; of a wider PNG a single row would take more
/// memory than a whole image.
const SIDE: u32 = 65_535;

/// An image reduced to what its pixels need.
struct StrippedImage {
    format: ImageFormat,
    width: u32,
    height: u32,
    /// The orientation from the EXIF data.
    orientation: Orientation,
    /// The most bytes that decoding and encoding take, not counting `bytes`.
    memory: u64,
    /// The image in its own format.
    bytes: Vec<u8>,
}

impl StrippedImage {
    /// Strips the image in `bytes`, if it is complete, not animated, and has at most `limit` pixels
    /// and at most [`SIDE`] on each side.
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

    /// The width and the height of the upright image.
    const fn upright_size(&self) -> (u32, u32) {
        match self.orientation {
            Orientation::Rotate90
            | Orientation::Rotate270
            | Orientation::Rotate90FlipH
            | Orientation::Rotate270FlipH => (self.height, self.width),
            Orientation::NoTransforms
            | Orientation::Rotate180
            | Orientation::FlipHorizontal
            | Orientation::FlipVertical => (self.width, self.height),
        }
    }

    /// Decodes the whole image and encodes it again.
    fn clean(self) -> Result<Vec<u8>, Unusable> {
        match self.format {
            ImageFormat::Jpeg => jpeg::clean(self),
            ImageFormat::Png => png::clean(self),
            ImageFormat::Webp => webp::clean(self),
        }
    }
}

/// The format of an image, recognised by its first bytes.
pub(crate) fn format_of(bytes: &[u8]) -> Option<ImageFormat> {
    match bytes {
        [0xff, 0xd8, 0xff, ..] => Some(ImageFormat::Jpeg),
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(ImageFormat::Png),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(ImageFormat::Webp),
        _ => None,
    }
}

/// The orientation in a block of EXIF data; the normal one if there is none.
fn orientation(exif: &[u8]) -> Orientation {
    Orientation::from_exif_chunk(exif).unwrap_or(Orientation::NoTransforms)
}
