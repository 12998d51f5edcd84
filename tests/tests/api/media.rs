//! Media: photos, recordings and documents that reports name.

use std::fs;

use patrol_tests::{
    Answer, Api, Form, Running, Store,
    company::{EMPLOYEE, GUARD, NOBODY, company},
    detail, execution_id, planned,
    round::eventually,
};
use serde_json::{Value, json};

const ID: &str = "0190a000-000e-7000-8000-000000000001";
/// The SHA-256 digest of [`photo`].
const DIGEST: &str = "864be5a1dd7570cd4d00174b1e9054fe9f770f75e42dddf7943edd1f1816ac59";

/// A file that begins like a JPEG.
fn photo() -> Vec<u8> {
    [b"\xff\xd8\xff\xe0".as_slice(), &(0..=255).cycle().take(200_000).collect::<Vec<u8>>()].concat()
}

fn send(api: &Api, id: &str, content: &[u8]) -> Answer {
    api.form("/media", &Form::default().file("file", content).field("id", id))
}

fn file(id: &str) -> String {
    format!("/media/{id}/file")
}

#[test]
fn a_medium_is_kept_byte_for_byte() {
    let running = Running::with([]);
    let guard = running.api(GUARD);
    let sent = send(&guard, ID, &photo());
    let record = sent.json(201);
    let expected = json!({
        "id": ID, "contentType": "image/jpeg", "size": 200_004, "sha256": DIGEST,
        "createdAt": record["createdAt"], "userId": GUARD,
    });
    assert_eq!(record, expected);
    assert_eq!(sent.header("Location"), Some(format!("/v1/media/{ID}").as_str()));
    let employee = running.api(EMPLOYEE);
    let read = employee.get(&format!("/media/{ID}"));
    assert_eq!(read.ok(), record);
    employee.with("If-None-Match", &read.etag()).get(&format!("/media/{ID}")).is_bare(304);
    let whole = employee.get(&file(ID));
    assert_eq!(whole.status, 200);
    assert!(whole.body == photo());
    assert_eq!(whole.etag(), format!("\"{DIGEST}\""));
    for (name, value) in [
        ("Content-Type", "image/jpeg"),
        ("Content-Length", "200004"),
        ("Content-Disposition", format!("attachment; filename=\"{ID}.jpg\"").as_str()),
        ("Content-Security-Policy", "default-src 'none'; sandbox"),
        ("X-Content-Type-Options", "nosniff"),
        ("Accept-Ranges", "bytes"),
        ("Cache-Control", "private, no-cache"),
    ] {
        assert_eq!(whole.header(name), Some(value), "{name}");
    }
    employee.with("If-None-Match", &whole.etag()).get(&file(ID)).is_bare(304);
    let head = employee.send("HEAD", &file(ID), None);
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(head.header("Content-Length"), Some("200004"));
    assert_eq!(running.store.photos().len(), 1);
    let events = employee.get(&format!("/media/{ID}/events")).ok();
    assert_eq!(events["data"][0]["type"], "media.created");
    assert_eq!(events["data"][0]["actorId"], GUARD);
    for unknown in [format!("/media/{NOBODY}"), file(NOBODY), format!("/media/{NOBODY}/events")] {
        guard.get(&unknown).refused(404, "not.found").shows(&[]);
    }
}

#[test]
fn a_medium_is_sent_again_without_harm() {
    let running = Running::with([]);
    let guard = running.api(GUARD);
    let record = send(&guard, ID, &photo()).json(201);
    assert_eq!(send(&guard, ID, &photo()).json(200), record);
    assert_eq!(send(&running.admin, ID, &photo()).json(200), record);
    let other = [photo(), vec![0]].concat();
    send(&guard, ID, &other).refused(409, "resource.in.use").shows(&[]);
    assert_eq!(running.store.photos().len(), 1);
    let keyed = guard.with("Idempotency-Key", "one");
    let form = Form::default().file("file", &photo());
    let first = keyed.form("/media", &form);
    let again = keyed.form("/media", &form);
    assert_eq!(first.json(201), again.json(201));
    assert_eq!(again.header("Idempotency-Replayed"), Some("true"));
    keyed
        .form("/media", &Form::default().file("file", &other))
        .refused(422, "idempotency.key.reused")
        .shows(&[]);
    assert_eq!(running.store.photos().len(), 2);
}

#[test]
fn a_lost_file_comes_back_when_it_is_sent_again() {
    let running = Running::with([]);
    let api = &running.admin;
    let record = send(api, ID, &photo()).json(201);
    let stored = running.store.photos();
    fs::remove_file(&stored[0]).expect("a lost file");
    api.get(&file(ID)).refused(404, "not.found").shows(&[]);
    assert_eq!(send(api, ID, &photo()).json(200), record);
    assert!(api.get(&file(ID)).body == photo());
    assert_eq!(running.store.photos(), stored);
}

