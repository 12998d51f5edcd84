//! Files that only their owner may read.

use std::fs::OpenOptions;

/// Options for a new file that only its owner may read, because it contains PINs and password
/// hashes. SQLite gives the log and the shared memory the same permissions. An existing file keeps
/// its permissions.
pub(super) fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
