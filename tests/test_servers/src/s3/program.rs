//! Finds the server program.

use std::{env, path::PathBuf};

/// The path where cargo has put it.
///
/// # Panics
/// When it has not been built.
pub(crate) fn program() -> PathBuf {
    let test = env::current_exe().expect("this test has a path");
    let profile = test.parent().and_then(|deps| deps.parent()).expect("target/PROFILE");
    let path = profile.join("patrol-test-s3");
    assert!(
        path.is_file(),
        "{} is missing, the S3 server of the tests: build it first with \
         `cargo build -p patrol-test-servers --features s3` (`make test-long` does)",
        path.display()
    );
    path
}
