//! The folder for servers.

use std::{
    env,
    fs::{self, File, Permissions},
    hash::{BuildHasher, DefaultHasher, Hash, Hasher, RandomState},
    os::unix::fs::PermissionsExt,
    path::PathBuf,
};

use rustix::process::geteuid;

/// The folder of all servers of this checkout and user. It is outside the checkout, because the
/// user who runs PostgreSQL may not have access there.
pub(crate) fn home() -> PathBuf {
    let mut hasher = DefaultHasher::new();
    env!("CARGO_MANIFEST_DIR").hash(&mut hasher);
    let user = geteuid().as_raw();
    let home =
        env::temp_dir().join(format!("patrol-postgres-{user}-{:08x}", hasher.finish() >> 32));
    fs::create_dir_all(&home).expect("a folder for temporary files");
    fs::set_permissions(&home, Permissions::from_mode(0o711)).expect("the folder is ours");
    home
}

/// Waits for the lock of this name and holds it until the returned file is dropped.
pub(crate) fn lock(name: &str) -> File {
    let file = File::create(home().join(format!("{name}.lock"))).expect("a file to lock");
    file.lock().expect("a lock");
    file
}

/// A random number as text, for unique names.
pub(crate) fn random() -> String {
    format!("{:016x}", RandomState::new().hash_one(std::process::id()))
}
