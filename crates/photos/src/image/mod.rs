//! Cleans images: turns them upright and encodes them anew, so that no metadata survives.
//!
//! An image is first *stripped* without decoding: its container is read to the end, the size is
//! taken from the header, and everything that is not needed for the pixels is dropped, so that the
//! decoder never sees it. It is decoded only when there is memory for it.

mod cleaner;
mod codes;
mod jpeg;
mod pixels;
mod png;
mod reader;
mod stripped;
mod webp;

use patrol_domain::photo::ImageFormat;

pub use cleaner::Cleaner;

use self::{
    pixels::Pixels,
    stripped::{StrippedImage, Unusable},
};

/// The most pixels of a side. JPEG allows no more; of a wider PNG a single row would take more
/// memory than a whole image.
const SIDE: u32 = 65_535;

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

    /// Decodes the whole image and encodes it again.
    fn clean(self) -> Result<Vec<u8>, Unusable> {
        match self.format {
            ImageFormat::Jpeg => jpeg::clean(self),
            ImageFormat::Png => png::clean(self),
            ImageFormat::Webp => webp::clean(self),
        }
    }

    /// Decodes the whole image, without turning it upright.
    fn decode(self) -> Result<Pixels, Unusable> {
        match self.format {
            ImageFormat::Jpeg => jpeg::decode(self),
            ImageFormat::Png => png::decode(self),
            ImageFormat::Webp => webp::decode(self),
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
