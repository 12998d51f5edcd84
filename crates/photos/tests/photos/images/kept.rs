//! Images that are accepted, and what of them is kept.

use image::{ExtendedColorType, ImageEncoder, codecs::webp::WebPEncoder};
use patrol_domain::photo::{ImageFormat, Images};
use patrol_photos::Cleaner;
use png::{BitDepth, ColorType};
use proptest::prelude::*;

use crate::images::sample::{
    BLUE, PIXELS, RED, assert_bare, clean, each, each_held, exif, is_near, jpeg, picture, pixels,
    png, png_of, riff, with_chunk, with_segment,
};

#[tokio::test]
async fn a_picture_keeps_its_format_and_its_pixels() {
    for (format, bytes) in each(40, 30) {
        let photo = clean(bytes).await.unwrap();
        assert_eq!(photo.format, format);
        assert_bare(&photo);
        let found = pixels(&photo);
        assert_eq!(found.dimensions(), (40, 30));
        for (one, other) in found.pixels().zip(picture(40, 30).pixels()) {
            assert!(is_near(one, other.0) || format == ImageFormat::Jpeg, "{one:?} {other:?}");
        }
        assert!(is_near(found.get_pixel(4, 4), RED) && is_near(found.get_pixel(36, 26), BLUE));
    }
}

#[tokio::test]
async fn a_picture_is_stored_upright_and_tells_nothing_more() {
    // Where the upper left quarter appears: right, below, and whether the sides are swapped.
    let seen = [
        (1, false, false, false),
        (2, true, false, false),
        (3, true, true, false),
        (4, false, true, false),
        (5, false, false, true),
        (6, true, false, true),
        (7, true, true, true),
        (8, false, true, true),
    ];
    for (orientation, right, below, turned) in seen {
        for bytes in each_held(48, 32, orientation) {
            let photo = clean(bytes).await.unwrap();
            assert_bare(&photo);
            let found = pixels(&photo);
            let (width, height) = if turned { (32, 48) } else { (48, 32) };
            assert_eq!(found.dimensions(), (width, height), "{orientation} {:?}", photo.format);
            let corner = |right, below| {
                let (x, y) =
                    (if right { width - 5 } else { 4 }, if below { height - 5 } else { 4 });
                *found.get_pixel(x, y)
            };
            assert!(is_near(&corner(right, below), RED), "{orientation} {:?}", photo.format);
            assert!(is_near(&corner(!right, !below), BLUE), "{orientation} {:?}", photo.format);
        }
    }
}

#[tokio::test]
async fn an_orientation_that_is_none_is_not_minded() {
    for orientation in [0, 9, 255] {
        for bytes in each_held(48, 32, orientation) {
            assert_eq!(pixels(&clean(bytes).await.unwrap()).dimensions(), (48, 32));
        }
    }
}

#[tokio::test]
async fn what_follows_the_picture_is_dropped() {
    let html = b"<html><script>alert(1)</script></html>".as_slice();
    let zip = b"PK\x03\x04SECRET".repeat(100);
    for (_, bytes) in each(20, 10) {
        let expected = clean(bytes.clone()).await.unwrap();
        for tail in [html, &zip, &[0], &bytes] {
            let photo = clean([&bytes[..], tail].concat()).await.unwrap();
            assert_bare(&photo);
            assert!(photo == expected);
        }
    }
}

