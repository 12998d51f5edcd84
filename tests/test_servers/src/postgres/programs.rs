//! The programs of PostgreSQL, and the user who runs them.

use std::{
    env, fs,
    os::unix::{fs::chown, process::CommandExt},
    path::{Path, PathBuf},
    process::Command,
};

use rustix::process::geteuid;

use super::{folder, package, process::run};

/// The folder of the programs and the user who runs them.
#[derive(Debug, Clone)]
pub(crate) struct Programs {
    folder: PathBuf,
    /// User and group id, when the tests run as root, since PostgreSQL refuses to run as root.
    user: Option<(u32, u32)>,
}

impl Programs {
    /// Finds the programs, and installs them when they are missing and the tests run as root.
    ///
    /// # Panics
    /// When they are missing and cannot be installed.
    pub(crate) fn find() -> Self {
        let is_root = geteuid().is_root();
        let folder = match package::wanted() {
            Some(version) => of_debian(version).unwrap_or_else(|| package::programs(version)),
            None => installed().unwrap_or_else(|| install_newest(is_root)),
        };
        let user = is_root.then(|| {
            unprivileged()
                .expect("a user postgres or nobody, since PostgreSQL does not run as root")
        });
        Self { folder, user }
    }

    /// A command for a program, run as the right user.
    pub(crate) fn command(&self, name: &str) -> Command {
        let mut command = Command::new(self.folder.join(name));
        // The current folder may not be readable by that user. Messages are in English, because the
        // tests read them.
        command.current_dir("/").env("LC_ALL", "C");
        if let Some((user, group)) = self.user {
            command.uid(user).gid(group);
        }
        command
    }

    /// Where they are.
    pub(crate) fn folder(&self) -> PathBuf {
        self.folder.clone()
    }

    /// A command of the system, run as the same user.
    pub(crate) fn system_command(&self, name: &str) -> Command {
        let mut command = Command::new(name);
        command.current_dir("/");
        if let Some((user, group)) = self.user {
            command.uid(user).gid(group);
        }
        command
    }

    /// Creates a folder that belongs to the user who runs the programs.
    pub(crate) fn create_folder(&self, folder: &Path) {
        fs::create_dir_all(folder).expect("a folder");
        self.give(folder);
    }

    /// Gives a file or a folder to the user who runs the programs.
    pub(crate) fn give(&self, path: &Path) {
        if let Some((user, group)) = self.user {
            chown(path, Some(user), Some(group)).expect("root may give away");
        }
    }

    /// The major version, for example 17.
    pub(crate) fn version(&self) -> u32 {
        let told = run(self.command("postgres").arg("--version"));
        let number = told.split_whitespace().find_map(|word| word.split('.').next()?.parse().ok());
        number.expect("a version")
    }
}

/// The folder with the newest version of the programs.
fn installed() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let newest = versions
        .filter_map(|entry| {
            let folder = entry.ok()?.path();
            let version: u32 = folder.file_name()?.to_str()?.parse().ok()?;
            Some((version, folder.join("bin")))
        })
        .filter(|(_, folder)| has_server(folder))
        .max();
    let path = env::var_os("PATH").unwrap_or_default();
    let in_path = || env::split_paths(&path).find(|folder| has_server(folder));
    newest.map(|(_, folder)| folder).or_else(in_path)
}

/// The folder of a version that Debian has installed.
fn of_debian(version: u32) -> Option<PathBuf> {
    let folder = PathBuf::from(format!("/usr/lib/postgresql/{version}/bin"));
    has_server(&folder).then_some(folder)
}

fn has_server(folder: &Path) -> bool {
    ["initdb", "pg_ctl", "postgres"].iter().all(|name| folder.join(name).is_file())
}

/// Installs the version of Debian.
///
/// # Panics
/// When the tests do not run as root, or it cannot be installed.
fn install_newest(is_root: bool) -> PathBuf {
    assert!(
        is_root,
        "The tests need PostgreSQL. Install its server (Debian: apt-get install postgresql), or \
         set PATROL_TEST_POSTGRES_URL to a server where they may create databases, or run them as \
         root, who has it installed."
    );
    let _one_at_a_time = folder::lock("install");
    installed().or_else(install).expect("the package postgresql has the programs")
}

fn install() -> Option<PathBuf> {
    let apt = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        let command = command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
        drop(run(command));
    };
    apt(&["update"]);
    apt(&["install", "-y", "--no-install-recommends", "postgresql"]);
    installed()
}

/// The ids of the user `postgres`, or of another unprivileged user.
fn unprivileged() -> Option<(u32, u32)> {
    let users = fs::read_to_string("/etc/passwd").ok()?;
    ["postgres", "nobody"].iter().find_map(|wanted| {
        let line = users.lines().find(|line| line.split(':').next() == Some(wanted))?;
        let mut fields = line.split(':').skip(2);
        Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
    })
}
