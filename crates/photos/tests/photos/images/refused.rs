//! Images that are refused.

use std::time::{Duration, Instant};

use patrol_domain::photo::{ImageError, ImageFormat, Images};
use patrol_photos::Cleaner;
use png::{BitDepth, ColorType};

use crate::images::sample::{
    PIXELS, clean, each, extended, jpeg, png, png_of, riff, webp, with_chunk, with_segment,
};

/// The aim is a tenth of a second; a busy machine needs longer.
const AT_ONCE: Duration = Duration::from_secs(15);

async fn assert_refused(what: &str, bytes: Vec<u8>) {
    let (cleaner, start) = (Cleaner::new(PIXELS), Instant::now());
    let done = cleaner.clean(bytes).await;
    assert!(matches!(done, Err(ImageError::Unusable)), "{what} is not refused");
    assert!(start.elapsed() < AT_ONCE, "{what} took {:?}", start.elapsed());
}

#[tokio::test]
async fn what_is_no_picture_of_the_three_formats() {
    let noise: Vec<u8> = (0..100_000u32).map(|at| at.wrapping_mul(2_654_435_761) as u8).collect();
    for (what, bytes) in [
        ("nothing", &b""[..]),
        ("a byte", b"\xff"),
        ("noise", &noise),
        ("SVG", b"<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'/>"),
        ("HTML", b"<html><body>\xff\xd8\xff"),
        ("GIF", b"GIF89a\x01\0\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;"),
        ("BMP", b"BM:\0\0\0\0\0\0\x006\0\0\0(\0\0\0\x01\0\0\0\x01\0\0\0\x01\0\x18\0\0\0\0\0"),
        ("TIFF", b"II*\0\x08\0\0\0\0\0\0\0\0\0"),
        ("ZIP", b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
        ("PDF", b"%PDF-1.7\n\xff\xd8\xff"),
        ("WAVE", b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0"),
        ("AVIF", b"\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf"),
    ] {
        assert_refused(what, bytes.to_vec()).await;
    }
}

#[tokio::test]
async fn more_pixels_than_allowed_before_any_is_decoded() {
    let mut huge_jpeg = jpeg(8, 8);
    let frame = huge_jpeg.windows(2).position(|window| window == [0xff, 0xc0]).unwrap();
    huge_jpeg[frame + 5..frame + 9].fill(0xff);
    assert_refused("JPEG", huge_jpeg).await;
    let mut huge_png = png(8, 8);
    huge_png[16..24].copy_from_slice(&[0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff]);
    assert_refused("PNG", huge_png).await;
    let mut greatest_png = png(8, 8);
    greatest_png[16..24].fill(0xff);
    assert_refused("PNG of any size", greatest_png).await;
    let mut huge_webp = webp(8, 8);
    // The simple form has 14 bits for each side.
    huge_webp[21..25].copy_from_slice(&0x0fff_ffffu32.to_le_bytes());
    assert_refused("WebP", huge_webp).await;
    assert_refused("extended WebP", extended(&webp(8, 8), (65_535, 65_535), 0, &[])).await;
    let row = vec![0; 5000 * 5001];
    let over = png_of(5000, 5001, ColorType::Grayscale, BitDepth::Eight, &row);
    assert_refused("a row too many", over).await;
    let long = vec![0; 65_536];
    for (width, height) in [(65_536, 1), (1, 65_536)] {
        let long = png_of(width, height, ColorType::Grayscale, BitDepth::Eight, &long);
        assert_refused("a side too long", long).await;
    }
    let cleaner = Cleaner::new(1199);
    for (format, bytes) in each(40, 30) {
        assert!(cleaner.clean(bytes).await.is_err(), "{format:?}");
    }
}

#[tokio::test]
async fn a_size_of_nothing_and_sizes_that_differ() {
    let mut flat = jpeg(8, 8);
    let frame = flat.windows(2).position(|window| window == [0xff, 0xc0]).unwrap();
    flat[frame + 5..frame + 7].fill(0);
    assert_refused("JPEG without height", flat).await;
    let mut flat = png(8, 8);
    flat[20..24].fill(0);
    assert_refused("PNG without height", flat).await;
    assert_refused("WebP with two sizes", extended(&webp(8, 8), (9, 8), 0, &[])).await;
    let header = png(3, 3)[16..29].to_vec();
    assert_refused("PNG with two headers", with_chunk(&png(8, 8), b"IHDR", &header)).await;
    let frame = [8, 0xff, 0xff, 0xff, 0xff, 1, 1, 0x11, 0];
    assert_refused("JPEG with two frames", with_segment(&jpeg(8, 8), 0xc0, &frame)).await;
}

#[tokio::test]
async fn a_picture_that_is_cut_off_anywhere() {
    for (format, bytes) in each(24, 16) {
        for length in 0..bytes.len() {
            let done = clean(bytes[..length].to_vec()).await;
            assert!(done.is_err(), "{format:?} cut to {length} of {}", bytes.len());
        }
    }
    for bytes in [
        &include_bytes!("../../files/progressive.jpg")[..],
        include_bytes!("../../files/restarts.jpg"),
        include_bytes!("../../files/cmyk.jpg"),
        include_bytes!("../../files/lossy.webp"),
        include_bytes!("../../files/alpha.webp"),
        include_bytes!("../../files/palette.png"),
    ] {
        for length in 0..bytes.len() {
            assert!(clean(bytes[..length].to_vec()).await.is_err(), "{length} of {}", bytes.len());
        }
    }
}

/// The container is complete, the image in it is not.
#[tokio::test]
async fn a_picture_that_is_cut_off_and_closed_again() {
    let whole = jpeg(160, 160);
    let scan = whole.windows(2).position(|window| window == [0xff, 0xda]).unwrap() + 14;
    for part in 1..8 {
        let cut = scan + (whole.len() - scan) * part / 10;
        let closed = [&whole[..cut], &[0xff, 0xd9]].concat();
        assert_refused(&format!("{part} tenths of a JPEG"), closed).await;
    }
    let progressive = include_bytes!("../../files/progressive.jpg");
    let closed = [&progressive[..progressive.len() - 20], &[0xff, 0xd9]].concat();
    assert_refused("the last scan of a JPEG", closed).await;

    let whole = png(160, 160);
    let end = whole.len() - 12;
    let length = u32::from_be_bytes(whole[33..37].try_into().unwrap());
    let shorter = [&whole[..33], &(length - 9).to_be_bytes(), &whole[37..end - 9]].concat();
    assert_refused("a shorter PNG", [&shorter, &whole[end..]].concat()).await;
    assert_refused("a PNG without pixels", [&whole[..33], &whole[end..]].concat()).await;

    let whole = webp(160, 160);
    let half = riff(b"VP8L", &whole[20..20 + (whole.len() - 20) / 2]);
    let size = u32::try_from(half.len() + 4).unwrap().to_le_bytes();
    assert_refused("half a WebP", [b"RIFF", &size[..], b"WEBP", &half].concat()).await;
}

#[tokio::test]
async fn what_moves() {
    for (what, bytes) in [
        ("animated WebP", &include_bytes!("../../files/animated.webp")[..]),
        ("animated PNG", include_bytes!("../../files/animated.png")),
    ] {
        assert_refused(what, bytes.to_vec()).await;
    }
    assert_refused("PNG with acTL", with_chunk(&png(8, 8), b"acTL", &[0, 0, 0, 1, 0, 0, 0, 0]))
        .await;
    assert_refused("WebP with the flag", extended(&webp(8, 8), (8, 8), 1 << 1, &[])).await;
    let frame = riff(b"ANMF", &[0; 24]);
    assert_refused("WebP with a frame", extended(&webp(8, 8), (8, 8), 0, &frame)).await;
}

#[tokio::test]
async fn lengths_that_lie() {
    for length in [0x7fff_ffffu32, 0xffff_ffff, 0x8000_0000] {
        for kind in [b"IDAT", b"iCCP", b"zTXt"] {
            let mut bytes = with_chunk(&png(8, 8), kind, b"x");
            bytes[33..37].copy_from_slice(&length.to_be_bytes());
            assert_refused("a chunk of a PNG", bytes).await;
        }
        for at in [4, 16] {
            let mut bytes = webp(8, 8);
            bytes[at..at + 4].copy_from_slice(&length.to_le_bytes());
            assert_refused("a chunk of a WebP", bytes).await;
        }
    }
    for length in [0u16, 1, 0xffff] {
        let mut bytes = with_segment(&jpeg(8, 8), 0xe1, b"x");
        bytes[4..6].copy_from_slice(&length.to_be_bytes());
        assert_refused("a segment of a JPEG", bytes).await;
    }
}

/// Memory stays reserved until the work is done, and only a few images may wait for it.
#[tokio::test]
async fn more_at_once_than_there_is_room_for_is_busy() {
    let cleaner = Cleaner::new(PIXELS);
    // Comments make an image of few pixels take much memory while it waits.
    let mut large = jpeg(64, 64);
    for _ in 0..150 {
        large = with_segment(&large, 0xfe, &[0; 60_000]);
    }
    let all = (0..16).map(|_| cleaner.clean(large.clone()));
    let done = futures_util::future::join_all(all).await;
    let busy = done.iter().filter(|done| matches!(done, Err(ImageError::Busy(_)))).count();
    let kept = done.iter().filter(|done| done.is_ok()).count();
    assert!(busy > 0 && kept > 0 && busy + kept == done.len(), "{busy} busy, {kept} kept");
    assert_eq!(cleaner.clean(large).await.unwrap().photo.format, ImageFormat::Jpeg);
}