#[test]
fn of_many_that_send_a_medium_at_once_one_stores_it() {
    let running = Running::with([]);
    let api = &running.admin;
    let mut statuses: Vec<_> = std::thread::scope(|scope| {
        let senders: Vec<_> =
            (0..8).map(|_| scope.spawn(|| send(api, ID, &photo()).status)).collect();
        senders.into_iter().map(|sender| sender.join().expect("an answer")).collect()
    });
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 200, 200, 200, 200, 200, 200, 201]);
    assert_eq!(running.store.photos().len(), 1);
}

#[test]
fn one_range_of_a_file_is_answered_with_a_part() {
    let running = Running::with([]);
    let api = &running.admin;
    let _ = send(api, ID, &photo()).json(201);
    for (range, start, end) in [
        ("bytes=0-0", 0, 1),
        ("bytes=1000-1999", 1_000, 2_000),
        ("bytes=200000-", 200_000, 200_004),
        ("bytes=-5", 199_999, 200_004),
        ("bytes=0-999999999", 0, 200_004),
    ] {
        let part = api.with("Range", range).get(&file(ID));
        assert_eq!(part.status, 206, "{range}");
        assert!(part.body == photo()[start..end], "{range}");
        let expected = format!("bytes {start}-{}/200004", end - 1);
        assert_eq!(part.header("Content-Range"), Some(expected.as_str()));
        let same = api.with("Range", range).with("If-Range", &part.etag()).get(&file(ID));
        assert_eq!(same.status, 206, "{range}");
        let changed = api.with("Range", range).with("If-Range", "\"other\"").get(&file(ID));
        assert_eq!((changed.status, changed.body.len()), (200, 200_004), "{range}");
    }
    for whole in ["bytes=0-1,5-6", "bytes=5-2,0-1", "lines=0-1", "bytes=9-1", "bytes", "bytes=x"] {
        let answer = api.with("Range", whole).get(&file(ID));
        assert_eq!((answer.status, answer.body.len()), (200, 200_004), "{whole}");
    }
    let lines = api.with("Range", "bytes=0-1").with("Range", "bytes=5-6").get(&file(ID));
    assert_eq!((lines.status, lines.body.len()), (200, 200_004));
    for none in ["bytes=200004-", "bytes=-0"] {
        let answer = api.with("Range", none).get(&file(ID));
        assert_eq!(answer.header("Content-Range"), Some("bytes */200004"), "{none}");
        answer.refused(416, "range.not.satisfiable").shows(&[]);
    }
}

#[test]
fn only_known_kinds_are_stored_whatever_they_claim() {
    let running = Running::with([]);
    let api = &running.admin;
    let container =
        |brand: &str| [b"\0\0\0\x18ftyp", brand.as_bytes(), b"\0\0\0\0mp42isom"].concat();
    for (content, kind) in [
        (photo(), "image/jpeg"),
        (b"\x89PNG\r\n\x1a\n".to_vec(), "image/png"),
        (b"RIFF\x04\0\0\0WEBP".to_vec(), "image/webp"),
        (container("heic"), "image/heic"),
        (container("mp42"), "video/mp4"),
        (container("M4A "), "audio/mp4"),
        (b"ID3\x04\0\0".to_vec(), "audio/mpeg"),
        (b"\xff\xfb\x90\x64".to_vec(), "audio/mpeg"),
        (b"%PDF-1.7\n".to_vec(), "application/pdf"),
    ] {
        let form = Form::default().declared("file", "a.html", "text/html", &content);
        assert_eq!(api.form("/media", &form).json(201)["contentType"], kind);
    }
    let stored = running.store.photos().len();
    for content in [
        "<!doctype html><script>alert(1)</script>",
        "<script>WEBP</script>",
        "<svg xmlns=\"http://www.w3.org/2000/svg\"/>",
        "GIF89a",
        "\u{feff}%PDF-",
        "",
    ] {
        let form = Form::default().declared("file", "a.jpg", "image/jpeg", content.as_bytes());
        let refused = api.form("/media", &form);
        refused.misunderstood(&[detail("validation.media.failed", "file", &[])]);
    }
    for content in [
        container("avif")[..16].to_vec(),
        b"\xff\xf1\x50\x80".to_vec(),
        b"RIFF\x04\0\0\0WAVE".to_vec(),
    ] {
        let refused = api.form("/media", &Form::default().file("file", &content));
        refused.misunderstood(&[detail("validation.media.failed", "file", &[])]);
    }
    assert_eq!(running.store.photos().len(), stored);
}

