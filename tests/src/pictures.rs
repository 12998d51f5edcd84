//! Good and bad images, created byte by byte.

use std::io::Cursor;

use image::{DynamicImage, ImageFormat, Rgb, RgbImage};

/// Text in the metadata that must not be in the result.
pub const SECRET: &[u8] = b"SECRET CAMERA";

/// The accepted formats with their media types.
pub const FORMATS: [(ImageFormat, &str); 3] = [
    (ImageFormat::Jpeg, "image/jpeg"),
    (ImageFormat::Png, "image/png"),
    (ImageFormat::WebP, "image/webp"),
];

/// The colour of a corner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colour {
    /// At the upper left.
    Red,
    /// At the upper right.
    Green,
    /// At the lower left.
    Blue,
    /// At the lower right.
    White,
}

use Colour::{Blue, Green, Red, White};

impl Colour {
    fn rgb(self) -> Rgb<u8> {
        Rgb(match self {
            Red => [220, 0, 0],
            Green => [0, 220, 0],
            Blue => [0, 0, 220],
            White => [240, 240, 240],
        })
    }

    /// The nearest colour, because JPEG is not exact.
    fn nearest(pixel: Rgb<u8>) -> Self {
        let distance = |colour: &Self| -> u32 {
            let pairs = colour.rgb().0.into_iter().zip(pixel.0);
            pairs.map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
        };
        [Red, Green, Blue, White].into_iter().min_by_key(distance).unwrap()
    }
}

/// Width and height, and the corners of an image: top left, top right, bottom left, bottom right.
#[derive(PartialEq, Eq, Debug)]
pub struct Look(pub (u32, u32), pub [Colour; 4]);

/// The look of [`picture`].
pub const UPRIGHT: Look = Look((64, 32), [Red, Green, Blue, White]);

/// The expected look of an image stored like [`UPRIGHT`], for each EXIF orientation from 1 to 8.
pub const ORIENTED: [Look; 8] = [
    UPRIGHT,
    Look((64, 32), [Green, Red, White, Blue]),
    Look((64, 32), [White, Blue, Green, Red]),
    Look((64, 32), [Blue, White, Red, Green]),
    Look((32, 64), [Red, Blue, Green, White]),
    Look((32, 64), [Blue, Red, White, Green]),
    Look((32, 64), [White, Green, Blue, Red]),
    Look((32, 64), [Green, White, Red, Blue]),
];

/// The look of an encoded image.
pub fn look(bytes: &[u8], format: ImageFormat) -> Look {
    let picture = image::load_from_memory_with_format(bytes, format).expect("a picture").to_rgb8();
    let (width, height) = picture.dimensions();
    let at = |x: u32, y: u32| Colour::nearest(*picture.get_pixel(width * x / 4, height * y / 4));
    Look((width, height), [at(1, 1), at(3, 1), at(1, 3), at(3, 3)])
}

/// A small image with four different quarters.
pub fn picture(format: ImageFormat) -> Vec<u8> {
    let pixels = RgbImage::from_fn(64, 32, |x, y| {
        let colour = match (x < 32, y < 16) {
            (true, true) => Red,
            (false, true) => Green,
            (true, false) => Blue,
            (false, false) => White,
        };
        colour.rgb()
    });
    encoded(&pixels.into(), format)
}

/// A black image of this size.
pub fn black(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    encoded(&DynamicImage::new_luma8(width, height), format)
}

/// A picture in this format.
pub fn encoded(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    // The WebP encoder does not support greyscale.
    let rgb = DynamicImage::from(picture.to_rgb8());
    let picture = if format == ImageFormat::WebP { &rgb } else { picture };
    picture.write_to(&mut bytes, format).expect("it is encoded");
    bytes.into_inner()
}

