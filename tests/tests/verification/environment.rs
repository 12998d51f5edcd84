//! The Python programs, in a virtual environment below `target`.

use std::{
    env,
    fs::{self, File},
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    process::Command,
};

/// The versions and hashes of all packages.
const REQUIREMENTS: &str = include_str!("../../verification/requirements.txt");

/// The oldest version of Python that the packages and `hooks.py` run on.
const PYTHON: &str = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))";

/// The folder with the settings of the Python programs.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("verification")
}

/// A program of the environment, which is made when it is missing.
pub(crate) fn program(name: &str) -> PathBuf {
    environment().join("bin").join(name)
}

/// The environment for these requirements. Other tests wait while one makes it.
fn environment() -> PathBuf {
    let mut hasher = DefaultHasher::new();
    REQUIREMENTS.hash(&mut hasher);
    let test = env::current_exe().expect("this test has a path");
    let target = test.ancestors().nth(3).expect("target/PROFILE/deps/TEST");
    let parent = target.join("verification");
    let environment = parent.join(format!("{:016x}", hasher.finish()));
    fs::create_dir_all(&parent).expect("a folder");
    let one_at_a_time = File::create(parent.join("lock")).expect("a file to lock");
    one_at_a_time.lock().expect("a lock");
    let complete = environment.join("complete");
    if !complete.exists() {
        let is_there = Command::new("python3").args(["-c", PYTHON]).output();
        assert!(
            is_there.is_ok_and(|python| python.status.success()),
            "The tests need python3 3.11 or later with venv. Install it (Debian: apt-get install \
             python3-venv)."
        );
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&environment));
        let installed = Command::new(environment.join("bin/pip"))
            .args(["install", "--quiet", "--disable-pip-version-check"])
            .args(["--require-hashes", "--only-binary", ":all:", "--requirement"])
            .arg(folder().join("requirements.txt"))
            .output()
            .expect("pip is in the environment");
        let cause = String::from_utf8_lossy(&installed.stderr);
        assert!(
            installed.status.success(),
            "The tests cannot install their Python packages; is the package index reachable? {}",
            cause.lines().rfind(|line| line.starts_with("ERROR")).unwrap_or_default()
        );
        File::create(complete).expect("a file");
    }
    environment
}

/// Runs a command and returns its output.
///
/// # Panics
/// When it fails, with the end of its output.
pub(crate) fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|cause| panic!("{command:?}: {cause}"));
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(output.status.success(), "{command:?} failed:\n{}", last(&text));
    text
}

/// The last lines of a text.
fn last(text: &str) -> String {
    let lines: Vec<_> = text.lines().collect();
    lines[lines.len().saturating_sub(300)..].join("\n")
}
