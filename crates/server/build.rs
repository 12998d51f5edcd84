//! Finds the commit that the program is built from, for `patrol --version` and `/metrics`.
//!
//! Git is optional: a build from a source archive takes the commit that `git archive` wrote into
//! `commit.txt`, a packager may set `PATROL_COMMIT`, and any other build says `unknown`.

use std::{env, fs, path::Path, process::Command};

/// The number of characters shown of a commit.
const SHOWN: usize = 12;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=commit.txt");
    println!("cargo::rerun-if-env-changed=PATROL_COMMIT");
    let given = env::var("PATROL_COMMIT").ok();
    let commit = given.and_then(|text| commit(&text)).or_else(archived).or_else(checked_out);
    println!("cargo::rustc-env=PATROL_BUILD_COMMIT={}", commit.as_deref().unwrap_or("unknown"));
}

/// The commit of a source archive.
fn archived() -> Option<String> {
    commit(&fs::read_to_string("commit.txt").ok()?)
}

/// The checked-out commit. A source tree inside another project's repository has none.
fn checked_out() -> Option<String> {
    if git(&["ls-files", "build.rs"])? != "build.rs" {
        return None;
    }
    // A commit, checkout or reset changes one of these files. Cargo would run this program on every
    // build if one of them did not exist.
    let branch = git(&["symbolic-ref", "--quiet", "HEAD"]);
    for name in ["HEAD", "packed-refs"].into_iter().chain(branch.as_deref()) {
        if let Some(path) = git(&["rev-parse", "--git-path", name])
            && Path::new(&path).exists()
        {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    commit(&git(&["rev-parse", "HEAD"])?)
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

/// The first characters of a commit hash; `None` when `text` is not one.
fn commit(text: &str) -> Option<String> {
    let text = text.trim();
    let is_commit = text.len() >= 7 && text.chars().all(|letter| letter.is_ascii_hexdigit());
    is_commit.then(|| text.chars().take(SHOWN).collect())
}
