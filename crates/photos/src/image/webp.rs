//! WebP.

use std::io::Cursor;

use image::{
    DynamicImage, ImageDecoder, Limits,
    codecs::webp::{WebPDecoder, WebPEncoder},
    metadata::Orientation,
};
use patrol_domain::photo::ImageFormat;

use super::{
    pixels::Pixels,
    reader::{Reader, length},
    stripped::{StrippedImage, Unusable, orientation},
};

/// The most memory for a pixel, in bytes: four for the pixel, four for the encoder's copy of it, and
/// three times four for the result. Of noise it is as large as the pixels; its buffer is copied
/// while it grows, and once more into the file.
const BYTES_PER_PIXEL: u64 = 20;
/// Flags of an extended image: has an alpha channel, is animated.
const ALPHA: u8 = 1 << 4;
const ANIMATION: u8 = 1 << 1;

/// The chunks that are needed.
#[derive(Default)]
struct Chunks<'a> {
    /// Flags and size of an extended image.
    extended: Option<(u8, u32, u32)>,
    lossy: Option<&'a [u8]>,
    lossless: Option<&'a [u8]>,
    alpha: Option<&'a [u8]>,
    exif: Option<&'a [u8]>,
}

/// Reads the chunks to the end of the image and drops those that are not needed for the pixels.
pub(super) fn strip(source: &[u8]) -> Result<StrippedImage, Unusable> {
    let chunks = read(source)?;
    let held = chunks.exif.map_or(Orientation::NoTransforms, orientation);
    let (width, height, bytes) = match (chunks.lossy, chunks.lossless) {
        (Some(lossy), None) => {
            let (width, height) = lossy_size(lossy)?;
            let alpha = chunks
                .alpha
                .filter(|_| chunks.extended.is_some_and(|(flags, ..)| flags & ALPHA != 0));
            match alpha {
                None => (width, height, container(&[(b"VP8 ", lossy)])?),
                Some(alpha) => {
                    let header = extended_header(width, height)?;
                    let parts = [(b"VP8X", &header[..]), (b"ALPH", alpha), (b"VP8 ", lossy)];
                    (width, height, container(&parts)?)
                }
            }
        }
        (None, Some(lossless)) => {
            let (width, height) = lossless_size(lossless)?;
            (width, height, container(&[(b"VP8L", lossless)])?)
        }
        _ => return Err(Unusable),
    };
    if chunks.extended.is_some_and(|(_, x, y)| (x, y) != (width, height)) {
        return Err(Unusable);
    }
    let memory = u64::from(width).saturating_mul(u64::from(height)).saturating_mul(BYTES_PER_PIXEL);
    Ok(StrippedImage { format: ImageFormat::Webp, width, height, orientation: held, memory, bytes })
}

fn read(source: &[u8]) -> Result<Chunks<'_>, Unusable> {
    let mut reader = Reader::new(source);
    reader.take(4)?;
    let size = length(reader.u32_le()?)?;
    let mut reader = Reader::new(reader.take(size)?);
    reader.take(4)?;
    let mut chunks = Chunks::default();
    while !reader.is_empty() {
        let kind = reader.array()?;
        let size = length(reader.u32_le()?)?;
        let body = reader.take(size)?;
        if size % 2 == 1 && !reader.is_empty() {
            reader.byte()?;
        }
        match &kind {
            b"VP8X" => {
                let mut header = Reader::new(body);
                let [flags, ..]: [u8; 4] = header.array()?;
                let (width, height) = (header.u24_le()? + 1, header.u24_le()? + 1);
                if flags & ANIMATION != 0 {
                    return Err(Unusable);
                }
                chunks.extended.get_or_insert((flags, width, height));
            }
            b"ANIM" | b"ANMF" => return Err(Unusable),
            b"VP8 " => drop(chunks.lossy.get_or_insert(body)),
            b"VP8L" => drop(chunks.lossless.get_or_insert(body)),
            b"ALPH" => drop(chunks.alpha.get_or_insert(body)),
            b"EXIF" => {
                // Some programs start the EXIF data as in a JPEG.
                let exif = body.strip_prefix(b"Exif\0\0").unwrap_or(body);
                chunks.exif.get_or_insert(exif);
            }
            _ => {}
        }
    }
    Ok(chunks)
}

