//! Images whose containers hold nothing but what the pixels need.

use image::metadata::Orientation;
use patrol_domain::photo::ImageFormat;

/// The file is not an image that can be stored.
#[derive(Debug)]
pub(super) struct Unusable;

/// An image reduced to what its pixels need.
pub(super) struct StrippedImage {
    pub(super) format: ImageFormat,
    pub(super) width: u32,
    pub(super) height: u32,
    /// The orientation from the EXIF data.
    pub(super) orientation: Orientation,
    /// The most bytes that decoding and encoding take, not counting `bytes`.
    pub(super) memory: u64,
    /// The image in its own format.
    pub(super) bytes: Vec<u8>,
}

/// The orientation in a block of EXIF data; the normal one if there is none.
pub(super) fn orientation(exif: &[u8]) -> Orientation {
    Orientation::from_exif_chunk(exif).unwrap_or(Orientation::NoTransforms)
}