#[test]
fn a_wrong_form_stores_nothing() {
    let running = Running::set(Store::with(&company()), &[("PATROL_MEDIA_LIMIT", "100000")]);
    let api = &running.admin;
    let form = |form: Form| api.form("/media", &form);
    form(Form::default()).misunderstood(&[detail("validation.notnull.failed", "file", &[])]);
    let small = b"%PDF-1.7".as_slice();
    for id in ["x", "", &"0".repeat(1_000)] {
        let refused = form(Form::default().file("file", small).field("id", id));
        refused.misunderstood(&[detail("data.type.invalid", "id", &["UUID"])]);
    }
    let twice = form(Form::default().file("file", small).file("file", small));
    twice.misunderstood(&[detail("validation.unique.failed", "file", &[])]);
    for length in [100_001, 300_000] {
        let large = [small, &vec![b' '; length - small.len()]].concat();
        let _ = form(Form::default().file("file", &large)).refused(413, "payload.too.large");
    }
    let largest = [small, &vec![b' '; 100_000 - small.len()]].concat();
    assert_eq!(form(Form::default().file("file", &largest)).json(201)["size"], 100_000);
    let _ = api.text("POST", "/media", "{}").refused(400, "input.data.invalid");
    assert_eq!(running.store.photos().len(), 1);
}

#[test]
fn a_report_names_media() {
    let running = Running::with([planned(1)]);
    let guard = running.api(GUARD);
    let _ = send(&guard, ID, &photo()).json(201);
    let path = format!("/task-executions/{}/reports", execution_id(1));
    let note = |n: u32, media: Value| {
        let id = format!("0190a000-000c-7000-8000-{n:012x}");
        json!([{ "id": id, "type": "NOTE", "at": "2026-01-31T08:01:00Z", "mediaIds": media }])
    };
    guard.post(&path, &note(1, json!([ID, NOBODY]))).invalid(&[detail(
        "validation.reference.failed",
        "[0].mediaIds[1]",
        &[],
    )]);
    let many: Vec<_> = (0..101).map(|_| ID).collect();
    guard.post(&path, &note(1, json!(many))).invalid(&[detail(
        "validation.length.failed",
        "[0].mediaIds",
        &["0", "100"],
    )]);
    assert_eq!(guard.post(&path, &note(1, json!([ID]))).ok()["entries"][0]["outcome"], "ACCEPTED");
    assert_eq!(running.admin.get(&path).ok()["data"][0]["mediaIds"], json!([ID]));
    let events = running.admin.get("/events?type=taskExecution.reported").ok();
    let entry = &events["data"][0]["changes"][0]["after"];
    assert_eq!(entry["media"], json!([{ "id": ID, "sha256": DIGEST }]));
    assert_eq!(entry["mediaIds"], Value::Null);
}

/// The job that removes media runs when a server starts and an hour has passed.
#[test]
fn what_nothing_names_is_removed_with_its_file_after_a_week() {
    let running = Running::with([planned(1)]);
    let guard = running.api(GUARD);
    let [named, unused, new] = [1, 2, 3].map(|n| format!("0190a000-000e-7000-8000-{n:012x}"));
    for id in [&named, &unused] {
        let _ = send(&guard, id, &photo()).json(201);
    }
    let _ = send(&guard, &new, &[photo(), vec![0]].concat()).json(201);
    let path = format!("/task-executions/{}/reports", execution_id(1));
    let note = json!({
        "id": "0190a000-000c-7000-8000-000000000001", "type": "NOTE",
        "at": "2026-01-31T08:01:00Z", "mediaIds": [named],
    });
    let _ = guard.post(&path, &json!([note])).ok();
    let stored = running.store.photos();
    let Running { server, store, .. } = running;
    server.kill();
    // The round began long ago.
    store.execute(
        "UPDATE media SET created_at = (SELECT start_at FROM task_executions) WHERE size = 200004;
         UPDATE jobs SET due_at = 0, held_until = 0 WHERE name = 'remove-unused-media'",
    );
    let running = Running::on(store);
    let is_kept = |id: &str| running.admin.get(&file(id)).status == 200;
    eventually("the unused medium is gone", || (!is_kept(&unused)).then_some(()));
    assert_eq!([is_kept(&named), is_kept(&new)], [true, true]);
    let left = eventually("its file is gone", || {
        let left = running.store.photos();
        (left.len() < stored.len()).then_some(left)
    });
    assert_eq!(left.len(), 2);
    let deleted = running.admin.get("/events?type=media.deleted").ok();
    assert_eq!(deleted["data"][0]["resourceId"], json!(unused));
    assert_eq!(deleted["data"].as_array().map(Vec::len), Some(1));
}
