//! PNG.

use std::io::{Cursor, Write};

use image::metadata::Orientation;
use patrol_domain::photo::ImageFormat;
use png::{BitDepth, ColorType, Compression, Decoder, Encoder, Limits, Reader, Transformations};

use super::{
    pixels::{Pixels, Upright},
    reader::{Reader as Bytes, length},
    stripped::{StrippedImage, Unusable, orientation},
};

/// The least memory that the decoder needs, in bytes: a few rows.
const LEAST: usize = 1 << 20;

/// A decoder that has read the header.
type OpenPng = Reader<Cursor<Vec<u8>>>;

/// Reads the chunks to the end of the image and drops those that are not needed for the pixels.
pub(super) fn strip(source: &[u8]) -> Result<StrippedImage, Unusable> {
    let mut bytes = Vec::with_capacity(source.len());
    let mut reader = Bytes::new(source);
    bytes.extend_from_slice(reader.take(8)?);
    let mut size = None;
    let mut held = Orientation::NoTransforms;
    let mut in_order = false;
    loop {
        let chunk = reader.rest();
        let data = length(reader.u32_be()?)?;
        let kind = reader.array()?;
        let body = reader.take(data)?;
        reader.take(4)?;
        match &kind {
            b"IHDR" => {
                let mut header = Bytes::new(body);
                size = Some((header.u32_be()?, header.u32_be()?));
                header.take(4)?;
                in_order = header.byte()? == 0;
            }
            b"PLTE" | b"tRNS" | b"IDAT" | b"IEND" => {}
            // The image is animated.
            b"acTL" | b"fcTL" | b"fdAT" => return Err(Unusable),
            b"eXIf" => {
                held = orientation(body);
                continue;
            }
            // A chunk whose name starts with a lower case letter is optional.
            [first, ..] if first.is_ascii_lowercase() => continue,
            _ => return Err(Unusable),
        }
        let end = data.checked_add(12).ok_or(Unusable)?;
        bytes.extend_from_slice(chunk.get(..end).ok_or(Unusable)?);
        if kind == *b"IEND" {
            break;
        }
    }
    let (width, height) = size.ok_or(Unusable)?;
    // Rows that are already in order are passed through; only the result stays in memory.
    let each = if in_order && held == Orientation::NoTransforms { 1 } else { 4 + 1 };
    let memory = u64::from(width).saturating_mul(u64::from(height)).saturating_mul(each);
    Ok(StrippedImage { format: ImageFormat::Png, width, height, orientation: held, memory, bytes })
}

/// Decodes the image and encodes it again with eight bits a channel: palettes are expanded, deeper
/// channels are reduced. Rows are passed through one by one when they come in order.
pub(super) fn clean(stripped: StrippedImage) -> Result<Vec<u8>, Unusable> {
    let (width, height, held) = (stripped.width, stripped.height, stripped.orientation);
    let (mut reader, colours) = open(stripped)?;
    let mut bytes = Vec::new();
    if held == Orientation::NoTransforms && !reader.info().interlaced {
        encode(&mut bytes, (width, height), colours, |rows| {
            while let Some(row) = reader.next_row().map_err(|_| Unusable)? {
                rows.write_all(row.data()).map_err(|_| Unusable)?;
            }
            reader.finish().map_err(|_| Unusable)
        })?;
        return Ok(bytes);
    }
    let pixels = read(reader, colours)?;
    let upright = Upright::new(&pixels, held);
    encode(&mut bytes, upright.size(), colours, |rows| {
        let mut row = Vec::new();
        for y in 0..upright.size().1 {
            upright.row(y, &mut row);
            rows.write_all(&row).map_err(|_| Unusable)?;
        }
        Ok(())
    })?;
    Ok(bytes)
}

/// Decodes the image with eight bits a channel.
pub(super) fn decode(stripped: StrippedImage) -> Result<Pixels, Unusable> {
    let (reader, colours) = open(stripped)?;
    read(reader, colours)
}

fn read(mut reader: OpenPng, colours: ColorType) -> Result<Pixels, Unusable> {
    let (width, height) = reader.info().size();
    let mut bytes = vec![0; reader.output_buffer_size().ok_or(Unusable)?];
    reader.next_frame(&mut bytes).map_err(|_| Unusable)?;
    reader.finish().map_err(|_| Unusable)?;
    Ok(Pixels { width, height, channels: colours.samples(), bytes })
}

/// A decoder of the image that has read its header, and the colours of its pixels.
fn open(stripped: StrippedImage) -> Result<(OpenPng, ColorType), Unusable> {
    let size = (stripped.width, stripped.height);
    let most = usize::try_from(stripped.memory).map_err(|_| Unusable)?;
    let limits = Limits { bytes: most.max(LEAST) };
    let mut decoder = Decoder::new_with_limits(Cursor::new(stripped.bytes), limits);
    decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
    let reader = decoder.read_info().map_err(|_| Unusable)?;
    match reader.output_color_type() {
        (ColorType::Indexed, _) => Err(Unusable),
        (colours, BitDepth::Eight) if reader.info().size() == size => Ok((reader, colours)),
        _ => Err(Unusable),
    }
}

/// Encodes the rows that `fill` writes; too few rows are an error.
fn encode(
    bytes: &mut Vec<u8>,
    (width, height): (u32, u32),
    colours: ColorType,
    fill: impl FnOnce(&mut dyn Write) -> Result<(), Unusable>,
) -> Result<(), Unusable> {
    let mut encoder = Encoder::new(bytes, width, height);
    encoder.set_color(colours);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Balanced);
    let mut writer = encoder.write_header().map_err(|_| Unusable)?;
    let mut rows = writer.stream_writer().map_err(|_| Unusable)?;
    fill(&mut rows)?;
    rows.finish().map_err(|_| Unusable)?;
    writer.finish().map_err(|_| Unusable)
}
