//! Encodes lossless WebP (RFC 9649, section 3). The encoder of the `image` crate copies the image
//! and the result, which exceeds the memory budget; this one reads row by row and writes as it
//! goes.

use super::super::{Unusable, pixels::Upright, reader::length};
use super::prefix::{BitWriter, PrefixCode};

/// The number of values of a byte.
const BYTES: usize = 256;
/// Prefix codes for the lengths of runs; they share a code with the green channel.
const LENGTHS: usize = 24;
/// The longest run that these codes can express.
const LONGEST: u32 = 4096;
/// A predictor that adds the clamped difference of the neighbours: "ClampAddSubtractFull".
const PREDICTOR: u16 = 12;
/// A predictor applies to squares. This is the code of the largest ones, 512 pixels wide.
const SQUARE: u32 = 7;
/// The distance code of the pixel to the left, less 1.
const LEFT: u16 = 1;

/// A unit of the stream.
enum Token {
    /// The difference between a pixel and its prediction: red, green, blue, alpha.
    Pixel([u8; 4]),
    /// Repeats the last pixel this many times.
    Run(u32),
}

/// The encoded file. Without `alpha`, all pixels have to be opaque.
pub(super) fn encode(
    picture: &Upright<'_>,
    channels: usize,
    alpha: bool,
) -> Result<Vec<u8>, Unusable> {
    let (width, height) = picture.size();
    let mut counts = Counts::new();
    tokens(picture, channels, |token| counts.count(&token));
    let codes = counts.codes();
    let mut out = BitWriter::with_capacity(codes.bytes);
    out.bytes.extend_from_slice(b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0");

    out.write(0x2f, 8);
    for side in [width, height] {
        out.write(side.checked_sub(1).filter(|side| *side < 1 << 14).ok_or(Unusable)?, 14);
    }
    out.write(u32::from(alpha), 1);
    out.write(0, 3);
    // First green is subtracted from red and blue, then the neighbours predict the pixel. All
    // squares use one predictor.
    out.write(0b101, 3);
    out.write(0b001, 3);
    out.write(SQUARE, 3);
    out.write(0, 1);
    for symbol in [PREDICTOR, 0, 0, 0, 0] {
        PrefixCode::only(symbol).write_to(&mut out);
    }
    // No more transforms, no colour cache, a single set of codes.
    out.write(0, 3);
    let Codes { green, red, blue, alpha, bytes: _ } = &codes;
    for code in [green, red, blue, alpha, &PrefixCode::only(LEFT)] {
        code.write_to(&mut out);
    }
    tokens(picture, channels, |token| match token {
        Token::Pixel([r, g, b, a]) => {
            for (code, value) in [(green, g), (red, r), (blue, b), (alpha, a)] {
                code.put(value.into(), &mut out);
            }
        }
        Token::Run(run) => {
            let (symbol, bits, rest) = run_code(run);
            green.put(symbol, &mut out);
            out.write(rest, bits);
        }
    });
    close(out)
}

/// Fills in the lengths of the file and of its only chunk.
fn close(out: BitWriter) -> Result<Vec<u8>, Unusable> {
    const HEADER: usize = 20;
    let mut bytes = out.finish();
    let chunk = bytes.len().checked_sub(HEADER).ok_or(Unusable)?;
    if chunk % 2 == 1 {
        bytes.push(0);
    }
    for (at, size) in [(4, bytes.len() - 8), (16, chunk)] {
        let size = u32::try_from(size).map_err(|_| Unusable)?;
        bytes.get_mut(at..at + 4).ok_or(Unusable)?.copy_from_slice(&size.to_le_bytes());
    }
    Ok(bytes)
}

/// Passes over the image. Called twice with the same result: first to count, then to write.
fn tokens(picture: &Upright<'_>, channels: usize, mut take: impl FnMut(Token)) {
    let (_, height) = picture.size();
    let (mut row, mut above, mut this) = (Vec::new(), Vec::new(), Vec::new());
    let (mut last, mut run) = (None, 0);
    for y in 0..height {
        picture.row(y, &mut row);
        this.clear();
        this.extend(row.chunks_exact(channels.max(1)).map(without_green));
        let mut left = None;
        let mut corner = None;
        for (at, pixel) in this.iter().enumerate() {
            let top: Option<&[u8; 4]> = above.get(at);
            let predicted = predict(left, top.copied(), corner);
            let differs = minus(*pixel, predicted);
            if last == Some(differs) && run < LONGEST {
                run += 1;
            } else {
                if run > 0 {
                    take(Token::Run(run));
                    run = 0;
                }
                take(Token::Pixel(differs));
                last = Some(differs);
            }
            (left, corner) = (Some(*pixel), top.copied());
        }
        std::mem::swap(&mut above, &mut this);
    }
    if run > 0 {
        take(Token::Run(run));
    }
}

/// A pixel with green subtracted from red and blue.
fn without_green(pixel: &[u8]) -> [u8; 4] {
    match *pixel {
        [r, g, b, a] => [r.wrapping_sub(g), g, b.wrapping_sub(g), a],
        [r, g, b] => [r.wrapping_sub(g), g, b.wrapping_sub(g), u8::MAX],
        _ => [0, 0, 0, u8::MAX],
    }
}

/// The decoder's prediction of a pixel: from the neighbours, or at the edges from the one neighbour
/// that exists.
fn predict(left: Option<[u8; 4]>, top: Option<[u8; 4]>, corner: Option<[u8; 4]>) -> [u8; 4] {
    match (left, top, corner) {
        (Some(left), Some(top), Some(corner)) => {
            let mut predicted = left;
            for ((to, top), corner) in predicted.iter_mut().zip(top).zip(corner) {
                let sum = i16::from(*to) + i16::from(top) - i16::from(corner);
                *to = u8::try_from(sum.clamp(0, 255)).unwrap_or_default();
            }
            predicted
        }
        (None, Some(top), _) => top,
        (Some(left), ..) => left,
        (None, None, _) => [0, 0, 0, u8::MAX],
    }
}

fn minus(mut pixel: [u8; 4], other: [u8; 4]) -> [u8; 4] {
    for (to, other) in pixel.iter_mut().zip(other) {
        *to = to.wrapping_sub(other);
    }
    pixel
}

/// The symbol of a run in the green code, and the extra bits that follow it.
fn run_code(run: u32) -> (usize, u32, u32) {
    let value = run.saturating_sub(1);
    let (symbol, bits, rest) = if value < 4 {
        (value, 0, 0)
    } else {
        let bits = value.ilog2() - 1;
        let high = value >> bits;
        (2 * bits + high, bits, value & ((1 << bits) - 1))
    };
    (BYTES + length(symbol).unwrap_or_default(), bits, rest)
}

/// How often each symbol occurs.
struct Counts {
    green: [u32; BYTES + LENGTHS],
    red: [u32; BYTES],
    blue: [u32; BYTES],
    alpha: [u32; BYTES],
    more_bits: u64,
}

/// The codes of an image, and the approximate number of bytes that it takes with them.
struct Codes {
    green: PrefixCode,
    red: PrefixCode,
    blue: PrefixCode,
    alpha: PrefixCode,
    bytes: u64,
}

impl Counts {
    const fn new() -> Self {
        let bytes = [0; BYTES];
        let green = [0; BYTES + LENGTHS];
        Self { green, red: bytes, blue: bytes, alpha: bytes, more_bits: 0 }
    }

    fn count(&mut self, token: &Token) {
        let add = |counts: &mut [u32], symbol: usize| {
            if let Some(count) = counts.get_mut(symbol) {
                *count += 1;
            }
        };
        match *token {
            Token::Pixel([r, g, b, a]) => {
                add(&mut self.green, g.into());
                add(&mut self.red, r.into());
                add(&mut self.blue, b.into());
                add(&mut self.alpha, a.into());
            }
            Token::Run(run) => {
                let (symbol, bits, _) = run_code(run);
                add(&mut self.green, symbol);
                self.more_bits += u64::from(bits);
            }
        }
    }

    fn codes(&self) -> Codes {
        let of = PrefixCode::of;
        let (green, red) = (of(&self.green), of(&self.red));
        let (blue, alpha) = (of(&self.blue), of(&self.alpha));
        let bits = green.bits(&self.green)
            + red.bits(&self.red)
            + blue.bits(&self.blue)
            + alpha.bits(&self.alpha)
            + self.more_bits;
        // The codes themselves take less than 1 KiB.
        Codes { green, red, blue, alpha, bytes: bits / 8 + 1024 }
    }
}
