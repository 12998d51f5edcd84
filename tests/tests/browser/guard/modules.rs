//! The modules of the page: their types, their rules, and the queue against a model of the service.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::OnceLock,
};

/// The packages from npm that check the modules, kept below `target`.
const PACKAGES: [&str; 2] = ["typescript@7.0.2", "fake-indexeddb@6.2.8"];

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// The folder with the packages, which the first test installs.
fn tools() -> &'static PathBuf {
    static TOOLS: OnceLock<PathBuf> = OnceLock::new();
    TOOLS.get_or_init(|| {
        let folder = root().join("target/tools").join(PACKAGES.join("-").replace('@', "-"));
        if !folder.join("node_modules").is_dir() {
            fs::create_dir_all(&folder).expect("a folder in target/tools");
            let install =
                ["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", "."];
            run(Command::new("npm").args(install).args(PACKAGES).current_dir(&folder));
        }
        folder.canonicalize().expect("the folder is there")
    })
}

fn modules() -> PathBuf {
    root().join("crates/site/assets/guard").canonicalize().expect("the folder is there")
}

/// Runs a program, and shows its output when it fails.
fn run(command: &mut Command) {
    let output = command.stdin(Stdio::null()).output();
    let output = output.unwrap_or_else(|error| {
        panic!("The tests of the guard's page need Node.js and npm (Debian: apt-get install npm): {error}")
    });
    assert!(
        output.status.success(),
        "{command:?} fails:\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn the_types_of_all_modules_fit() {
    let compiler = tools().join("node_modules/typescript/bin/tsc");
    run(Command::new("node").arg(compiler).arg("--project").arg(modules()));
}

#[test]
fn the_rules_and_the_queue_hold_without_a_browser() {
    let tests = root().join("tests/tests/browser/guard");
    // Channels between tabs would keep the process alive.
    run(Command::new("node")
        .args(["--test", "--test-force-exit"])
        .args(["rules", "queue"].map(|name| tests.join(format!("{name}.test.js"))))
        .env("GUARD", modules())
        .env("GUARD_TOOLS", tools()));
}