/// EXIF: the camera, an orientation and a position.
fn exif(orientation: u8) -> Vec<u8> {
    let mut tiff = b"II*\0\x08\0\0\0".to_vec();
    // Three entries: Make, Orientation, GPS.
    tiff.extend([3, 0]);
    tiff.extend([0x0f, 0x01, 2, 0, 14, 0, 0, 0, 50, 0, 0, 0]);
    tiff.extend([0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0]);
    tiff.extend([0x25, 0x88, 4, 0, 1, 0, 0, 0, 64, 0, 0, 0]);
    tiff.extend([0; 4]);
    tiff.extend(SECRET);
    tiff.push(0);
    // Two entries: the hemisphere and the degrees.
    tiff.extend([2, 0]);
    tiff.extend([1, 0, 2, 0, 2, 0, 0, 0, b'N', 0, 0, 0]);
    tiff.extend([2, 0, 5, 0, 3, 0, 0, 0, 94, 0, 0, 0]);
    tiff.extend([0; 4]);
    for part in [59_u32, 56, 1_234_567] {
        tiff.extend(part.to_le_bytes());
        tiff.extend(1_u32.to_le_bytes());
    }
    tiff
}

/// The small image with EXIF of this orientation, and with other metadata.
pub fn described(format: ImageFormat, orientation: u8) -> Vec<u8> {
    let (plain, exif) = (picture(format), exif(orientation));
    match format {
        ImageFormat::Jpeg => {
            let mut segment = b"Exif\0\0".to_vec();
            segment.extend(exif);
            let metadata = [jpeg_segment(0xe1, &segment), jpeg_segment(0xfe, SECRET)].concat();
            inserted(&plain, 2, &metadata)
        }
        ImageFormat::Png => {
            let text = [b"Comment\0", SECRET].concat();
            let metadata = [png_chunk(b"eXIf", &exif), png_chunk(b"tEXt", &text)].concat();
            inserted(&plain, PNG_HEAD, &metadata)
        }
        _ => {
            let mut chunks = vp8x(0b1000, 64, 32);
            chunks.extend(pixels_of(&plain));
            chunks.extend(webp_chunk(b"EXIF", &exif));
            webp_file(&chunks)
        }
    }
}

/// Signature and IHDR.
const PNG_HEAD: usize = 33;

fn inserted(bytes: &[u8], at: usize, more: &[u8]) -> Vec<u8> {
    [&bytes[..at], more, &bytes[at..]].concat()
}

fn jpeg_segment(marker: u8, content: &[u8]) -> Vec<u8> {
    let length = u16::try_from(content.len() + 2).unwrap();
    [&[0xff, marker], &length.to_be_bytes()[..], content].concat()
}

fn png_chunk(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let named = [&kind[..], content].concat();
    let length = u32::try_from(content.len()).unwrap();
    [&length.to_be_bytes()[..], &named, &crc(&named).to_be_bytes()].concat()
}

/// The CRC-32 of PNG.
fn crc(bytes: &[u8]) -> u32 {
    let turn = |crc: u32| if crc & 1 == 1 { 0xedb8_8320 ^ (crc >> 1) } else { crc >> 1 };
    !bytes
        .iter()
        .fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| turn(crc)))
}

fn webp_chunk(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).unwrap();
    let padding = vec![0; content.len() % 2];
    [&kind[..], &length.to_le_bytes(), content, &padding].concat()
}

fn webp_file(chunks: &[u8]) -> Vec<u8> {
    let length = u32::try_from(chunks.len() + 4).unwrap();
    [&b"RIFF"[..], &length.to_le_bytes(), b"WEBP", chunks].concat()
}

fn vp8x(flags: u8, width: u32, height: u32) -> Vec<u8> {
    let [w, h] = [width, height].map(|side| (side - 1).to_le_bytes());
    webp_chunk(b"VP8X", &[&[flags, 0, 0, 0], &w[..3], &h[..3]].concat())
}

/// The pixel chunk of a plain WebP, with its header.
fn pixels_of(webp: &[u8]) -> &[u8] {
    assert_eq!(&webp[12..16], b"VP8L");
    &webp[12..]
}

/// A small animation of two frames.
pub fn animated_webp() -> Vec<u8> {
    let plain = picture(ImageFormat::WebP);
    let mut chunks = vp8x(0b10, 64, 32);
    chunks.extend(webp_chunk(b"ANIM", &[0; 6]));
    for _ in 0..2 {
        let head = [0, 0, 0, 0, 0, 0, 63, 0, 0, 31, 0, 0, 100, 0, 0, 0];
        chunks.extend(webp_chunk(b"ANMF", &[&head, pixels_of(&plain)].concat()));
    }
    webp_file(&chunks)
}

