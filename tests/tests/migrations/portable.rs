//! Features that compatible engines do not have (docs/portability.md) are not used.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{migrations, read, root, statement::statements};

/// Words of such features, and the alternative.
const AVOIDED: [(&str, &str); 19] = [
    ("PG_ADVISORY_LOCK", "lock a row"),
    ("PG_ADVISORY_XACT_LOCK", "lock a row"),
    ("PG_ADVISORY_XACT_LOCK_SHARED", "lock a row"),
    ("PG_TRY_ADVISORY_LOCK", "lock a row"),
    ("LISTEN", "ask again"),
    ("NOTIFY", "ask again"),
    ("PG_NOTIFY", "ask again"),
    ("CREATE EXTENSION", "do it in Rust"),
    ("CREATE SEQUENCE", "an id from the Ids port"),
    ("SERIAL", "an id from the Ids port"),
    ("BIGSERIAL", "an id from the Ids port"),
    ("CREATE TRIGGER", "do it in the repository"),
    ("CREATE FUNCTION", "do it in the domain"),
    ("CREATE VIEW", "select from the tables"),
    ("CREATE TEMPORARY", "bind arrays"),
    ("CREATE TEMP", "bind arrays"),
    ("DEFERRABLE", "write in an order that holds throughout"),
    ("LOCK TABLE", "lock rows"),
    ("CTID", "the key"),
];

const EXTENSION: &str = "CREATE EXTENSION";

/// The only migration that may install an extension, because it also works without.
const SEARCH: &str = "2025-11-21-000011_search";

/// The only migration whose positions need what other engines may not have (ADR 22).
const EVENTS: &str = "2025-11-22-000014_events";

/// What [`EVENTS`] uses of it.
const FOR_EVENTS: [&str; 4] =
    ["PG_ADVISORY_XACT_LOCK_SHARED", "CREATE SEQUENCE", "CREATE TRIGGER", "CREATE FUNCTION"];

/// The only other migration with a trigger: a graphic plan raises the version of its location, also when a node
/// of an older version imports it.
const PLACES: &str = "2025-11-23-000024_places";

/// What [`PLACES`] uses.
const FOR_PLACES: [&str; 2] = ["CREATE TRIGGER", "CREATE FUNCTION"];

/// The text of a source file without comments, because only code sends SQL.
fn code(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{file:?}: {error}"));
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    // Quotation marks and apostrophes of Rust are not those of SQL, and tokio's Notify is not
    // NOTIFY.
    lines.collect::<Vec<_>>().join("\n").replace(['\'', '"'], " ").replace("Notify", " ")
}

/// The source files except tests, which may provoke PostgreSQL by any means.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let paths = entries.map(|entry| entry.unwrap().path());
    let paths = paths.filter(|path| path.file_stem().is_none_or(|name| name != "tests"));
    paths.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

#[test]
fn migrations_use_what_its_relatives_have_too() {
    for migration in migrations("postgres") {
        for statement in read("postgres", &migration) {
            for (words, instead) in AVOIDED {
                let is_allowed = words == EXTENSION && migration == SEARCH
                    || FOR_EVENTS.contains(&words) && migration == EVENTS
                    || FOR_PLACES.contains(&words) && migration == PLACES;
                assert!(is_allowed || !statement.has(words), "{migration}: {words}; {instead}");
            }
        }
    }
}

#[test]
fn search_goes_on_without_its_extension() {
    let all: String =
        read("postgres", SEARCH).iter().map(|of| of.words.join(" ") + " ; ").collect();
    let (_, caught) = all.split_once(EXTENSION).expect("the extension is installed there");
    for lack in ["INSUFFICIENT_PRIVILEGE", "UNDEFINED_FILE", "FEATURE_NOT_SUPPORTED"] {
        assert!(caught.contains(lack), "{lack} is not caught");
    }
}

#[test]
fn the_adapter_uses_what_its_relatives_have_too() {
    let files = sources(&root().join("crates/postgres/src"));
    assert!(files.len() > 10, "{files:?}");
    for file in files {
        for statement in statements(&code(&file)) {
            for (words, instead) in AVOIDED {
                assert!(!statement.has(words), "{file:?}: {words}; {instead}");
            }
        }
    }
}

#[test]
fn conflicts_are_tried_again() {
    let engine = root().join("crates/postgres/src/engine");
    let all: String = sources(&engine).iter().map(|file| code(file)).collect();
    for state in ["40001", "40P01"] {
        assert!(all.contains(state), "nothing is said of {state}");
    }
}
