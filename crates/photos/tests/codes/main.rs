//! QR codes in pictures.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::as_conversions)]
#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, clippy::cast_sign_loss)]
#![allow(clippy::cast_possible_wrap)]

mod scene;

use std::time::{Duration, Instant};

use patrol_domain::photo::{ImageError, Images as _};
use patrol_photos::Cleaner;

use crate::scene::{IsDark, Place, Scene};

/// What the label of a point has.
const LABEL: &str = "https://patrol.example.org/guard/scan#PT-0042";

/// A code in the middle of a picture of 640 × 480 pixels.
const MIDDLE: Place =
    Place { at: (320.0, 240.0), side: 300.0, turned: 5.0, tilted: 0.0, ink: (20.0, 235.0) };

/// One code in the middle of a picture.
fn label(place: Place) -> Scene {
    let (dark, light) = place.ink;
    Scene::new(640, 480, f32::midpoint(dark, light)).code(LABEL.as_bytes(), place)
}

/// `rows` × `columns` codes with the texts `PT-0`, `PT-1`, ….
fn several(columns: usize, rows: usize) -> (Scene, Vec<String>) {
    let texts: Vec<_> = (0..columns * rows).map(|number| format!("PT-{number}")).collect();
    let scene = Scene::new(columns as u32 * 260, rows as u32 * 260, 160.0);
    let scene = texts.iter().enumerate().fold(scene, |scene, (number, text)| {
        let (column, row) = (number % columns, number / columns);
        let at = (column as f32 * 260.0 + 130.0, row as f32 * 260.0 + 130.0);
        let turned = number as f32 * 4.0;
        scene.code(text.as_bytes(), Place { at, side: 180.0, turned, ..MIDDLE })
    });
    (scene, texts)
}

/// Pictures as a guard's phone takes them, each with its name and the codes in it.
fn pictures() -> Vec<(String, Scene, Vec<String>)> {
    let mut pictures = Vec::new();
    let mut add = |name: String, scene: Scene| {
        pictures.push((name, scene, vec![LABEL.to_owned()]));
    };
    for turned in [0.0, 10.0, 20.0, 30.0, 45.0, 60.0, 90.0, 135.0, 180.0, 300.0] {
        add(format!("turned by {turned}"), label(Place { turned, ..MIDDLE }));
    }
    for side in [80.0, 100.0, 120.0, 150.0, 200.0, 450.0] {
        add(format!("of {side} pixels"), label(Place { side, ..MIDDLE }));
    }
    for ink in [(5.0, 60.0), (2.0, 30.0), (40.0, 90.0), (120.0, 200.0)] {
        add(format!("dark: {ink:?}"), label(Place { ink, ..MIDDLE }).noisy(3.0));
    }
    for reach in [1, 2, 3] {
        add(format!("blurred by {reach}"), label(MIDDLE).blurred(reach));
    }
    for tilted in [0.2, 0.4, 0.6, 0.8] {
        add(format!("tilted by {tilted}"), label(Place { tilted, turned: 12.0, ..MIDDLE }));
    }
    for noise in [20.0, 40.0, 60.0, 90.0] {
        add(format!("noise of {noise}"), label(MIDDLE).noisy(noise));
    }
    for tilted in [0.0, 0.3] {
        add(format!("in a shadow, tilted by {tilted}"), label(Place { tilted, ..MIDDLE }).shaded());
    }
    let all = Place { side: 200.0, turned: 20.0, tilted: 0.3, ink: (40.0, 160.0), ..MIDDLE };
    add("all at once".to_owned(), label(all).blurred(1).noisy(15.0));
    for (columns, rows) in [(2, 1), (3, 2), (3, 3)] {
        let (scene, texts) = several(columns, rows);
        pictures.push((format!("{columns} × {rows} codes"), scene, texts));
    }
    pictures.push(("none".to_owned(), Scene::new(640, 480, 160.0), Vec::new()));
    pictures.push((
        "nothing but noise".to_owned(),
        Scene::new(640, 480, 128.0).noisy(150.0),
        Vec::new(),
    ));
    let far = Scene::new(1600, 1200, 160.0);
    let far = far.code(LABEL.as_bytes(), Place { at: (1100.0, 600.0), side: 260.0, ..MIDDLE });
    pictures.push(("far away".to_owned(), far.noisy(30.0), vec![LABEL.to_owned()]));
    pictures
}

