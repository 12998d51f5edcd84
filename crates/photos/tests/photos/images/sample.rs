//! Creates and inspects test images.

use std::io::Cursor;

use image::{
    ExtendedColorType, ImageEncoder, ImageReader, RgbImage, Rgba, RgbaImage,
    codecs::{jpeg::JpegEncoder, webp::WebPEncoder},
};
use patrol_domain::photo::{CleanImage, ImageError, ImageFormat, Images, Photo};
use patrol_photos::Cleaner;
use png::{BitDepth, ColorType};

/// The default limit of pixels.
pub(crate) const PIXELS: u64 = 25_000_000;

pub(crate) const RED: [u8; 3] = [250, 10, 20];
pub(crate) const BLUE: [u8; 3] = [10, 30, 250];

/// Cleans an image, and compares the size in the answer with that of the result.
pub(crate) async fn clean(bytes: Vec<u8>) -> Result<Photo, ImageError> {
    let CleanImage { photo, width, height } = Cleaner::new(PIXELS).clean(bytes).await?;
    let file = Cursor::new(&photo.bytes);
    let found = if photo.format == ImageFormat::Png {
        png::Decoder::new(file).read_info().unwrap().info().size()
    } else {
        ImageReader::new(file).with_guessed_format().unwrap().into_dimensions().unwrap()
    };
    assert_eq!(found, (width, height));
    Ok(photo)
}

/// A blue image whose upper left quarter is red.
pub(crate) fn picture(width: u32, height: u32) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| {
        image::Rgb(if x < width / 2 && y < height / 2 { RED } else { BLUE })
    })
}

pub(crate) fn jpeg(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, 95).encode_image(&picture(width, height)).unwrap();
    bytes
}

pub(crate) fn png(width: u32, height: u32) -> Vec<u8> {
    png_of(width, height, ColorType::Rgb, BitDepth::Eight, picture(width, height).as_raw())
}

pub(crate) fn png_of(
    width: u32,
    height: u32,
    colours: ColorType,
    depth: BitDepth,
    data: &[u8],
) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(colours);
    encoder.set_depth(depth);
    encoder.write_header().unwrap().write_image_data(data).unwrap();
    bytes
}

pub(crate) fn webp(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    WebPEncoder::new_lossless(&mut bytes)
        .write_image(picture(width, height).as_raw(), width, height, ExtendedColorType::Rgb8)
        .unwrap();
    bytes
}

/// The image in each format.
pub(crate) fn each(width: u32, height: u32) -> [(ImageFormat, Vec<u8>); 3] {
    [
        (ImageFormat::Jpeg, jpeg(width, height)),
        (ImageFormat::Png, png(width, height)),
        (ImageFormat::Webp, webp(width, height)),
    ]
}

/// Inserts a segment after the start of a JPEG.
pub(crate) fn with_segment(jpeg: &[u8], marker: u8, body: &[u8]) -> Vec<u8> {
    let length = u16::try_from(body.len() + 2).unwrap().to_be_bytes();
    [&jpeg[..2], &[0xff, marker], &length, body, &jpeg[2..]].concat()
}

/// A PNG chunk. Its checksum is wrong, since these chunks must not be read.
pub(crate) fn chunk(kind: &[u8; 4], body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len()).unwrap().to_be_bytes();
    [&length[..], kind, body, &[0; 4]].concat()
}

/// Inserts a chunk after the header of a PNG.
pub(crate) fn with_chunk(png: &[u8], kind: &[u8; 4], body: &[u8]) -> Vec<u8> {
    [&png[..33], &chunk(kind, body), &png[33..]].concat()
}

/// An extended WebP with the image of a simple one, these flags and one more chunk.
pub(crate) fn extended(webp: &[u8], size: (u32, u32), flags: u8, more: &[u8]) -> Vec<u8> {
    let number = |number: u32| number.to_le_bytes();
    let (width, height) = (number(size.0 - 1), number(size.1 - 1));
    let header = [&[flags, 0, 0, 0], &width[..3], &height[..3]].concat();
    let body = [b"WEBP", &riff(b"VP8X", &header)[..], &webp[12..], more].concat();
    [b"RIFF", &number(u32::try_from(body.len()).unwrap())[..], &body].concat()
}

/// A WebP chunk.
pub(crate) fn riff(kind: &[u8; 4], body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len()).unwrap().to_le_bytes();
    let padding: &[u8] = if body.len() % 2 == 1 { &[0] } else { &[] };
    [kind, &length[..], body, padding].concat()
}

