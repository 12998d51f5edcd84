//! POST /users/{id}/photo: what is kept of an image, and what is refused.

use std::collections::HashSet;

use image::ImageFormat;
use patrol_tests::{
    Form, Running, Store,
    company::{self, EMPLOYEE, GUARD, NOBODY},
    detail,
    pictures::{FORMATS, ORIENTED, SECRET, UPRIGHT, black, described, look, picture},
    with,
};
use serde_json::{Value, json};

use super::{path, photo_id};

/// The most bytes of a photo.
const LIMIT: usize = 10 * 1024 * 1024;

#[test]
fn the_full_record_is_answered_with_a_new_photo_id_each_time() {
    let running = Running::with([]);
    let before = running.user(GUARD);
    assert_eq!(before["photoId"], Value::Null);
    let mut seen = HashSet::new();
    for (format, _) in FORMATS.into_iter().chain(FORMATS) {
        let record = running.admin.upload(&path(GUARD), &picture(format)).ok();
        let photo = record["photoId"].as_str().expect("an id").to_owned();
        assert_eq!(record, with(before.clone(), json!({ "photoId": photo })));
        assert_eq!(running.user(GUARD), record);
        assert!(seen.insert(photo), "never the same again");
        assert_eq!(running.store.photos().len(), 1, "the old one is gone");
    }
}

#[test]
fn the_format_is_that_of_the_content_whatever_is_said_of_it() {
    let running = Running::with([]);
    for (format, kind) in FORMATS {
        for (name, declared) in [
            ("photo.jpg", "image/jpeg"),
            ("photo.png", "image/png"),
            ("photo.svg", "image/svg+xml"),
            ("../../etc/passwd", "text/html"),
            ("фото \u{202e}.exe", "nonsense"),
        ] {
            let form = Form::default().declared("photo", name, declared, &picture(format));
            let _ = running.admin.form(&path(GUARD), &form).ok();
            let read = running.admin.get(&path(GUARD));
            assert_eq!((read.status, read.header("Content-Type")), (200, Some(kind)));
            assert_eq!(look(&read.body, format), UPRIGHT);
        }
    }
}

#[test]
fn every_orientation_is_turned_upright_and_nothing_but_pixels_survives() {
    let running = Running::with([]);
    for (format, kind) in FORMATS {
        for (orientation, expected) in (1..).zip(&ORIENTED) {
            let sent = described(format, orientation);
            assert!(holds(&sent, SECRET), "the picture of the test tells of the camera");
            let _ = running.admin.upload(&path(GUARD), &sent).ok();
            let kept = running.admin.get(&path(GUARD)).body;
            assert_eq!(look(&kept, format), *expected, "{kind} of orientation {orientation}");
            for trace in [SECRET, b"Exif", b"EXIF", b"eXIf", b"tEXt", b"\x87\xd6\x12\0"] {
                assert!(!holds(&kept, trace), "{kind} still has {trace:?}");
            }
        }
    }
    let files: Vec<u8> =
        running.store.photos().iter().flat_map(|file| std::fs::read(file).unwrap()).collect();
    assert!(!holds(&files, SECRET), "what was sent is not kept anywhere");
}

