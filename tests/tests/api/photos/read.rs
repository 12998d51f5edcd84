//! GET and DELETE /users/{id}/photo.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use image::ImageFormat;
use patrol_tests::{
    Running,
    company::{EMPLOYEE, GUARD, NOBODY},
    pictures::{FORMATS, picture},
};
use serde_json::{Value, json};

use super::{path, photo_id};

#[test]
fn the_image_is_the_body() {
    let running = Running::with([]);
    for (format, kind) in FORMATS {
        let _ = running.admin.upload(&path(GUARD), &picture(format)).ok();
        let answer = running.admin.get(&path(GUARD));
        assert_eq!(answer.status, 200);
        for (name, value) in [
            ("Content-Type", kind),
            ("Content-Length", &answer.body.len().to_string()),
            ("Cache-Control", "private, no-cache"),
            ("X-Content-Type-Options", "nosniff"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{name} of {kind}");
        }
        assert_eq!(image::guess_format(&answer.body).unwrap(), format);
        let head = running.admin.send("HEAD", &path(GUARD), None);
        assert_eq!((head.status, head.body.len()), (200, 0));
        assert_eq!((head.header("Content-Type"), head.etag()), (Some(kind), answer.etag()));
    }
}

#[test]
fn an_unchanged_photo_is_not_sent_again() {
    let running = Running::with([]);
    let png = picture(ImageFormat::Png);
    let _ = running.admin.upload(&path(GUARD), &png).ok();
    let etag = running.admin.get(&path(GUARD)).etag();
    assert_eq!(running.admin.get(&path(GUARD)).etag(), etag, "the same of the same photo");
    let ask = |known: &str| running.admin.with("If-None-Match", known).get(&path(GUARD));
    for known in [&etag, "*", &format!("\"x\", {etag}"), &format!("W/{etag}")] {
        let answer = ask(known);
        answer.is_bare(304);
        assert_eq!(answer.etag(), etag, "{known}");
        assert_eq!(answer.header("Cache-Control"), Some("private, no-cache"));
    }
    assert_eq!(ask("\"x\"").status, 200);
    // Another upload gives another version, also for the same image.
    let _ = running.admin.upload(&path(GUARD), &png).ok();
    let answer = ask(&etag);
    assert_eq!(answer.status, 200);
    assert_ne!(answer.etag(), etag);
    // A change of the user does not change the photo.
    let etag = answer.etag();
    let change = json!({ "phone": "1" });
    let _ = running.admin.patch(&format!("/users/{GUARD}"), &change).ok();
    ask(&etag).is_bare(304);
}

#[test]
fn a_deleted_photo_is_gone() {
    let running = Running::with([]);
    for user in [GUARD, EMPLOYEE] {
        let _ = running.admin.upload(&path(user), &picture(ImageFormat::WebP)).ok();
    }
    let other = photo_id(&running, EMPLOYEE);
    running.admin.delete(&path(GUARD)).is_bare(204);
    assert_eq!(running.user(GUARD)["photoId"], Value::Null);
    running.admin.get(&path(GUARD)).refused(404, "not.found").shows(&[]);
    running.admin.delete(&path(GUARD)).refused(404, "not.found").shows(&[]);
    assert_eq!(running.store.photos().len(), 1, "the object is gone with it");
    assert_eq!(photo_id(&running, EMPLOYEE), other);
    let _ = running.admin.upload(&path(GUARD), &picture(ImageFormat::Png)).ok();
    assert_eq!(running.admin.get(&path(GUARD)).status, 200);
}

#[test]
fn a_photo_that_is_being_replaced_is_always_there() {
    let running = Running::with([]);
    let png = picture(ImageFormat::Png);
    let _ = running.admin.upload(&path(GUARD), &png).ok();
    let done = AtomicBool::new(false);
    let admin = &running.admin.patient();
    thread::scope(|scope| {
        let (png, done) = (&png, &done);
        let writers: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(move || {
                    for _ in 0..20 {
                        let _ = admin.upload(&path(GUARD), png).ok();
                    }
                })
            })
            .collect();
        for _ in 0..3 {
            scope.spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    let answer = admin.get(&path(GUARD));
                    assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
                    assert_eq!(image::guess_format(&answer.body).unwrap(), ImageFormat::Png);
                }
            });
        }
        let ended: Vec<_> = writers.into_iter().map(thread::ScopedJoinHandle::join).collect();
        done.store(true, Ordering::Relaxed);
        assert!(ended.into_iter().all(|ended| ended.is_ok()));
    });
}

#[test]
fn no_photo_no_user_and_no_id_are_not_found() {
    let running = Running::with([]);
    for id in [GUARD, NOBODY, "abc", "0190a00000017000800000000000000f"] {
        running.admin.get(&path(id)).refused(404, "not.found").shows(&[]);
        running.admin.delete(&path(id)).refused(404, "not.found").shows(&[]);
        let known = running.admin.with("If-None-Match", "*");
        let _ = known.get(&path(id)).refused(404, "not.found");
    }
}

#[test]
fn an_export_names_the_photo_and_does_not_carry_it() {
    let running = Running::with([]);
    let _ = running.admin.upload(&path(GUARD), &picture(ImageFormat::Png)).ok();
    let photo = photo_id(&running, GUARD);
    let exported = running.exported();
    assert!(exported.contains(&format!("\"photoId\":\"{photo}\"")), "{exported}");
    assert!(exported.len() < 100_000, "a picture is in it");
}
