//! Pictures of QR codes, as cameras take them.

use std::io::Cursor;

use image::{
    ExtendedColorType::L8, ImageEncoder as _, codecs::jpeg::JpegEncoder, codecs::webp::WebPEncoder,
};
use qrcodegen::{QrCode, QrCodeEcc};

/// Whether the pixel at this place is dark.
pub(crate) type IsDark = fn(u32, u32) -> bool;

/// A grey picture.
pub(crate) struct Scene {
    width: u32,
    height: u32,
    pixels: Vec<f32>,
    random: u64,
}

/// How a code lies in a picture.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// Its centre.
    pub(crate) at: (f32, f32),
    /// The length of a side with the quiet zone, in pixels.
    pub(crate) side: f32,
    /// In degrees.
    pub(crate) turned: f32,
    /// How much smaller the far side is, from 0.
    pub(crate) tilted: f32,
    /// The brightness of its dark and of its light fields.
    pub(crate) ink: (f32, f32),
}

impl Scene {
    /// A picture of this brightness.
    pub(crate) fn new(width: u32, height: u32, ground: f32) -> Self {
        let pixels = vec![ground; usize::try_from(width * height).unwrap()];
        Self { width, height, pixels, random: 88_172_645_463_325_252 }
    }

    /// A picture whose dark pixels are those that `is_dark` names.
    pub(crate) fn drawn(width: u32, height: u32, is_dark: IsDark) -> Self {
        let mut scene = Self::new(width, height, 255.0);
        for (at, pixel) in scene.pixels.iter_mut().enumerate() {
            if is_dark(at as u32 % width, at as u32 / width) {
                *pixel = 0.0;
            }
        }
        scene
    }

    /// Draws a code with error correction M.
    pub(crate) fn code(mut self, text: &[u8], place: Place) -> Self {
        self.draw(&encoded(text, QrCodeEcc::Medium), place);
        self
    }

    /// Draws a code with error correction L, which holds the most text.
    pub(crate) fn long_code(mut self, text: &[u8], place: Place) -> Self {
        self.draw(&encoded(text, QrCodeEcc::Low), place);
        self
    }

    /// Each pixel is the mean of four points of the code.
    fn draw(&mut self, code: &QrCode, place: Place) {
        let fields = code.size();
        let (sin, cos) = place.turned.to_radians().sin_cos();
        let ink = |x: f32, y: f32| {
            let (x, y) = (x - place.at.0, y - place.at.1);
            let (x, y) = ((x * cos + y * sin) / place.side, (y * cos - x * sin) / place.side);
            let depth = 1.0 - place.tilted * y;
            let (x, y) = (x / depth, y * (1.0 + place.tilted / 2.0) / depth);
            let field = |along: f32| ((along + 0.5) * (fields + 8) as f32).floor() as i32 - 4;
            let (column, row) = (field(x), field(y));
            let is_within = |field: i32, margin: i32| (-margin..fields + margin).contains(&field);
            if depth < 0.05 || !is_within(column, 4) || !is_within(row, 4) {
                return None;
            }
            // Outside of the code all fields are light.
            let is_dark = code.get_module(column, row);
            Some(if is_dark { place.ink.0 } else { place.ink.1 })
        };
        for (at, pixel) in self.pixels.iter_mut().enumerate() {
            let (x, y) = (at as u32 % self.width, at as u32 / self.width);
            let parts = [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)];
            let sum: f32 =
                parts.iter().map(|(a, b)| ink(x as f32 + a, y as f32 + b).unwrap_or(*pixel)).sum();
            *pixel = sum / 4.0;
        }
    }

    /// Blurs the picture by a box of twice this many pixels and one, two times.
    pub(crate) fn blurred(mut self, reach: i64) -> Self {
        let (width, height) = (i64::from(self.width), i64::from(self.height));
        for (dx, dy) in [(1, 0), (0, 1), (1, 0), (0, 1)] {
            let before = self.pixels.clone();
            for (at, pixel) in self.pixels.iter_mut().enumerate() {
                let (x, y) = (at as i64 % width, at as i64 / width);
                let near = (-reach..=reach).map(|by| (x + by * dx, y + by * dy));
                let near = near.filter(|(x, y)| (0..width).contains(x) && (0..height).contains(y));
                let near: Vec<_> = near.map(|(x, y)| before[(y * width + x) as usize]).collect();
                *pixel = near.iter().sum::<f32>() / near.len() as f32;
            }
        }
        self
    }

    /// Adds noise of at most this brightness.
    pub(crate) fn noisy(mut self, most: f32) -> Self {
        for at in 0..self.pixels.len() {
            let noise = self.random() + self.random() - 1.0;
            self.pixels[at] += noise * most;
        }
        self
    }

    /// Darkens the picture from the right to a quarter at the left.
    pub(crate) fn shaded(mut self) -> Self {
        for (at, pixel) in self.pixels.iter_mut().enumerate() {
            *pixel *= 0.25 + 0.75 * (at as u32 % self.width) as f32 / self.width as f32;
        }
        self
    }

    /// From 0 to 1; the same sequence in each run (xorshift64).
    fn random(&mut self) -> f32 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 40) as f32 / (1_u64 << 24) as f32
    }

    fn bytes(&self) -> Vec<u8> {
        self.pixels.iter().map(|pixel| pixel.clamp(0.0, 255.0) as u8).collect()
    }

    pub(crate) fn jpeg(&self) -> Vec<u8> {
        let mut file = Vec::new();
        let encoder = JpegEncoder::new_with_quality(&mut file, 80);
        encoder.write_image(&self.bytes(), self.width, self.height, L8).unwrap();
        file
    }

    pub(crate) fn webp(&self) -> Vec<u8> {
        let mut file = Vec::new();
        let encoder = WebPEncoder::new_lossless(&mut file);
        encoder.write_image(&self.bytes(), self.width, self.height, L8).unwrap();
        file
    }

    pub(crate) fn png(&self) -> Vec<u8> {
        let opaque = self.bytes();
        self.png_of(png::ColorType::Grayscale, &opaque)
    }

    /// A PNG whose bright pixels are transparent black.
    pub(crate) fn transparent_png(&self) -> Vec<u8> {
        let pixels = self.bytes().into_iter().flat_map(|grey| [0, 255 - grey]);
        self.png_of(png::ColorType::GrayscaleAlpha, &pixels.collect::<Vec<_>>())
    }

    fn png_of(&self, colours: png::ColorType, pixels: &[u8]) -> Vec<u8> {
        let mut file = Cursor::new(Vec::new());
        let mut encoder = png::Encoder::new(&mut file, self.width, self.height);
        encoder.set_color(colours);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.write_header().unwrap().write_image_data(pixels).unwrap();
        file.into_inner()
    }
}

/// The code of a text, as digits or letters where it has no others, else of bytes.
fn encoded(text: &[u8], correction: QrCodeEcc) -> QrCode {
    let encoded = match str::from_utf8(text) {
        Ok(text) => QrCode::encode_text(text, correction),
        Err(_) => QrCode::encode_binary(text, correction),
    };
    encoded.unwrap()
}