async fn codes(file: Vec<u8>) -> Result<Vec<String>, ImageError> {
    Cleaner::new(50_000_000).codes(file).await
}

/// The share that `docs/adr/0045-qr-codes-in-pictures.md` names.
#[tokio::test]
async fn nearly_all_codes_that_a_phone_sees_are_read() {
    let pictures = pictures();
    assert_eq!(pictures.len(), 40);
    let mut unread = Vec::new();
    for (number, (name, scene, expected)) in pictures.into_iter().enumerate() {
        let file = match number % 3 {
            0 => scene.jpeg(),
            1 => scene.webp(),
            _ => scene.png(),
        };
        let mut found = codes(file).await.unwrap();
        found.sort();
        // Nothing is read that is not there.
        assert!(found.iter().all(|code| expected.contains(code)), "{name}: {found:?}");
        if found != expected {
            unread.push(name);
        }
    }
    assert_eq!(unread, ["of 80 pixels", "blurred by 3", "3 × 3 codes"], "37 of 40 are read");
}

#[tokio::test]
async fn a_code_may_hold_any_text() {
    let place = Place { at: (900.0, 900.0), side: 1600.0, turned: 0.0, ..MIDDLE };
    let hostile = "</script><img src=x onerror=alert(1)>\u{0}\r\n\u{202e}'\"`${7*7} я 🦀";
    for text in [hostile.to_owned(), "7".repeat(4000), "Пост ".repeat(200), "x".repeat(2900)] {
        let file = Scene::new(1800, 1800, 160.0).long_code(text.as_bytes(), place).png();
        assert_eq!(codes(file).await.unwrap(), [text]);
    }
    let latin = Scene::new(640, 480, 160.0).code(b"Stra\xdfe 1", MIDDLE).png();
    assert_eq!(codes(latin).await.unwrap(), ["Straße 1"]);
    assert_eq!(codes(label(MIDDLE).transparent_png()).await.unwrap(), [LABEL]);
    let twice = Scene::new(1000, 480, 160.0).code(b"A", MIDDLE);
    let twice = twice.code(b"A", Place { at: (700.0, 240.0), ..MIDDLE }).png();
    assert_eq!(codes(twice).await.unwrap(), ["A"], "each text once");
}

#[tokio::test]
async fn a_file_that_is_no_picture_of_four_megapixels_at_most_is_refused() {
    assert_eq!(codes(Scene::new(2000, 2000, 160.0).png()).await, Ok(Vec::new()));
    let jpeg = label(MIDDLE).jpeg();
    for file in [
        Vec::new(),
        b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>".to_vec(),
        b"GIF89a\x01\x00\x01\x00\x00\x00\x00;".to_vec(),
        jpeg[..jpeg.len() / 2].to_vec(),
        Scene::new(2000, 2001, 160.0).png(),
        Scene::new(1, 4_000_000, 160.0).png(),
    ] {
        assert_eq!(codes(file).await, Err(ImageError::Unusable));
    }
}

/// A picture that is made to keep the reader busy takes little longer than others.
#[tokio::test]
async fn no_picture_keeps_the_reader_busy() {
    let patterns: [(&str, IsDark); 5] = [
        ("finder patterns", |x, y| {
            let (x, y) = (x % 9, y % 9);
            let ring = x.max(y) < 7 && (x == 0 || y == 0 || x == 6 || y == 6);
            ring || ((2..5).contains(&x) && (2..5).contains(&y))
        }),
        ("stripes", |x, _| [0, 2, 3, 4, 6].contains(&(x % 9))),
        ("plaid", |x, y| [x % 9, y % 9].iter().any(|at| [0, 2, 3, 4, 6].contains(at))),
        ("a board", |x, y| (x + y) % 2 == 0),
        ("noise", |x, y| {
            x.wrapping_mul(2_654_435_761).wrapping_add(y.wrapping_mul(40_503) ^ (x * y)) % 7 < 3
        }),
    ];
    for (name, is_dark) in patterns {
        let file = Scene::drawn(2000, 2000, is_dark).png();
        let began = Instant::now();
        assert!(codes(file).await.is_ok());
        let took = began.elapsed();
        assert!(took < Duration::from_secs(10), "{name}: {took:?}");
    }
}
