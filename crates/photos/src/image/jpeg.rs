//! JPEG.

use image::{Luma, Rgb, codecs::jpeg::JpegEncoder, metadata::Orientation};
use patrol_domain::photo::ImageFormat;
use zune_jpeg::{
    JpegDecoder,
    zune_core::{bytestream::ZCursor, colorspace::ColorSpace, options::DecoderOptions},
};

use super::{
    pixels::{Pixels, Upright, View},
    reader::Reader,
    stripped::{StrippedImage, Unusable, orientation},
};

/// High enough that the loss of encoding again is not visible.
const QUALITY: u8 = 90;
/// The most scans of a progressive image. Programs write about ten; each costs a pass over all
/// pixels.
const SCANS: usize = 64;
/// Placed between the last scan and the end. The decoder would read endless zeros after the end of
/// a truncated image; an unknown marker stops it. The zeros before the marker are for complete
/// images, behind which the decoder reads a few bytes ahead.
const STOP: [u8; 20] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0x02, 0, 2];
/// Placed before [`STOP`] when restarts are in use: the decoder looks for one after the last pixel
/// too.
const RESTART: [u8; 2] = [0xff, 0xd0];

/// The header of a frame.
struct Frame {
    width: u16,
    height: u16,
    memory: u64,
}

/// Reads the segments to the end of the image and drops those that are not needed for the pixels.
pub(super) fn strip(source: &[u8]) -> Result<StrippedImage, Unusable> {
    let mut bytes = Vec::with_capacity(source.len() + STOP.len());
    let mut reader = Reader::new(source);
    bytes.extend_from_slice(reader.take(2)?);
    let mut frame = None;
    let mut held = Orientation::NoTransforms;
    let mut restarts = false;
    loop {
        let marker = marker(&mut reader)?;
        if marker == 0xd9 {
            break;
        }
        let length = usize::from(reader.u16_be()?);
        let body = reader.take(length.checked_sub(2).ok_or(Unusable)?)?;
        match marker {
            // The frame has the size, which is checked before anything is decoded.
            0xc0..=0xc2 if frame.is_none() => frame = Some(read_frame(marker, body)?),
            0xc0..=0xc3 | 0xc5..=0xcf if marker != 0xc4 => return Err(Unusable),
            0xe1 => {
                if let Some(exif) = body.strip_prefix(b"Exif\0\0") {
                    held = orientation(exif);
                }
                continue;
            }
            0xdd => restarts = body != [0, 0],
            // Of the application segments only Adobe's affects the colours.
            0xe0 | 0xe2..=0xed | 0xef | 0xfe => continue,
            _ => {}
        }
        let [high, low] = u16::try_from(length).map_err(|_| Unusable)?.to_be_bytes();
        bytes.extend_from_slice(&[0xff, marker, high, low]);
        bytes.extend_from_slice(body);
        if marker == 0xda {
            bytes.extend_from_slice(reader.take(scan_length(reader.rest())?)?);
        }
    }
    if restarts {
        bytes.extend_from_slice(&RESTART);
    }
    bytes.extend_from_slice(&STOP);
    bytes.extend_from_slice(&[0xff, 0xd9]);
    let Frame { width, height, memory } = frame.ok_or(Unusable)?;
    Ok(StrippedImage {
        format: ImageFormat::Jpeg,
        width: width.into(),
        height: height.into(),
        orientation: held,
        memory,
        bytes,
    })
}

/// The next marker. Any number of fill bytes may precede it.
fn marker(reader: &mut Reader<'_>) -> Result<u8, Unusable> {
    if reader.byte()? != 0xff {
        return Err(Unusable);
    }
    loop {
        match reader.byte()? {
            0xff => {}
            0 => return Err(Unusable),
            marker => return Ok(marker),
        }
    }
}

/// The length of the coded pixels: up to a marker that is not a restart. A byte 255 within the
/// pixels is followed by 0.
fn scan_length(rest: &[u8]) -> Result<usize, Unusable> {
    let pairs = rest.iter().zip(rest.iter().skip(1));
    pairs
        .enumerate()
        .find_map(|(at, (byte, next))| {
            let ends = *byte == 0xff && !matches!(next, 0 | 0xd0..=0xd7 | 0xff);
            ends.then_some(at)
        })
        .ok_or(Unusable)
}

fn read_frame(marker: u8, body: &[u8]) -> Result<Frame, Unusable> {
    let mut reader = Reader::new(body);
    let _precision = reader.byte()?;
    let (height, width) = (reader.u16_be()?, reader.u16_be()?);
    let pixels = u64::from(width) * u64::from(height);
    let components = reader.byte()?;
    // A progressive image is held as two-byte coefficients until its last scan; without subsampling
    // each pixel has one for each component.
    let coefficients = if marker == 0xc2 { 2 * u64::from(components) } else { 0 };
    Ok(Frame { width, height, memory: pixels.saturating_mul(coefficients + 3 + 1) })
}

/// Decodes the image and encodes it again.
pub(super) fn clean(stripped: StrippedImage) -> Result<Vec<u8>, Unusable> {
    let held = stripped.orientation;
    let pixels = decode(stripped)?;
    let upright = Upright::new(&pixels, held);
    let mut bytes = Vec::new();
    let mut encoder = JpegEncoder::new_with_quality(&mut bytes, QUALITY);
    let encoded = match pixels.channels {
        1 => encoder.encode_image(&View::<Luma<u8>>::new(upright)),
        _ => encoder.encode_image(&View::<Rgb<u8>>::new(upright)),
    };
    encoded.map_err(|_| Unusable)?;
    Ok(bytes)
}

/// Decodes the image.
pub(super) fn decode(stripped: StrippedImage) -> Result<Pixels, Unusable> {
    let side = usize::from(u16::MAX);
    let options = DecoderOptions::default()
        .set_strict_mode(true)
        .set_max_width(side)
        .set_max_height(side)
        .jpeg_set_max_scans(SCANS);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(stripped.bytes), options);
    decoder.decode_headers().map_err(|_| Unusable)?;
    let (colours, channels) = match decoder.input_colorspace() {
        Some(ColorSpace::Luma) => (ColorSpace::Luma, 1),
        _ => (ColorSpace::RGB, 3),
    };
    decoder.set_options(decoder.options().jpeg_set_out_colorspace(colours));
    let size = u64::from(stripped.width) * u64::from(stripped.height) * channels;
    let channels = usize::try_from(channels).map_err(|_| Unusable)?;
    let mut bytes = vec![0; usize::try_from(size).map_err(|_| Unusable)?];
    if decoder.output_buffer_size() != Some(bytes.len()) {
        return Err(Unusable);
    }
    decoder.decode_into(&mut bytes).map_err(|_| Unusable)?;
    Ok(Pixels { width: stripped.width, height: stripped.height, channels, bytes })
}
