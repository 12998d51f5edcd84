//! Migrations only add, so that a node of the previous version can still read and write.

use std::collections::BTreeSet;

use crate::{Statement, migrations, read, statements};

/// Tables that the migration creates, which no node uses before.
type Made = BTreeSet<String>;

fn made(statements: &[Statement]) -> Made {
    let tables = statements.iter().filter_map(|statement| {
        let plain = statement.after("CREATE TABLE").filter(|word| *word != "IF");
        let plain = plain.or_else(|| statement.after("CREATE VIRTUAL TABLE"));
        plain.or_else(|| statement.after("IF NOT EXISTS")).map(str::to_owned)
    });
    tables.collect()
}

/// Why a statement may break an older node.
fn fault(statement: &Statement, made: &Made) -> Option<&'static str> {
    let is_about_new_table = |before: &str| {
        let table = statement.after(before);
        table.is_some_and(|table| made.contains(table))
    };
    if is_about_new_table("ALTER TABLE") {
        return None;
    }
    // An index contains no data of its own, and statements do not name it.
    let drops_index = statement.words.starts_with(&["DROP".to_owned(), "INDEX".to_owned()]);
    // Without a foreign key an older node only allows more.
    let foreign_key = statement.after("DROP CONSTRAINT").filter(|name| name.ends_with("_FKEY"));
    if drops_index || foreign_key.is_some() {
        return None;
    }
    for (words, why) in [
        ("DROP", "it takes something away"),
        ("RENAME", "an older node knows the old name"),
        ("TRUNCATE", "it takes data away"),
        ("SET NOT NULL", "an older node may write a null"),
        ("SET DATA TYPE", "it changes a type"),
        ("ALTER * TYPE", "it changes a type"),
        ("ALTER COLUMN * TYPE", "it changes a type"),
        ("ADD CONSTRAINT", "an older node may break it"),
        ("ADD CHECK", "an older node may break it"),
        ("ADD UNIQUE", "an older node may break it"),
        ("ADD PRIMARY", "an older node may break it"),
        ("ADD FOREIGN", "an older node may break it"),
    ] {
        if statement.has(words) {
            return Some(why);
        }
    }
    let adds_column = statement.has("ALTER TABLE") && statement.has("ADD");
    if adds_column && statement.has("NOT NULL") && !statement.has("DEFAULT") {
        return Some("an older node does not fill a column that has to be filled");
    }
    if adds_column && ["CHECK", "UNIQUE", "PRIMARY KEY"].iter().any(|words| statement.has(words)) {
        return Some("an older node may break it");
    }
    if statement.has("CREATE UNIQUE INDEX") && !is_about_new_table("ON") {
        return Some("an older node may break it");
    }
    // Statistics belong to the engine.
    let deletes = statement.after("DELETE FROM");
    if deletes.is_some_and(|table| table != "SQLITE_STAT1" && !made.contains(table)) {
        return Some("it takes data away");
    }
    None
}

fn faults(statements: &[Statement]) -> Vec<String> {
    let made = made(statements);
    let told = |statement: &Statement| {
        let why = fault(statement, &made)?;
        Some(format!("{why}: {}", statement.words.join(" ")))
    };
    statements.iter().filter_map(told).collect()
}

#[test]
fn migrations_only_add() {
    for store in ["sqlite", "postgres"] {
        for migration in migrations(store) {
            let found = faults(&read(store, &migration));
            assert!(found.is_empty(), "migrations/{store}/{migration}: {found:#?}");
        }
    }
}

#[test]
fn there_is_no_way_back() {
    for store in ["sqlite", "postgres"] {
        for migration in migrations(store) {
            let folder = crate::root().join("migrations").join(store).join(&migration);
            let files = std::fs::read_dir(folder).unwrap();
            let files: Vec<_> = files.map(|file| file.unwrap().file_name()).collect();
            assert_eq!(files, ["up.sql"], "migrations/{store}/{migration}");
        }
    }
}

#[test]
fn what_would_trip_an_older_node_is_found() {
    for sql in [
        "ALTER TABLE a DROP COLUMN b",
        "ALTER TABLE a DROP CONSTRAINT a_check",
        "DROP TABLE a",
        "DO $$ BEGIN DROP TABLE a; END $$",
        "ALTER TABLE a RENAME COLUMN b TO c",
        "ALTER TABLE a ADD COLUMN b integer NOT NULL",
        "ALTER TABLE a ADD COLUMN b integer CHECK (b > 0)",
        "ALTER TABLE a ADD b integer UNIQUE",
        "ALTER TABLE a ALTER COLUMN b TYPE bigint",
        "ALTER TABLE a ALTER b TYPE bigint",
        "ALTER TABLE a ALTER COLUMN b SET DATA TYPE bigint",
        "ALTER TABLE a ALTER COLUMN b SET NOT NULL",
        "ALTER TABLE a ADD CONSTRAINT c CHECK (b > 0)",
        "CREATE UNIQUE INDEX a_by_b ON a (b)",
        "TRUNCATE a",
        "DELETE FROM a",
    ] {
        assert_eq!(faults(&statements(sql)).len(), 1, "{sql}");
    }
}

#[test]
fn what_adds_is_allowed() {
    for sql in [
        "ALTER TABLE a ADD COLUMN b integer",
        "ALTER TABLE a ADD COLUMN b integer NOT NULL DEFAULT 0",
        "ALTER TABLE a SET (autovacuum_analyze_scale_factor = 0.02)",
        "ALTER TABLE a ALTER COLUMN b SET COMPRESSION lz4",
        "CREATE TABLE a (b integer NOT NULL CHECK (b > 0)); CREATE UNIQUE INDEX a_by_b ON a (b);
         ALTER TABLE a ADD CONSTRAINT c CHECK (b < 9); DELETE FROM a",
        "CREATE INDEX a_by_b ON a (b)",
        "DROP INDEX a_by_b",
        "ALTER TABLE a DROP CONSTRAINT a_b_fkey",
        "UPDATE a SET b = 1 -- DROP",
        "SELECT 'DROP'",
    ] {
        assert_eq!(faults(&statements(sql)), Vec::<String>::new(), "{sql}");
    }
}
