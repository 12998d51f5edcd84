//! The memory that concurrent images take. A test program of its own, because it measures the
//! process.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use image::{ExtendedColorType, ImageEncoder, codecs::webp::WebPEncoder};
use patrol_domain::photo::Images;
use patrol_photos::Cleaner;
use png::{BitDepth, ColorType, Encoder};

/// The peak memory of the process, in MB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse::<u64>().unwrap() * 1024 / 1_000_000
}

/// Images of the greatest size, of a few KB each.
fn bombs() -> Vec<Vec<u8>> {
    let row = vec![0; 5000 * 5000];
    let mut png = Vec::new();
    let mut encoder = Encoder::new(&mut png, 5000, 5000);
    encoder.set_color(ColorType::Grayscale);
    encoder.set_depth(BitDepth::Eight);
    encoder.write_header().unwrap().write_image_data(&row).unwrap();
    let mut webp = Vec::new();
    WebPEncoder::new_lossless(&mut webp)
        .write_image(&row, 5000, 5000, ExtendedColorType::L8)
        .unwrap();
    vec![png, webp]
}

#[tokio::test]
async fn bombs_that_are_sent_at_once_take_little() {
    let bombs = bombs();
    let cleaner = Cleaner::new(25_000_000);
    let before = peak();
    let all = (0..3).flat_map(|_| &bombs).map(|bomb| cleaner.clean(bomb.clone()));
    for done in futures_util::future::join_all(all).await {
        done.unwrap();
    }
    // The peak before includes the memory that created the images.
    assert!(peak() < before.max(30) + 200, "{} MB, {before} before", peak());
}