#[tokio::test]
async fn what_is_not_pixels_is_not_even_looked_at() {
    // A text and a profile that claim to decompress to something large, profiles in several parts,
    // comments, a second format.
    let bomb = [b"SECRET\0\0", &[0x78, 0xda][..], &[0; 60_000]].concat();
    let mut pictures = Vec::new();
    for kind in [b"iTXt", b"zTXt", b"tEXt", b"iCCP", b"tIME", b"prVt"] {
        pictures.push(with_chunk(&png(20, 10), kind, &bomb));
    }
    let comment = with_segment(&jpeg(20, 10), 0xfe, b"<html>SECRET</html>PK\x03\x04");
    let profile = [b"ICC_PROFILE\0\x01\xff", &bomb[..]].concat();
    let mut profiles = comment;
    for marker in [0xe2, 0xe2, 0xe2, 0xed, 0xef, 0xe1] {
        profiles = with_segment(&profiles, marker, &profile);
    }
    pictures.push(profiles);
    for kind in [b"ICCP", b"XMP ", b"PRVT"] {
        let webp = crate::images::sample::webp(20, 10);
        pictures.push(crate::images::sample::extended(&webp, (20, 10), 1 << 5, &riff(kind, &bomb)));
    }
    for bytes in pictures {
        assert_bare(&clean(bytes).await.unwrap());
    }
}

#[tokio::test]
async fn every_kind_of_png_is_taken() {
    for (colours, depth, row) in [
        (ColorType::Grayscale, BitDepth::One, &[0x0f][..]),
        (ColorType::Grayscale, BitDepth::Four, &[0x00, 0x00, 0xff, 0xff]),
        (ColorType::Grayscale, BitDepth::Eight, &[0, 0, 0, 0, 255, 255, 255, 255]),
        (ColorType::Grayscale, BitDepth::Sixteen, &[[0; 8], [255; 8]].concat()),
        (ColorType::GrayscaleAlpha, BitDepth::Sixteen, &[[0; 16], [255; 16]].concat()),
        (ColorType::Rgba, BitDepth::Sixteen, &[[0; 32], [255; 32]].concat()),
    ] {
        let photo = clean(png_of(8, 8, colours, depth, &row.repeat(8))).await.unwrap();
        assert_bare(&photo);
        let found = pixels(&photo);
        let transparent = colours != ColorType::Grayscale;
        assert_eq!(found.get_pixel(0, 7).0, [0, 0, 0, if transparent { 0 } else { 255 }]);
        assert_eq!(found.get_pixel(7, 0).0, [255; 4], "{colours:?} {depth:?}");
    }
}

/// Files that no encoder in these tests can write; Pillow wrote them.
#[tokio::test]
async fn other_kinds_are_taken_as_well() {
    for bytes in [
        &include_bytes!("../../files/progressive.jpg")[..],
        include_bytes!("../../files/restarts.jpg"),
        include_bytes!("../../files/cmyk.jpg"),
        include_bytes!("../../files/lossy.webp"),
        include_bytes!("../../files/alpha.webp"),
        include_bytes!("../../files/palette.png"),
    ] {
        let photo = clean(bytes.to_vec()).await.unwrap();
        assert_bare(&photo);
        let found = pixels(&photo);
        assert_eq!(found.dimensions(), (40, 24));
        // Red grows to the right, green downwards.
        let [left, right, below] = [(1, 1), (38, 1), (1, 22)].map(|(x, y)| found.get_pixel(x, y).0);
        assert!(right[0] > left[0] + 100 && below[1] > left[1] + 100, "{:?}", photo.format);
    }
    let interlaced = clean(include_bytes!("../../files/interlaced.png").to_vec()).await.unwrap();
    assert_eq!(pixels(&interlaced).get_pixel(3, 4).0, [64, 64, 64, 255]);
    let alpha = clean(include_bytes!("../../files/alpha.webp").to_vec()).await.unwrap();
    assert_eq!(pixels(&alpha).get_pixel(0, 0).0[3], 0);
    let palette = clean(include_bytes!("../../files/palette.png").to_vec()).await.unwrap();
    assert!(pixels(&palette).pixels().any(|pixel| pixel.0[3] == 0));
}

#[tokio::test]
async fn pictures_of_any_small_size_are_taken() {
    for (width, height) in [(1, 1), (1, 40), (40, 1), (7, 9), (17, 16), (3000, 1)] {
        for (format, bytes) in each(width, height) {
            let photo = clean(bytes).await.unwrap();
            assert_eq!(pixels(&photo).dimensions(), (width, height), "{format:?}");
        }
    }
}

