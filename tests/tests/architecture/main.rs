//! The dependencies between crates, as cargo reports them and docs/architecture.md allows them, and the
//! imports between the files of a crate, which the compiler alone would accept; and what is said of commands.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test reports by panicking"
)]

mod commands;
mod imports;

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::Path,
    process::Command,
};

use serde_json::Value;

/// The dependencies of a crate, by kind.
struct Crate {
    normal: BTreeSet<String>,
    dev: BTreeSet<String>,
    build: BTreeSet<String>,
    /// Those of `normal` that are enabled only by a feature.
    optional: BTreeSet<String>,
}

fn workspace() -> BTreeMap<String, Crate> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root)
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    packages.iter().map(|package| (text(&package["name"]), read(package))).collect()
}

fn read(package: &Value) -> Crate {
    let dependencies = package["dependencies"].as_array().expect("dependencies");
    let of = |wanted: fn(&Value) -> bool| {
        let chosen = dependencies.iter().filter(|dependency| wanted(dependency));
        chosen.map(|dependency| text(&dependency["name"])).collect()
    };
    Crate {
        normal: of(|dependency| dependency["kind"].is_null()),
        dev: of(|dependency| dependency["kind"] == "dev"),
        build: of(|dependency| dependency["kind"] == "build"),
        optional: of(|dependency| dependency["kind"].is_null() && dependency["optional"] == true),
    }
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Our own crates among these.
fn own(dependencies: &BTreeSet<String>) -> BTreeSet<String> {
    dependencies.iter().filter(|name| name.starts_with("patrol")).cloned().collect()
}

/// Which of our crates each crate may depend on outside of tests.
const MAY_USE: [(&str, &[&str]); 18] = [
    ("patrol-walk", &[]),
    ("patrol-label", &[]),
    ("patrol-recurrence", &[]),
    ("patrol-domain", &["patrol-recurrence"]),
    ("patrol-application", &["patrol-domain"]),
    ("patrol-record", &["patrol-domain"]),
    ("patrol-data-set", &["patrol-domain", "patrol-record"]),
    ("patrol-http", &["patrol-application", "patrol-domain", "patrol-label", "patrol-record"]),
    (
        "patrol-site",
        &["patrol-application", "patrol-domain", "patrol-http", "patrol-label", "patrol-record"],
    ),
    ("patrol-repository", &["patrol-domain", "patrol-record"]),
    ("patrol-sqlite", &["patrol-domain", "patrol-repository"]),
    ("patrol-postgres", &["patrol-domain", "patrol-repository"]),
    ("patrol-photos", &["patrol-domain"]),
    ("patrol-identity", &["patrol-domain"]),
    ("patrol-contract", &["patrol-domain"]),
    ("patrol-test-servers", &[]),
    (
        "patrol",
        &[
            "patrol-application",
            "patrol-data-set",
            "patrol-domain",
            "patrol-http",
            "patrol-identity",
            "patrol-photos",
            "patrol-postgres",
            "patrol-repository",
            "patrol-site",
            "patrol-sqlite",
            "patrol-walk",
        ],
    ),
    ("patrol-tests", &["patrol-test-servers"]),
];

/// Adapters: only the program may depend on them.
const ADAPTERS: [&str; 6] = [
    "patrol-http",
    "patrol-site",
    "patrol-sqlite",
    "patrol-postgres",
    "patrol-photos",
    "patrol-identity",
];

/// The pages are served by the HTTP adapter (ADR 34).
const ON_TOP: (&str, &str) = ("patrol-site", "patrol-http");

#[test]
fn every_crate_uses_only_what_it_may() {
    let workspace = workspace();
    let known: BTreeSet<_> = MAY_USE.iter().map(|(name, _)| (*name).to_owned()).collect();
    let members: BTreeSet<_> = workspace.keys().cloned().collect();
    assert_eq!(members, known, "a crate whose place nobody has decided");
    for (name, allowed) in MAY_USE {
        let uses = own(&workspace[name].normal);
        assert!(uses.is_subset(&set(allowed)), "{name} uses {uses:?}");
        assert!(own(&workspace[name].build).is_empty(), "{name} is built with one of ours");
    }
}

#[test]
fn the_domain_knows_no_technology() {
    let workspace = workspace();
    let domain = &workspace["patrol-domain"];
    let plain: BTreeSet<_> = domain.normal.difference(&domain.optional).cloned().collect();
    let allowed = set(&["async-trait", "futures-core", "patrol-recurrence", "thiserror", "uuid"]);
    assert!(plain.is_subset(&allowed), "the domain depends on {plain:?}");
    // `jiff` has the rules of time zones, with their database in the program (ADR 37).
    let recurrence = &workspace["patrol-recurrence"].normal;
    assert!(recurrence.is_subset(&set(&["jiff", "time"])), "{recurrence:?}");
    assert_eq!(domain.optional, set(&["mockall"]));
    assert!(domain.build.is_empty());
}

#[test]
fn the_application_knows_no_technology() {
    let application = &workspace()["patrol-application"];
    // `tracing` only names the use cases, for traces; `futures-util` maps the items of a list.
    let allowed =
        ["async-trait", "futures-util", "patrol-domain", "thiserror", "tracing", "validator"];
    let allowed = set(&allowed);
    assert!(application.normal.is_subset(&allowed), "{:?}", application.normal);
}

#[test]
fn no_adapter_knows_another_not_even_in_its_tests() {
    for (name, of) in workspace() {
        if name == "patrol" {
            continue;
        }
        for adapter in ADAPTERS {
            let knows = of.normal.contains(adapter) && (name.as_str(), adapter) != ON_TOP;
            assert!(!knows, "{name} knows {adapter}");
            assert!(!of.dev.contains(adapter), "the tests of {name} know {adapter}");
        }
    }
}

#[test]
fn a_driver_stands_in_one_crate_alone() {
    let workspace = workspace();
    for (dependency, home) in [
        ("actix-web", &["patrol-http", "patrol-site", "patrol"][..]),
        ("diesel", &["patrol-repository", "patrol-sqlite", "patrol-postgres", "patrol-tests"]),
        ("tokio-postgres", &["patrol-postgres", "patrol-test-servers"]),
        ("libsqlite3-sys", &["patrol-sqlite"]),
        ("object_store", &["patrol-photos"]),
        ("s3s", &["patrol-test-servers"]),
        ("image", &["patrol-photos", "patrol-tests"]),
        ("argon2", &["patrol-identity"]),
        ("sha2", &["patrol-identity", "patrol-http", "patrol-photos"]),
        ("clap", &["patrol"]),
    ] {
        for (name, of) in &workspace {
            let uses = of.normal.contains(dependency);
            assert!(!uses || home.contains(&name.as_str()), "{name} uses {dependency}");
        }
        assert!(workspace[home[0]].normal.contains(dependency), "{dependency} is not in use");
    }
}

#[test]
fn what_is_for_tests_stays_in_tests() {
    for (name, of) in workspace() {
        let for_tests = ["patrol-contract", "patrol-test-servers", "patrol-tests"];
        let production = !for_tests.contains(&name.as_str());
        for helper in for_tests.iter().chain(&["proptest", "mockall", "rcgen"]) {
            let uses = of.normal.contains(*helper) && !of.optional.contains(*helper);
            assert!(!(production && uses), "{name} is built with {helper}");
        }
    }
    for store in ["patrol-sqlite", "patrol-postgres", "patrol-photos"] {
        let of = &workspace()[store];
        assert!(of.dev.contains("patrol-contract"), "every adapter runs the whole suite");
    }
}

#[test]
fn no_files_import_each_other() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let mut cycles = Vec::new();
    let mut files = 0;
    let folders = [crates.clone(), crates.join("lib"), crates.join("../tests")];
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).expect("crates"));
    for entry in entries {
        let root = entry.expect("a crate").path().join("src");
        if !root.is_dir() {
            continue;
        }
        let imports = imports::of_crate(&root);
        files += imports.len();
        cycles.extend(imports::cycles(&imports).into_iter().map(|cycle| {
            let names = cycle
                .iter()
                .map(|file| file.strip_prefix(&crates).unwrap_or(file).display().to_string());
            names.collect::<Vec<_>>().join(" -> ")
        }));
    }
    assert!(files > 500, "only {files} files with imports");
    assert!(cycles.is_empty(), "files that import each other:\n{}", cycles.join("\n"));
}
