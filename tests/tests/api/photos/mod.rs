//! Photos of users.

mod hostile;
mod leftovers;
pub(crate) mod pictures;
mod read;
mod rights;
mod s3;
mod upload;

use std::{fs, path::PathBuf};

pub(crate) use leftovers::age;
use patrol_tests::{Answer, Running, Store, detail};

/// The path of a user's photo.
fn path(user: &str) -> String {
    format!("/users/{user}/photo")
}

/// The id of the user's photo, which must exist.
fn photo_id(running: &Running, user: &str) -> String {
    running.user(user)["photoId"].as_str().expect("a photo").to_owned()
}

/// The files of all photos, at any depth below their folder.
pub(crate) fn objects(store: &Store) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![store.path("data/photos")]);
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.expect("an entry").path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files
}

/// Checks the response to an unacceptable image.
fn check_unusable(answer: &Answer, what: &str) {
    assert_eq!(answer.status, 400, "{what}: {}", String::from_utf8_lossy(&answer.body));
    answer.misunderstood(&[detail("validation.image.failed", "photo", &[])]);
}
