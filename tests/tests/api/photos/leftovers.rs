//! A crash between the two stores, or a failure of one, neither leaves an unused photo nor removes
//! a used one.

use std::{
    fs,
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::{Duration, Instant, SystemTime},
};

use image::ImageFormat;
use patrol_tests::{
    Api, Form, Running, Server, Store,
    company::{self, ADMIN, EMPLOYEE, GUARD, MANAGER, NOBODY, YARD},
    http,
    pictures::{UPRIGHT, look, picture},
};
use reqwest::blocking::{Client, RequestBuilder};
use serde_json::Value;

use super::{path, photo_id};
use crate::concurrency::soak;

/// The users whose photos change.
const PEOPLE: [&str; 4] = [ADMIN, MANAGER, EMPLOYEE, GUARD];

/// Makes a file one hour old, so that it cannot belong to an upload in progress.
pub(crate) fn age(file: &Path) {
    date(file, Duration::from_secs(3600));
}

/// Gives a file this age by the clock of the program, which the file system may not have.
fn date(file: &Path, age: Duration) {
    let at = SystemTime::now() - age;
    fs::File::options().write(true).open(file).unwrap().set_modified(at).unwrap();
}

/// The path of the graphic plans that are created and deleted.
fn plans() -> String {
    format!("/locations/{YARD}/graphic-plans")
}

/// Creates graphic plans, and deletes four of five, until the server has been killed.
fn change_plans(client: &Client, root: &str, token: &str) {
    let form = Form::default().field("name", "Roof").file("image", &picture(ImageFormat::Png));
    let send = |request: RequestBuilder| request.header("Authorization", token).send();
    for round in 1_u32.. {
        let request = client.post(format!("{root}{}", plans()));
        let request = request.header("Content-Type", form.content_type()).body(form.body());
        let Ok(created) = send(request) else { return };
        if created.status() == 503 {
            continue;
        }
        assert_eq!(created.status(), 201);
        let place = created.headers()["Location"].to_str().unwrap();
        if !round.is_multiple_of(5) {
            let url = format!("{root}{}", place.trim_start_matches("/v1"));
            let Ok(deleted) = send(client.delete(url)) else { return };
            assert!([204, 503].contains(&deleted.status().as_u16()));
        }
    }
}

