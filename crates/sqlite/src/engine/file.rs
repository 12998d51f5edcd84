//! Making files.

use std::fs::OpenOptions;

/// Options with which a file is made that only its owner may read: it holds PINs and hashes of
/// passwords. SQLite gives the log and the shared memory beside a database the same rights. A file
/// that is there already keeps its own.
pub(super) fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
