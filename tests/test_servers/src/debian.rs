//! Programs of Debian packages.

use std::{env, path::PathBuf, process::Command};

use rustix::process::geteuid;

use crate::postgres::{lock, run};

/// The path of a program that has the name of its package. When it is missing and the tests run as
/// root, all `packages` are installed, because one installation is quicker than several.
///
/// # Panics
/// When it is missing and cannot be installed.
#[must_use]
pub fn program(name: &str, packages: &[&str]) -> PathBuf {
    if let Some(found) = find(name) {
        return found;
    }
    let all = packages.join(" ");
    assert!(
        geteuid().is_root(),
        "The tests need {name}. Install it (Debian: apt-get install {all}), or run the tests as \
         root, who has it installed."
    );
    let _one_at_a_time = lock("install");
    if find(name).is_none() {
        install(packages);
    }
    find(name).unwrap_or_else(|| panic!("the package {name} has no program {name}"))
}

/// The program in `PATH`, or in the folders of the administrator.
fn find(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain(["/usr/sbin".into(), "/usr/bin".into()]);
    folders.map(|folder| folder.join(name)).find(|file| file.is_file())
}

fn install(packages: &[&str]) {
    let apt = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        let command = command.args(["-o", "DPkg::Lock::Timeout=120"]).args(arguments);
        drop(run(command.env("DEBIAN_FRONTEND", "noninteractive")));
    };
    apt(&["update"]);
    apt(&[&["install", "-y", "--no-install-recommends"], packages].concat());
}
