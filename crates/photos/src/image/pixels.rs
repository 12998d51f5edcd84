//! Decoded images, turned upright on access.

use image::{GenericImageView, Pixel, metadata::Orientation};

/// The pixels of an image: `channels` bytes each, row by row.
pub(super) struct Pixels {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) channels: usize,
    pub(super) bytes: Vec<u8>,
}

/// Width and height of an image that is turned upright.
pub(super) const fn upright(orientation: Orientation, width: u32, height: u32) -> (u32, u32) {
    match orientation {
        Orientation::NoTransforms
        | Orientation::Rotate180
        | Orientation::FlipHorizontal
        | Orientation::FlipVertical => (width, height),
        Orientation::Rotate90
        | Orientation::Rotate270
        | Orientation::Rotate90FlipH
        | Orientation::Rotate270FlipH => (height, width),
    }
}

/// An upright view of an image. The pixels are not moved, because a rotated copy would double the
/// memory.
pub(super) struct Upright<'a> {
    pixels: &'a Pixels,
    orientation: Orientation,
}

impl<'a> Upright<'a> {
    pub(super) const fn new(pixels: &'a Pixels, orientation: Orientation) -> Self {
        Self { pixels, orientation }
    }

    /// Width and height of the upright image.
    pub(super) const fn size(&self) -> (u32, u32) {
        upright(self.orientation, self.pixels.width, self.pixels.height)
    }

    /// The bytes of a pixel; `None` outside the image.
    fn at(&self, x: u32, y: u32) -> Option<&'a [u8]> {
        let Pixels { width, height, channels, bytes } = self.pixels;
        let (right, bottom) = (width.checked_sub(1)?, height.checked_sub(1)?);
        let (x, y) = match self.orientation {
            Orientation::NoTransforms => (x, y),
            Orientation::FlipHorizontal => (right.checked_sub(x)?, y),
            Orientation::Rotate180 => (right.checked_sub(x)?, bottom.checked_sub(y)?),
            Orientation::FlipVertical => (x, bottom.checked_sub(y)?),
            Orientation::Rotate90FlipH => (y, x),
            Orientation::Rotate90 => (y, bottom.checked_sub(x)?),
            Orientation::Rotate270FlipH => (right.checked_sub(y)?, bottom.checked_sub(x)?),
            Orientation::Rotate270 => (right.checked_sub(y)?, x),
        };
        let row = u64::from(y).checked_mul(u64::from(*width))?;
        let at = usize::try_from(row.checked_add(u64::from(x))?).ok()?.checked_mul(*channels)?;
        bytes.get(at..at.checked_add(*channels)?)
    }

    /// Copies a row into `row`.
    pub(super) fn row(&self, y: u32, row: &mut Vec<u8>) {
        row.clear();
        let (width, _) = self.size();
        if self.orientation == Orientation::NoTransforms {
            let length = usize::try_from(width).unwrap_or(0).saturating_mul(self.pixels.channels);
            let mut rows = self.pixels.bytes.chunks_exact(length.max(1));
            let stored = usize::try_from(y).ok().and_then(|y| rows.nth(y));
            row.extend_from_slice(stored.unwrap_or_default());
            return;
        }
        for x in 0..width {
            row.extend_from_slice(self.at(x, y).unwrap_or_default());
        }
    }
}

/// A view with a pixel type, for encoders that read single pixels.
pub(super) struct View<'a, P> {
    upright: Upright<'a>,
    kind: std::marker::PhantomData<P>,
}

impl<'a, P> View<'a, P> {
    pub(super) const fn new(upright: Upright<'a>) -> Self {
        Self { upright, kind: std::marker::PhantomData }
    }
}

impl<P: Pixel<Subpixel = u8>> GenericImageView for View<'_, P> {
    type Pixel = P;

    fn dimensions(&self) -> (u32, u32) {
        self.upright.size()
    }

    fn get_pixel(&self, x: u32, y: u32) -> P {
        let black = [0; 4];
        let none = black.get(..usize::from(P::CHANNEL_COUNT)).unwrap_or_default();
        *P::from_slice(self.upright.at(x, y).unwrap_or(none))
    }
}
