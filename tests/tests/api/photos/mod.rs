//! Photos of users.

mod hostile;
mod leftovers;
mod read;
mod rights;
mod upload;

pub(crate) use leftovers::age;
use patrol_tests::{Answer, Running, detail};

/// The path of a user's photo.
fn path(user: &str) -> String {
    format!("/users/{user}/photo")
}

/// The id of the user's photo, which must exist.
fn photo_id(running: &Running, user: &str) -> String {
    running.user(user)["photoId"].as_str().expect("a photo").to_owned()
}

/// Checks the response to an unacceptable image.
fn check_unusable(answer: &Answer, what: &str) {
    assert_eq!(answer.status, 400, "{what}: {}", String::from_utf8_lossy(&answer.body));
    answer.misunderstood(&[detail("validation.image.failed", "photo", &[])]);
}
