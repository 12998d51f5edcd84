//! `/guard/codes`.

use image::{DynamicImage, GrayImage, ImageFormat, Luma};
use patrol_tests::{Answer, Api};
use qrcodegen::{QrCode, QrCodeEcc};
use serde_json::json;

use super::{PASSWORD, api::Session, browser, running};

/// A PNG of a code, 8 pixels a field, in a picture of this size at least.
fn png(text: &str, size: u32) -> Vec<u8> {
    let code = QrCode::encode_text(text, QrCodeEcc::Low).expect("a code");
    let side = u32::try_from(code.size()).expect("a width");
    let side_with_margin = 8 * (side + 8);
    let picture =
        GrayImage::from_fn(size.max(side_with_margin), size.max(side_with_margin), |x, y| {
            let field = |at: u32| (at / 8).checked_sub(4).filter(|at| *at < side);
            let is_dark = field(x).zip(field(y)).is_some_and(|(x, y)| {
                let at = |at| i32::try_from(at).expect("a place");
                code.get_module(at(x), at(y))
            });
            Luma([if is_dark { 0 } else { 255 }])
        });
    let mut file = std::io::Cursor::new(Vec::new());
    DynamicImage::from(picture).write_to(&mut file, ImageFormat::Png).expect("a file");
    file.into_inner()
}

fn read(api: &Api, picture: &[u8]) -> Answer {
    api.post_outside("/guard/codes", picture)
}

#[test]
fn the_codes_in_a_picture_are_read() {
    let running = running();
    let api = Session::of(&running, &browser(&running).signed_in("E1", PASSWORD)).api();
    for text in ["https://patrol.example.org/guard/scan#PT-1", "<b>Ж</b>\"\u{1}", &"7".repeat(4000)]
    {
        let answer = read(&api, &png(text, 0));
        assert_eq!(answer.header("Cache-Control"), Some("no-store"));
        assert_eq!(answer.ok(), json!({ "codes": [text] }));
    }
    let mut none = std::io::Cursor::new(Vec::new());
    DynamicImage::from(GrayImage::new(640, 480))
        .write_to(&mut none, ImageFormat::Png)
        .expect("a file");
    assert_eq!(read(&api, &none.into_inner()).ok(), json!({ "codes": [] }));
}

#[test]
fn other_files_are_refused() {
    let running = running();
    let api = Session::of(&running, &browser(&running).signed_in("E1", PASSWORD)).api();
    let mut long = png("A", 0);
    long.resize((1 << 20) + 1, 0);
    read(&api, &long).refused(413, "payload.too.large").shows(&[]);
    long.truncate(1 << 20);
    assert_eq!(read(&api, &long).ok(), json!({ "codes": ["A"] }), "1 MiB is taken");
    for bad in [&b""[..], b"<svg/>", b"GIF89a", &png("A", 0)[..100], &png("A", 2001)] {
        read(&api, bad).refused(400, "validation.image.failed").shows(&[]);
    }
}

#[test]
fn only_a_page_of_the_site_may_ask() {
    let running = running();
    let session = Session::of(&running, &browser(&running).signed_in("E1", PASSWORD));
    let picture = png("A", 0);
    let refused = |api: &Api, status, code| read(api, &picture).refused(status, code).shows(&[]);
    refused(&session.with_cookie(), 401, "unauthorized");
    refused(&running.admin, 401, "unauthorized");
    refused(&session.with_cookie().with("Patrol-CSRF", "x"), 403, "access.denied");
    refused(&session.api().with("Origin", "https://example.org"), 403, "access.denied");
    refused(&session.api().with("Sec-Fetch-Site", "none"), 403, "access.denied");
    let answer = session.api().outside("/guard/codes");
    assert_eq!(answer.header("Allow"), Some("POST"));
    answer.refused(405, "method.not.allowed").shows(&[]);
}