/// A small animation of two equal frames.
pub fn animated_png() -> Vec<u8> {
    let plain = picture(ImageFormat::Png);
    let control = |number: u32| {
        let sides = [number, 64, 32, 0, 0].map(u32::to_be_bytes).concat();
        png_chunk(b"fcTL", &[&sides[..], &[0, 1, 0, 10, 0, 0]].concat())
    };
    let pixels = &data_of(&plain)[..];
    let animation = [&2_u32.to_be_bytes()[..], &[0; 4]].concat();
    [
        &plain[..PNG_HEAD],
        &png_chunk(b"acTL", &animation),
        &control(0),
        &png_chunk(b"IDAT", pixels),
        &control(1),
        &png_chunk(b"fdAT", &[&2_u32.to_be_bytes()[..], pixels].concat()),
        &png_chunk(b"IEND", b""),
    ]
    .concat()
}

/// The small image with metadata that decompress to a gigabyte.
pub fn unfolding() -> Vec<u8> {
    let zeros = data_of(&black(5000, 5000, ImageFormat::Png));
    let text = png_chunk(b"zTXt", &[b"Comment\0\0", &zeros[..]].concat());
    let profile = png_chunk(b"iCCP", &[b"profile\0\0", &zeros[..]].concat());
    inserted(&picture(ImageFormat::Png), PNG_HEAD, &[profile, text.repeat(40)].concat())
}

/// The joined contents of the IDAT chunks of a PNG.
fn data_of(png: &[u8]) -> Vec<u8> {
    let (mut data, mut rest) = (Vec::new(), &png[8..]);
    while rest.len() >= 12 {
        let length = u32::from_be_bytes(rest[..4].try_into().unwrap());
        let end = 8 + usize::try_from(length).unwrap();
        if &rest[4..8] == b"IDAT" {
            data.extend(&rest[8..end]);
        }
        rest = &rest[end + 4..];
    }
    data
}

/// The small image with this size in its header.
pub fn said_to_be(width: u16, height: u16, format: ImageFormat) -> Vec<u8> {
    let mut bytes = picture(format);
    match format {
        ImageFormat::Jpeg => {
            let frame = bytes.windows(2).position(|pair| pair == [0xff, 0xc0]).expect("SOF0");
            bytes[frame + 5..frame + 7].copy_from_slice(&height.to_be_bytes());
            bytes[frame + 7..frame + 9].copy_from_slice(&width.to_be_bytes());
            bytes
        }
        ImageFormat::Png => {
            bytes[16..20].copy_from_slice(&u32::from(width).to_be_bytes());
            bytes[20..24].copy_from_slice(&u32::from(height).to_be_bytes());
            let crc = crc(&bytes[12..29]).to_be_bytes();
            bytes[29..33].copy_from_slice(&crc);
            bytes
        }
        _ => {
            let canvas = vp8x(0, width.into(), height.into());
            webp_file(&[&canvas, pixels_of(&bytes)].concat())
        }
    }
}

/// The small WebP with the greatest possible size in its pixel data, 16384 × 16384.
pub fn vast_pixels() -> Vec<u8> {
    let mut bytes = picture(ImageFormat::WebP);
    // After the chunk header and a signature: width and height less one, 14 bits each.
    let sizes = u32::from_le_bytes(bytes[21..25].try_into().unwrap()) | 0x0fff_ffff;
    bytes[21..25].copy_from_slice(&sizes.to_le_bytes());
    bytes
}

/// A GIF of one pixel.
pub const GIF: &[u8] = b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\x01\0\0\0\0,\
    \0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

/// A BMP of one pixel.
pub const BMP: &[u8] = b"BM:\0\0\0\0\0\0\x006\0\0\0(\0\0\0\x01\0\0\0\x01\0\0\0\x01\0\x18\0\0\
    \0\0\0\x04\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xff\0";