/// EXIF data with an orientation, a place and an artist.
pub(crate) fn exif(orientation: u8) -> Vec<u8> {
    let entry = |tag: u16, kind: u16, count: u32, value: [u8; 4]| {
        [&tag.to_le_bytes()[..], &kind.to_le_bytes(), &count.to_le_bytes(), &value].concat()
    };
    [
        &b"II*\0\x08\0\0\0\x03\0"[..],
        &entry(0x0112, 3, 1, [orientation, 0, 0, 0]),
        // The artist, and the pointer to the place, which follows this directory.
        &entry(0x013b, 2, 12, 50u32.to_le_bytes()),
        &entry(0x8825, 4, 1, 62u32.to_le_bytes()),
        &[0; 4],
        b"SECRET-NAME\0",
        &[1, 0],
        &entry(1, 2, 2, *b"N\0\0\0"),
        &[0; 4],
        b"SECRET-PLACE",
    ]
    .concat()
}

/// An image in each format with this orientation.
pub(crate) fn each_held(width: u32, height: u32, orientation: u8) -> [Vec<u8>; 3] {
    let exif = exif(orientation);
    [
        with_segment(&jpeg(width, height), 0xe1, &[b"Exif\0\0", &exif[..]].concat()),
        with_chunk(&png(width, height), b"eXIf", &exif),
        extended(&webp(width, height), (width, height), 1 << 3, &riff(b"EXIF", &exif)),
    ]
}

/// The decoded pixels of a photo.
pub(crate) fn pixels(photo: &Photo) -> RgbaImage {
    match photo.format {
        ImageFormat::Png => {
            let mut reader = png::Decoder::new(Cursor::new(&photo.bytes)).read_info().unwrap();
            let mut data = vec![0; reader.output_buffer_size().unwrap()];
            let info = reader.next_frame(&mut data).unwrap();
            assert_eq!(info.bit_depth, BitDepth::Eight);
            let opaque = 255;
            let all = data.chunks_exact(info.color_type.samples()).flat_map(|pixel| match *pixel {
                [l] => [l, l, l, opaque],
                [l, a] => [l, l, l, a],
                [r, g, b] => [r, g, b, opaque],
                [r, g, b, a] => [r, g, b, a],
                _ => panic!("{info:?}"),
            });
            RgbaImage::from_raw(info.width, info.height, all.collect()).unwrap()
        }
        ImageFormat::Jpeg => decoded(photo, image::ImageFormat::Jpeg),
        ImageFormat::Webp => decoded(photo, image::ImageFormat::WebP),
    }
}

fn decoded(photo: &Photo, format: image::ImageFormat) -> RgbaImage {
    image::load_from_memory_with_format(&photo.bytes, format).unwrap().into_rgba8()
}

/// Whether a colour is this one, allowing for the loss of JPEG.
pub(crate) fn is_near(found: &Rgba<u8>, expected: [u8; 3]) -> bool {
    found.0.iter().zip(expected).all(|(found, expected)| found.abs_diff(expected) < 40)
}

/// Checks that a photo contains only pixels.
#[track_caller]
pub(crate) fn assert_bare(photo: &Photo) {
    let bytes = &photo.bytes;
    for mark in [&b"SECRET"[..], b"Exif", b"ICC", b"http", b"<html", b"PK\x03\x04"] {
        assert!(!bytes.windows(mark.len()).any(|window| window == mark), "{mark:?} is kept");
    }
    match photo.format {
        ImageFormat::Jpeg => {
            assert!(bytes.ends_with(&[0xff, 0xd9]));
            let mut at = 2;
            while bytes[at + 1] != 0xda {
                assert!(matches!(bytes[at + 1], 0xe0 | 0xdb | 0xc0 | 0xc4), "{:x}", bytes[at + 1]);
                at += 2 + usize::from(u16::from_be_bytes([bytes[at + 2], bytes[at + 3]]));
            }
        }
        ImageFormat::Png => {
            let mut rest = &bytes[8..];
            while !rest.is_empty() {
                assert!(matches!(&rest[4..8], b"IHDR" | b"IDAT" | b"IEND"), "{:?}", &rest[4..8]);
                let length = u32::from_be_bytes([rest[0], rest[1], rest[2], rest[3]]);
                rest = &rest[usize::try_from(length).unwrap() + 12..];
            }
        }
        ImageFormat::Webp => {
            assert_eq!(&bytes[12..16], b"VP8L");
            let length = u32::from_le_bytes([bytes[16], bytes[17], bytes[18], bytes[19]]);
            let length = usize::try_from(length).unwrap().next_multiple_of(2);
            assert_eq!(bytes.len(), 20 + length);
        }
    }
}
