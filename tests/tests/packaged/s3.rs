//! Photos in an S3 bucket: clients see no difference.

use image::ImageFormat;
use patrol_test_servers::s3::Server as S3;
use patrol_tests::{
    Answer, Form, Running, Store,
    company::{self, EMPLOYEE, GUARD, YARD},
    pictures::{FORMATS, UPRIGHT, look, picture},
};
use serde_json::{Value, json};

/// The path of a user's photo.
fn path(user: &str) -> String {
    format!("/users/{user}/photo")
}

/// The id of the user's photo, which must exist.
fn photo_id(running: &Running, user: &str) -> String {
    running.user(user)["photoId"].as_str().expect("a photo").to_owned()
}

/// A server whose photos are below a prefix of the bucket.
fn site(s3: &S3) -> Running {
    with(s3, &s3.environment())
}

/// The same, with these variables for S3.
fn with(s3: &S3, variables: &[(String, String)]) -> Running {
    let place = s3.url("patrol/eu");
    let mut settings = vec![("PATROL_PHOTOS_URL", place.as_str())];
    settings.extend(variables.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    Running::set(Store::with(&company::company()), &settings)
}

/// Runs `patrol check` with the configuration of [`site`].
fn check(running: &Running, s3: &S3) -> String {
    let mut command = running.store.command(&["check", "--photos-url", &s3.url("patrol/eu")]);
    let output = command.envs(s3.environment()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// A graphic plan.
fn roof() -> Form {
    Form::default().field("name", "Roof").file("image", &picture(ImageFormat::Png))
}

/// Creates a graphic plan; returns its path.
fn create_plan(running: &Running) -> String {
    let plan = running.admin.form(&format!("/locations/{YARD}/graphic-plans"), &roof()).json(201);
    format!("/locations/graphic-plans/{}", plan["id"].as_str().unwrap())
}

fn check_refused(answer: &Answer) {
    let _ = answer.refused(503, "service.unavailable");
    assert_eq!(answer.header("Retry-After"), Some("1"));
}

#[test]
fn a_photo_is_kept_replaced_and_deleted() {
    let s3 = S3::start();
    let running = site(&s3);
    for (format, kind) in FORMATS {
        let _ = running.admin.upload(&path(GUARD), &picture(format)).ok();
        let key = format!("patrol/eu/{}", photo_id(&running, GUARD));
        assert_eq!(s3.keys(), [key], "the old one is gone");
        let read = running.admin.get(&path(GUARD));
        assert_eq!((read.status, read.header("Content-Type")), (200, Some(kind)));
        assert_eq!(look(&read.body, format), UPRIGHT);
    }
    running.admin.delete(&path(GUARD)).is_bare(204);
    let _ = running.admin.get(&path(GUARD)).refused(404, "not.found");
    assert!(s3.keys().is_empty());
    // The picture of a graphic plan.
    let plan = create_plan(&running);
    let read = running.admin.get(&format!("{plan}/image"));
    assert_eq!((s3.keys().len(), look(&read.body, ImageFormat::Png)), (1, UPRIGHT));
    running.admin.delete(&plan).is_bare(204);
    assert!(s3.keys().is_empty());
    assert!(running.store.photos().is_empty(), "nothing is on the disk");
}

#[test]
fn while_s3_is_away_photos_are_unavailable_and_all_else_is_there() {
    let mut s3 = S3::start();
    let running = site(&s3);
    let _ = running.admin.upload(&path(GUARD), &picture(ImageFormat::Png)).ok();
    let (photo, before) = (photo_id(&running, GUARD), running.admin.get(&path(GUARD)));
    s3.stop();
    check_refused(&running.admin.get(&path(GUARD)));
    for user in [GUARD, EMPLOYEE] {
        check_refused(&running.admin.upload(&path(user), &picture(ImageFormat::Jpeg)));
    }
    check_refused(&running.admin.form(&format!("/locations/{YARD}/graphic-plans"), &roof()));
    assert_eq!(
        running.admin.get("/locations?name=yard").ok()["data"][0]["graphicPlanIds"],
        json!([])
    );
    assert_eq!(photo_id(&running, GUARD), photo);
    assert_eq!(running.user(EMPLOYEE)["photoId"], Value::Null);
    assert_eq!(running.server.api().outside("/health/ready").status, 200);
    let _ = running.admin.get("/task-executions/info").ok();

    s3.resume_service();
    let after = running.admin.get(&path(GUARD));
    assert_eq!((after.status, after.etag(), after.body), (200, before.etag(), before.body));
    let _ = running.admin.upload(&path(EMPLOYEE), &picture(ImageFormat::Jpeg)).ok();
    assert_eq!(s3.keys().len(), 2);
}

#[test]
fn what_could_not_be_removed_is_found_by_a_check() {
    let mut s3 = S3::start();
    let running = site(&s3);
    for user in [GUARD, EMPLOYEE] {
        let _ = running.admin.upload(&path(user), &picture(ImageFormat::Png)).ok();
    }
    let plan = create_plan(&running);
    s3.stop();
    // The user has no photo at once, and the plan is gone; the objects are removed later.
    running.admin.delete(&path(GUARD)).is_bare(204);
    running.admin.delete(&plan).is_bare(204);
    s3.resume_service();
    assert_eq!(s3.keys().len(), 3);
    for key in s3.keys() {
        s3.age(&key);
    }
    let said = "photos: 3 found, 2 unused removed, 0 missing\n";
    assert_eq!(check(&running, &s3), said);
    assert_eq!(s3.keys(), [format!("patrol/eu/{}", photo_id(&running, EMPLOYEE))]);
    assert_eq!(running.admin.get(&path(EMPLOYEE)).status, 200);
}

#[test]
fn wrong_credentials_are_told_in_the_log_and_never_shown() {
    let s3 = S3::start();
    let mut variables = s3.environment();
    variables.push(("AWS_SECRET_ACCESS_KEY".to_owned(), "hunter2".to_owned()));
    let running = with(&s3, &variables);
    let answer = running.admin.upload(&path(GUARD), &picture(ImageFormat::Png));
    assert_eq!(answer.status, 500, "{}", answer.text());
    let log = running.server.log_once(|log| log.contains("photos: access is denied"));
    assert!(!log.contains("hunter2") && !answer.text().contains("denied"), "{log}");
}
