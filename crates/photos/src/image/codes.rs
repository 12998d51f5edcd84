//! QR codes in pictures.

use image::{
    GrayImage,
    imageops::{FilterType, resize},
};
use quircs::Quirc;

use super::{pixels::Pixels, stripped::Unusable};

/// A picture with fewer pixels is also looked at in twice its size: its codes may be small.
const SMALL: usize = 1_000_000;

/// The memory for each pixel besides the decoded picture, in bytes: its grey value, two for the
/// reader, and as much for another size.
pub(super) const BYTES_PER_PIXEL: u64 = 6;

/// The texts of the codes, each once. When there are none, half the size is tried, in which noise
/// fades, and then twice the size.
pub(super) fn read(pixels: &Pixels) -> Result<Vec<String>, Unusable> {
    let (width, height) = (pixels.width, pixels.height);
    let grey = GrayImage::from_raw(width, height, grey(pixels)).ok_or(Unusable)?;
    let sized = |width, height| find(&resize(&grey, width, height, FilterType::Triangle));
    let mut codes = find(&grey);
    if codes.is_empty() {
        codes = sized(width.div_ceil(2), height.div_ceil(2));
    }
    if codes.is_empty() && grey.as_raw().len() < SMALL {
        codes = sized(width.saturating_mul(2), height.saturating_mul(2));
    }
    Ok(codes)
}

fn find(grey: &GrayImage) -> Vec<String> {
    let size = |side| usize::try_from(side).unwrap_or(0);
    let mut quirc = Quirc::new();
    let mut texts: Vec<String> = Vec::new();
    for code in quirc.identify(size(grey.width()), size(grey.height()), grey) {
        let data = code.ok().and_then(|code| code.decode().ok());
        let text = data.map(|data| text(data.payload));
        texts.extend(text.filter(|text| !texts.contains(text)));
    }
    texts
}

/// The text of a code: UTF-8, as most programs write it, else Latin-1, as the standard says.
fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| error.as_bytes().iter().copied().map(char::from).collect())
}

/// The brightness of each pixel; what is transparent is white.
fn grey(pixels: &Pixels) -> Vec<u8> {
    let one = |pixel: &[u8]| match *pixel {
        [grey] => grey,
        [grey, alpha] => on_white(grey, alpha),
        [red, green, blue] => brightness(red, green, blue),
        [red, green, blue, alpha] => on_white(brightness(red, green, blue), alpha),
        _ => u8::MAX,
    };
    pixels.bytes.chunks_exact(pixels.channels.max(1)).map(one).collect()
}

/// The mean of the colours, in which green counts twice.
fn brightness(red: u8, green: u8, blue: u8) -> u8 {
    let sum = u16::from(red) + 2 * u16::from(green) + u16::from(blue);
    u8::try_from(sum / 4).unwrap_or(u8::MAX)
}

fn on_white(grey: u8, alpha: u8) -> u8 {
    let darker = u16::from(u8::MAX - grey) * u16::from(alpha) / u16::from(u8::MAX);
    u8::MAX - u8::try_from(darker).unwrap_or(u8::MAX)
}