#[tokio::test]
async fn the_greatest_picture_is_taken_and_what_is_clean_stays_so() {
    let cleaner = Cleaner::new(1200);
    for (_, bytes) in each(40, 30) {
        let once = cleaner.clean(bytes).await.unwrap().photo;
        let twice = cleaner.clean(once.bytes.clone()).await.unwrap().photo;
        assert_eq!(once.format, twice.format);
        assert_bare(&twice);
    }
    // The worst case: an image of the greatest size in a few KB of zeros.
    let zeros = png_of(5000, 5000, ColorType::Grayscale, BitDepth::Eight, &vec![0; 25_000_000]);
    assert!(zeros.len() < 100_000);
    let photo = Cleaner::new(PIXELS).clean(zeros).await.unwrap().photo;
    assert!(photo.bytes.len() < 1 << 20);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_webp_keeps_every_pixel(
        (width, height) in prop_oneof![(1u32..40, 1u32..40), (500u32..530, 1u32..4), (1u32..3, 1020u32..1030)],
        alpha in any::<bool>(),
        colours in prop::collection::vec(any::<[u8; 4]>(), 1..300),
        runs in prop::collection::vec(1usize..200, 1..50),
    ) {
        let (channels, kind) =
            if alpha { (4, ExtendedColorType::Rgba8) } else { (3, ExtendedColorType::Rgb8) };
        let pixels = colours.iter().cycle().zip(runs.iter().cycle());
        let pixels = pixels.flat_map(|(colour, run)| std::iter::repeat_n(colour, *run));
        let count = usize::try_from(width * height).unwrap();
        let data: Vec<u8> = pixels.take(count).flat_map(|colour| &colour[..channels]).copied().collect();
        let mut sent = Vec::new();
        WebPEncoder::new_lossless(&mut sent).write_image(&data, width, height, kind).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let photo = runtime.block_on(clean(sent)).unwrap();
        assert_bare(&photo);
        let found = image::load_from_memory(&photo.bytes).unwrap();
        prop_assert_eq!(found.color().channel_count(), u8::try_from(channels).unwrap());
        prop_assert!(found.as_bytes() == data);
    }
}

/// Colours as frequent as the Fibonacci numbers: their best codes would be 17 bits long, and the
/// format allows 15.
#[tokio::test]
async fn a_webp_of_very_uneven_colours_keeps_every_pixel() {
    let mut counts = vec![1usize, 1];
    while counts.len() < 18 {
        counts.push(counts.iter().rev().take(2).sum());
    }
    let sorted: Vec<u8> =
        counts.into_iter().zip(1..19).rev().flat_map(|(count, step)| vec![step; count]).collect();
    // No step equals the one before, so that the encoder finds no runs.
    let (first, second) = sorted.split_at(sorted.len() / 2);
    let steps = first.iter().zip(second).flat_map(|(one, other)| [*one, *other]);
    // The encoder writes the difference of a pixel to the one above.
    let grey = steps.scan(0u8, |sum, step| {
        *sum = sum.wrapping_add(step);
        Some([*sum; 3])
    });
    let data: Vec<u8> = grey.flatten().collect();
    let height = u32::try_from(data.len() / 3).unwrap();
    let mut sent = Vec::new();
    let encoder = WebPEncoder::new_lossless(&mut sent);
    encoder.write_image(&data, 1, height, ExtendedColorType::Rgb8).unwrap();
    let photo = Cleaner::new(u64::from(height)).clean(sent).await.unwrap().photo;
    assert!(image::load_from_memory(&photo.bytes).unwrap().as_bytes() == data);
}

#[test]
fn the_samples_hold_what_is_to_be_dropped() {
    let exif = exif(1);
    assert!(exif.windows(12).any(|window| window == b"SECRET-PLACE"));
}
