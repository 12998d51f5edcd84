//! GET of the QR code of a point. Tests of `crates/lib/label` read the code in the picture.

use patrol_tests::{
    Running, Store,
    company::{EMPLOYEE, GATE, MANAGER, NOBODY, PIER, company},
    detail, with,
};
use serde_json::json;

use super::{path, small};

const PUBLIC: (&str, &str) = ("PATROL_PUBLIC_URL", "https://patrol.example.org");

fn label(point: &str) -> String {
    format!("{}/label", path(point))
}

#[test]
fn every_role_reads_the_picture_of_a_code() {
    let running = Running::set(Store::with(&company()), &[PUBLIC]);
    let change = |code| running.admin.put(&path(GATE), &with(small(), json!({ "qrCode": code })));
    let _ = change("GATE-1").ok();
    let picture = running.admin.get(&label(GATE));
    assert_eq!(picture.status, 200);
    let svg = picture.text();
    assert!(
        svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\"") && svg.ends_with("</svg>")
    );
    for (name, value) in [
        ("Content-Type", "image/svg+xml"),
        ("Content-Security-Policy", "default-src 'none'; sandbox"),
        ("X-Content-Type-Options", "nosniff"),
        ("Cache-Control", "private, no-cache"),
    ] {
        assert_eq!(picture.header(name), Some(value), "{name}");
    }
    for user in [MANAGER, EMPLOYEE] {
        let api = running.api(user);
        assert_eq!(api.get(&label(GATE)).body, picture.body);
        api.with("If-None-Match", &picture.etag()).get(&label(GATE)).is_bare(304);
        let head = api.send("HEAD", &label(GATE), None);
        assert_eq!((head.status, head.body.len()), (200, 0));
    }
    let _ = change("GATE-2").ok();
    let other = running.admin.with("If-None-Match", &picture.etag()).get(&label(GATE));
    assert!(other.status == 200 && other.body != picture.body && other.etag() != picture.etag());
}

#[test]
fn a_point_without_a_picture_says_so() {
    let running = Running::set(Store::with(&company()), &[PUBLIC]);
    for point in [PIER, NOBODY] {
        running.admin.get(&label(point)).refused(404, "not.found").shows(&[]);
    }
    let malformed = detail("data.type.invalid", "id", &["UUID"]);
    running.admin.get(&label("x")).refused(400, "input.data.invalid").shows(&[malformed]);
    // 12 bytes each, percent-encoded.
    let code = "🚪".repeat(255);
    let _ = running.admin.put(&path(PIER), &with(small(), json!({ "qrCode": code }))).ok();
    let too_long = detail("validation.length.failed", "qrCode", &["1", "2293"]);
    running.admin.get(&label(PIER)).refused(400, "validation.failed").shows(&[too_long]);
}
