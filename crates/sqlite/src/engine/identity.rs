//! Recognises stores of Patrol, and compares their schema with the program.

use std::collections::HashSet;

use diesel::{
    QueryResult, RunQueryDsl, SqliteConnection,
    connection::SimpleConnection,
    dsl::sql,
    sql_types::{BigInt, Bool, Text},
};

/// The `application_id` of every store: "Ptrl" in ASCII.
const APPLICATION_ID: i64 = 0x5074_726C;

/// The first migration, by which stores from before [`APPLICATION_ID`] are recognised.
const FIRST_MIGRATION: &str = "20251121000001";

/// The kind of a database file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Identity {
    /// A database without a table, for example a new file.
    Empty,
    /// A store of Patrol.
    Store,
    /// A database of another program.
    Foreign,
}

/// The migrations of a store compared with those of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SchemaAge {
    /// The store lacks a migration.
    Older,
    /// Both have the same migrations.
    Current,
    /// The store has additional migrations.
    Newer,
}

/// Identifies the file of this connection. Only reads.
pub(super) fn identify(connection: &mut SqliteConnection) -> QueryResult<Identity> {
    match sql::<BigInt>("PRAGMA application_id").get_result(connection)? {
        APPLICATION_ID => return Ok(Identity::Store),
        0 => {}
        _ => return Ok(Identity::Foreign),
    }
    let (is_empty, has_migrations) = sql::<(Bool, Bool)>(
        "SELECT NOT EXISTS (SELECT * FROM sqlite_schema),
             EXISTS (SELECT * FROM sqlite_schema WHERE name = '__diesel_schema_migrations')",
    )
    .get_result(connection)?;
    if is_empty {
        return Ok(Identity::Empty);
    }
    if has_migrations && migrations(connection)?.contains(FIRST_MIGRATION) {
        return Ok(Identity::Store);
    }
    Ok(Identity::Foreign)
}

/// Marks the file as a store, in the open transaction.
pub(super) fn mark(connection: &mut SqliteConnection) -> QueryResult<()> {
    connection.batch_execute(&format!("PRAGMA application_id = {APPLICATION_ID}"))
}

/// Compares the schema of a store with the migrations `known`.
pub(super) fn schema_age(
    connection: &mut SqliteConnection,
    known: &HashSet<String>,
) -> QueryResult<SchemaAge> {
    let stored = migrations(connection)?;
    Ok(match (known.is_subset(&stored), stored.is_subset(known)) {
        (false, _) => SchemaAge::Older,
        (true, true) => SchemaAge::Current,
        (true, false) => SchemaAge::Newer,
    })
}

fn migrations(connection: &mut SqliteConnection) -> QueryResult<HashSet<String>> {
    let versions = sql::<Text>("SELECT version FROM __diesel_schema_migrations");
    Ok(versions.load(connection)?.into_iter().collect())
}
