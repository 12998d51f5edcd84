//! Compatibility of nodes of two versions and of several engines: the rules for migrations
//! (docs/portability.md), and a node that is one version behind.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test reports by panicking"
)]

mod behind;
mod only_add;
mod opened;
mod portable;
mod statement;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use statement::{Statement, statements};

/// A folder of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The names of the migrations of a store, in order.
fn migrations(store: &str) -> BTreeSet<String> {
    let folder = root().join("migrations").join(store);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let names: BTreeSet<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().expect("a name is text"))
        .collect();
    assert!(!names.is_empty(), "{folder:?} is empty");
    names
}

/// The statements of a migration.
fn read(store: &str, migration: &str) -> Vec<Statement> {
    let file = root().join("migrations").join(store).join(migration).join("up.sql");
    statements(&fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file:?}: {error}")))
}