/// Uploads and deletes photos and pictures until the server is killed, this long after the first upload.
/// Returns the number of acknowledged uploads of photos.
fn change_until_killed(server: Server, token: &str, after: Duration) -> u32 {
    let root = format!("http://{}/v1", server.address());
    let (acknowledged, form) =
        (AtomicU32::new(0), Form::default().file("photo", &picture(ImageFormat::Png)));
    let server = Mutex::new(Some(server));
    let client = http().build().unwrap();
    thread::scope(|scope| {
        for _ in 0..4 {
            let (root, client) = (&root, &client);
            scope.spawn(move || change_plans(client, root, token));
        }
        for n in 0..8 {
            let (root, form, acknowledged) = (&root, &form, &acknowledged);
            let client = client.clone();
            scope.spawn(move || {
                let url = format!("{root}{}", path(PEOPLE[n % PEOPLE.len()]));
                for round in 1_u32.. {
                    let request = if round.is_multiple_of(5) {
                        client.delete(&url)
                    } else {
                        let kind = form.content_type();
                        client.post(&url).header("Content-Type", kind).body(form.body())
                    };
                    match request.header("Authorization", token).send() {
                        Ok(answer) if answer.status() == 200 => {
                            acknowledged.fetch_add(1, Ordering::Relaxed);
                        }
                        // Another client may have deleted it before, and a slow machine may be busy.
                        Ok(answer) => assert!([204, 404, 503].contains(&answer.status().as_u16())),
                        // The server has been killed.
                        Err(_) => return,
                    }
                }
            });
        }
        let begun = Instant::now();
        while acknowledged.load(Ordering::Relaxed) == 0 && begun.elapsed() < Duration::from_secs(60)
        {
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(after);
        server.lock().unwrap().take().unwrap().kill();
    });
    acknowledged.into_inner()
}

/// Checks that every photo of a user and every picture of a plan is there and complete. Returns their
/// number.
fn check_photos(api: &Api) -> usize {
    let mut photos = 0;
    for user in PEOPLE {
        let record = api.patch(&format!("/users/{user}"), &serde_json::json!({})).ok();
        let read = api.get(&path(user));
        if record["photoId"] == Value::Null {
            let _ = read.refused(404, "not.found");
        } else {
            assert_eq!(read.status, 200, "the photo of {user} is lost");
            assert_eq!(look(&read.body, ImageFormat::Png), UPRIGHT);
            photos += 1;
        }
    }
    for plan in api.get(&plans()).ok()["data"].as_array().unwrap() {
        let read =
            api.get(&format!("/locations/graphic-plans/{}/image", plan["id"].as_str().unwrap()));
        assert_eq!(read.status, 200, "the picture of {plan} is lost");
        assert_eq!(look(&read.body, ImageFormat::Png), UPRIGHT);
        photos += 1;
    }
    photos
}

#[test]
fn a_kill_leaves_nothing_that_a_check_does_not_remove() {
    let store = Store::with(&company::company());
    let token = store.token(ADMIN);
    let (started, mut uploads, mut rounds) = (Instant::now(), 0, 0);
    while started.elapsed() < soak() || rounds < 4 {
        let delay = Duration::from_millis([500, 900, 1300][rounds % 3]);
        uploads += change_until_killed(Server::start(&store), &token, delay);
        rounds += 1;
        let server = Server::start(&store);
        let photos = check_photos(&server.api().with_token(&token));
        store.photos().iter().for_each(|file| age(file));
        let _ = store.run(&["check"]).exited(0);
        assert_eq!(store.photos().len(), photos, "orphans are left");
        assert_eq!(check_photos(&server.api().with_token(&token)), photos, "and no photo is lost");
    }
    assert!(uploads > 0, "nothing was uploaded in {rounds} rounds");
}

#[test]
fn a_check_removes_what_nobody_has_and_nothing_else() {
    let running = Running::with([]);
    let _ = running.admin.upload(&path(GUARD), &picture(ImageFormat::Png)).ok();
    let photo = photo_id(&running, GUARD);
    let object = running.store.photos().remove(0);
    let name = object.file_name().unwrap().to_str().unwrap();
    assert!(name.contains(&photo), "an object has the id in its name: {name}");
    let orphan = object.with_file_name(name.replace(&photo, NOBODY));
    fs::copy(&object, &orphan).unwrap();
    date(&orphan, Duration::ZERO);
    // A recent object is kept, because its upload may still be in progress.
    let _ = running.store.run(&["check"]).exited(0);
    assert_eq!(running.store.photos().len(), 2);
    age(&orphan);
    age(&object);
    let checked = running.store.run(&["check"]).exited(0);
    assert_eq!(checked.stdout, "photos: 2 found, 1 unused removed, 0 missing\n");
    assert_eq!(running.store.photos(), std::slice::from_ref(&object), "beside a running server");
    assert_eq!(running.admin.get(&path(GUARD)).status, 200);
    // With nothing to do the command succeeds.
    let checked = running.store.run(&["check"]).exited(0);
    assert_eq!(checked.stdout, "photos: 1 found, 0 unused removed, 0 missing\n");
    // A missing photo is reported, and the command fails.
    fs::remove_file(object).unwrap();
    for (arguments, done) in [(&["check"][..], ""), (&["check", "--dry-run"], "would be ")] {
        let checked = running.store.run(arguments).exited(1);
        let said = format!("photos: 0 found, 0 unused {done}removed, 1 missing\n");
        assert_eq!(checked.stdout, said);
        assert!(checked.stderr.contains(GUARD), "{}", checked.stderr);
    }
}

#[test]
fn a_check_that_finds_no_store_removes_nothing() {
    let running = Running::with([]);
    let _ = running.admin.upload(&path(GUARD), &picture(ImageFormat::Png)).ok();
    running.store.photos().iter().for_each(|file| age(file));
    let _ = running.store.run(&["check", "--database-url", &running.store.url_of_none()]).exited(1);
    assert_eq!(running.store.photos().len(), 1);
}

#[test]
fn an_upload_that_cannot_be_stored_leaves_the_old_photo() {
    let running = Running::with([]);
    let _ = running.admin.upload(&path(GUARD), &picture(ImageFormat::Png)).ok();
    let (photo, before) = (photo_id(&running, GUARD), running.admin.get(&path(GUARD)));
    // A file in place of the folder: reads and writes fail.
    let (folder, aside) = (running.store.path("data/photos"), running.store.path("aside"));
    fs::rename(&folder, &aside).unwrap();
    fs::write(&folder, "").unwrap();
    let answer = running.admin.upload(&path(GUARD), &picture(ImageFormat::Jpeg));
    let _ = answer.refused(503, "service.unavailable");
    assert_eq!(answer.header("Retry-After"), Some("1"));
    assert_eq!(photo_id(&running, GUARD), photo);
    fs::remove_file(&folder).unwrap();
    fs::rename(&aside, &folder).unwrap();
    let after = running.admin.get(&path(GUARD));
    assert_eq!((after.status, after.etag(), after.body), (200, before.etag(), before.body));
    assert_eq!(running.store.photos().len(), 1);
}

#[test]
fn an_upload_that_breaks_off_leaves_the_old_photo() {
    let running = Running::with([]);
    let _ = running.admin.upload(&path(GUARD), &picture(ImageFormat::Png)).ok();
    let photo = photo_id(&running, GUARD);
    let token = running.store.token(ADMIN);
    let form = Form::default().file("photo", &picture(ImageFormat::Jpeg));
    let body = form.body();
    for sent in [0, 60, body.len() / 2, body.len() - 5] {
        let mut wire = patrol_tests::Wire::connect(running.server.address());
        wire.send(format!(
            "POST /v1{} HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\nContent-Type: {}\r\n\
             Content-Length: {}\r\n\r\n",
            path(GUARD),
            form.content_type(),
            body.len(),
        ));
        wire.send(&body[..sent]);
        wire.finish();
        // A response may be missing, but must not be a success.
        if let Ok(answer) = wire.read_to_end() {
            assert!(!answer.starts_with(b"HTTP/1.1 2"), "{}", String::from_utf8_lossy(&answer));
        }
        assert_eq!(photo_id(&running, GUARD), photo, "after {sent} bytes");
    }
    assert_eq!(running.admin.get(&path(GUARD)).status, 200);
    assert_eq!(running.store.photos().len(), 1);
}