fn holds(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[test]
fn other_parts_are_not_looked_at() {
    let running = Running::with([]);
    let form = Form::default()
        .field("comment", "x")
        .file("other", b"no picture")
        .file("photo", &picture(ImageFormat::Png))
        .field("more", "");
    let _ = running.admin.form(&path(GUARD), &form).ok();
    assert_eq!(look(&running.admin.get(&path(GUARD)).body, ImageFormat::Png), UPRIGHT);
}

#[test]
fn a_form_without_a_photo_lacks_it() {
    let running = Running::with([]);
    let missing = [detail("validation.notnull.failed", "photo", &[])];
    for form in [
        Form::default(),
        Form::default().field("comment", "x"),
        Form::default().file("Photo", &picture(ImageFormat::Png)),
        Form::default().file("picture", &picture(ImageFormat::Png)),
    ] {
        running.admin.form(&path(GUARD), &form).misunderstood(&missing);
    }
    assert_eq!(running.user(GUARD)["photoId"], Value::Null);
}

#[test]
fn what_is_no_form_is_invalid_input_without_details() {
    let running = Running::with([]);
    let png = picture(ImageFormat::Png);
    let form = Form::default().file("photo", &png);
    // Another Content-Type, a missing one, or one without a boundary.
    for kind in [
        "application/json",
        "image/png",
        "application/octet-stream",
        "application/x-www-form-urlencoded",
        "multipart/mixed; boundary=patrol-7MA4YWxkTrZu0gW",
        "multipart/form-data",
        "multipart/form-data; boundary=",
    ] {
        let api = running.admin.with("Content-Type", kind);
        api.send("POST", &path(GUARD), Some(&form.body())).misunderstood(&[]);
    }
    running.admin.send("POST", &path(GUARD), Some(&png)).misunderstood(&[]);
    // With a Content-Encoding.
    let encoded = running.admin.with("Content-Encoding", "gzip");
    encoded.form(&path(GUARD), &form).misunderstood(&[]);
    // Truncated, or in another form than its Content-Type declares.
    let api = running.admin.with("Content-Type", &form.content_type());
    let whole = form.body();
    for body in [&b""[..], b"x", b"--x--\r\n", &png, &whole[..40], &whole[..whole.len() - 40]] {
        api.send("POST", &path(GUARD), Some(body)).misunderstood(&[]);
    }
    assert_eq!(running.user(GUARD)["photoId"], Value::Null);
    assert!(running.store.photos().is_empty());
}

#[test]
fn ten_mebibytes_pass_and_one_byte_more_is_too_large() {
    let running = Running::with([]);
    let mut large = picture(ImageFormat::Png);
    large.resize(LIMIT, 0);
    let _ = running.admin.upload(&path(GUARD), &large).ok();
    let kept = photo_id(&running, GUARD);
    assert!(running.admin.get(&path(GUARD)).body.len() < 10_000, "no trailing bytes");
    large.push(0);
    let answer = running.admin.upload(&path(GUARD), &large);
    answer.refused(413, "payload.too.large").shows(&[]);
    // Other parts of the form count too.
    let other = Form::default().file("other", &vec![0; 3 * LIMIT]);
    let other = other.file("photo", &picture(ImageFormat::Png));
    let _ = running.admin.form(&path(GUARD), &other).refused(413, "payload.too.large");
    assert_eq!(photo_id(&running, GUARD), kept);
}

#[test]
fn twenty_five_megapixels_pass_and_a_row_more_does_not() {
    let running = Running::with([]);
    let _ = running.admin.upload(&path(GUARD), &black(5000, 5000, ImageFormat::Png)).ok();
    let kept = photo_id(&running, GUARD);
    let more = black(5000, 5001, ImageFormat::Png);
    super::check_unusable(&running.admin.upload(&path(GUARD), &more), "5000 × 5001");
    // Also for a narrow image.
    let narrow = black(20_000, 8, ImageFormat::Jpeg);
    let _ = running.admin.upload(&path(EMPLOYEE), &narrow).ok();
    assert_eq!(photo_id(&running, GUARD), kept);
}

#[test]
fn an_unknown_user_is_not_found_and_a_malformed_id_is_named() {
    let running = Running::with([]);
    let png = picture(ImageFormat::Png);
    running.admin.upload(&path(NOBODY), &png).refused(404, "not.found").shows(&[]);
    // The user is checked before the image.
    running.admin.upload(&path(NOBODY), b"x").refused(404, "not.found").shows(&[]);
    running.admin.form(&path(NOBODY), &Form::default()).refused(404, "not.found").shows(&[]);
    for id in ["abc", "0190a00000017000800000000000000f"] {
        running.admin.upload(&path(id), &png).misunderstood(&[detail(
            "data.type.invalid",
            "id",
            &["UUID"],
        )]);
    }
    // The form is checked before the id, the id before the size, the size before the user.
    let plain = running.admin.with("Content-Type", "image/png");
    plain.send("POST", &path("abc"), Some(&png)).misunderstood(&[]);
    let large = vec![0; LIMIT + 1];
    let _ = running.admin.upload(&path("abc"), &large).refused(400, "input.data.invalid");
    let _ = running.admin.upload(&path(NOBODY), &large).refused(413, "payload.too.large");
    assert!(running.store.photos().is_empty());
}

#[test]
fn bounds_are_settings() {
    let settings = [("PATROL_LIMIT_PHOTO", "10 KiB"), ("PATROL_LIMIT_PIXELS", "2048")];
    let running = Running::set(Store::with(&company::company()), &settings);
    // 64 × 32 pixels.
    let mut png = picture(ImageFormat::Png);
    let _ = running.admin.upload(&path(GUARD), &png).ok();
    let more = black(64, 33, ImageFormat::Png);
    super::check_unusable(&running.admin.upload(&path(GUARD), &more), "64 × 33");
    png.resize(10 * 1024, 0);
    let _ = running.admin.upload(&path(GUARD), &png).ok();
    png.push(0);
    let _ = running.admin.upload(&path(GUARD), &png).refused(413, "payload.too.large");
}

#[test]
fn photos_are_where_they_are_said_to_be() {
    let store = Store::with(&company::company());
    let place = format!("file:{}", store.path("elsewhere/photos").display());
    let running = Running::set(store, &[("PATROL_PHOTOS_URL", &place)]);
    let _ = running.admin.upload(&path(GUARD), &picture(ImageFormat::Png)).ok();
    let photo = running.store.path("elsewhere/photos").join(photo_id(&running, GUARD));
    assert!(photo.is_file(), "{}", photo.display());
    // Photos in memory are lost with the process, which is not an error.
    let Running { server, store, .. } = running;
    drop(server);
    let in_memory = [("PATROL_PHOTOS_URL", "memory:")];
    let running = Running::set(store, &in_memory);
    running.admin.get(&path(GUARD)).refused(404, "not.found").shows(&[]);
    let _ = running.admin.upload(&path(GUARD), &picture(ImageFormat::Jpeg)).ok();
    assert_eq!(look(&running.admin.get(&path(GUARD)).body, ImageFormat::Jpeg), UPRIGHT);
    assert!(running.store.photos().is_empty());
    running.admin.delete(&path(GUARD)).is_bare(204);
    // Invalid places are refused.
    for wrong in ["photos", "ftp://photos", "file:", ""] {
        let mut command = running.store.command(&["check"]);
        let ended = command.env("PATROL_PHOTOS_URL", wrong).output().unwrap();
        let expected = if wrong.is_empty() { 0 } else { 2 };
        assert_eq!(ended.status.code(), Some(expected), "{wrong}: {ended:?}");
    }
}

#[test]
fn a_photo_is_durable() {
    let running = Running::with([]);
    let _ = running.admin.upload(&path(GUARD), &picture(ImageFormat::Jpeg)).ok();
    let before = running.admin.get(&path(GUARD));
    let Running { server, store, .. } = running;
    server.kill();
    let running = Running::on(store);
    let after = running.admin.get(&path(GUARD));
    assert_eq!((after.status, after.etag(), after.body), (200, before.etag(), before.body));
}

#[test]
fn many_uploads_at_once_leave_one_photo_each() {
    let running = Running::with([]);
    let png = picture(ImageFormat::Png);
    let (admin, png) = (&running.admin.patient(), &png);
    std::thread::scope(|scope| {
        for n in 0..24 {
            let user = if n % 2 == 0 { GUARD } else { EMPLOYEE };
            scope.spawn(move || admin.upload(&path(user), png).ok());
        }
    });
    for user in [GUARD, EMPLOYEE] {
        assert_eq!(look(&running.admin.get(&path(user)).body, ImageFormat::Png), UPRIGHT);
    }
    assert_eq!(running.store.photos().len(), 2);
}