/// The size in the header of a VP8 frame (RFC 6386, section 9.1).
fn lossy_size(frame: &[u8]) -> Result<(u32, u32), Unusable> {
    let mut reader = Reader::new(frame);
    reader.take(6)?;
    let (width, height) = (reader.u16_le()?, reader.u16_le()?);
    Ok((u32::from(width & 0x3fff), u32::from(height & 0x3fff)))
}

/// The size in the header of a lossless image.
fn lossless_size(picture: &[u8]) -> Result<(u32, u32), Unusable> {
    let mut reader = Reader::new(picture);
    reader.byte()?;
    let header = reader.u32_le()?;
    Ok(((header & 0x3fff) + 1, ((header >> 14) & 0x3fff) + 1))
}

/// The header of an extended image whose only feature is an alpha channel.
fn extended_header(width: u32, height: u32) -> Result<[u8; 10], Unusable> {
    let [a, b, c, _] = width.checked_sub(1).ok_or(Unusable)?.to_le_bytes();
    let [d, e, f, _] = height.checked_sub(1).ok_or(Unusable)?.to_le_bytes();
    Ok([ALPHA, 0, 0, 0, a, b, c, d, e, f])
}

/// A file with these chunks.
fn container(chunks: &[(&[u8; 4], &[u8])]) -> Result<Vec<u8>, Unusable> {
    let size = chunks.iter().map(|(_, body)| 8 + body.len().next_multiple_of(2)).sum::<usize>() + 4;
    let number = |size: usize| u32::try_from(size).map(u32::to_le_bytes).map_err(|_| Unusable);
    let mut bytes = Vec::with_capacity(size + 8);
    bytes.extend_from_slice(b"RIFF");
    bytes.extend_from_slice(&number(size)?);
    bytes.extend_from_slice(b"WEBP");
    for (kind, body) in chunks {
        bytes.extend_from_slice(*kind);
        bytes.extend_from_slice(&number(body.len())?);
        bytes.extend_from_slice(body);
        if body.len() % 2 == 1 {
            bytes.push(0);
        }
    }
    Ok(bytes)
}

/// Decodes the image and encodes it again without loss.
pub(super) fn clean(stripped: StrippedImage) -> Result<Vec<u8>, Unusable> {
    let held = stripped.orientation;
    let mut image = open(stripped)?;
    image.apply_orientation(held);
    let mut bytes = Vec::new();
    image.write_with_encoder(WebPEncoder::new_lossless(&mut bytes)).map_err(|_| Unusable)?;
    Ok(bytes)
}

/// Decodes the image.
pub(super) fn decode(stripped: StrippedImage) -> Result<Pixels, Unusable> {
    let (width, height) = (stripped.width, stripped.height);
    let (channels, bytes) = match open(stripped)? {
        DynamicImage::ImageRgb8(image) => (3, image.into_raw()),
        image => (4, image.into_rgba8().into_raw()),
    };
    Ok(Pixels { width, height, channels, bytes })
}

fn open(stripped: StrippedImage) -> Result<DynamicImage, Unusable> {
    let mut decoder = WebPDecoder::new(Cursor::new(stripped.bytes)).map_err(|_| Unusable)?;
    let mut limits = Limits::default();
    limits.max_alloc = Some(stripped.memory);
    decoder.set_limits(limits).map_err(|_| Unusable)?;
    if decoder.dimensions() != (stripped.width, stripped.height) {
        return Err(Unusable);
    }
    DynamicImage::from_decoder(decoder).map_err(|_| Unusable)
}
