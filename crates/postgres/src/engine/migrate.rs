//! Migrates the schema.
//!
//! Diesel's migrations need a blocking connection: they get one of Diesel's own type, on a thread
//! where blocking is allowed.

use std::{collections::HashSet, error::Error};

use diesel::{
    Connection as _, QueryResult, RunQueryDsl,
    connection::SimpleConnection,
    dsl,
    migration::MigrationSource,
    pg::Pg,
    result::{DatabaseErrorKind, Error as DieselError},
    sql_types::{Bool, Text},
};
use diesel_async::{AsyncPgConnection, async_connection_wrapper::AsyncConnectionWrapper};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use patrol_domain::StoreError;
use patrol_repository::folding::{self, Remaining};

use super::{
    Connection,
    connector::Connector,
    error::{OpenError, store_error},
    job_connection::JobConnection,
    limit,
};

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/postgres");

/// A connection with blocking statements.
type Blocking = AsyncConnectionWrapper<AsyncPgConnection>;

/// An error within a migration.
type Failure = Box<dyn Error + Send + Sync>;

/// Migrates the schema, or waits for the node that does. A schema newer than this program's is not
/// changed: migrations only add, so that a node one version behind keeps working.
pub(super) async fn migrate(connector: &Connector) -> Result<(), OpenError> {
    let connection = connector.connect(limit::POOLED).await?;
    let is_pending = has_pending(&connection).await;
    if is_pending.map_err(|error| failure(&error))? {
        let connection = connector.connect_for_migrations().await?;
        let migrating = connector.runtime().spawn_blocking(move || {
            let mut connection = Blocking::from(connection);
            run_pending(&mut connection)
        });
        let migrated = migrating.await.map_err(|error| OpenError::Machine(error.to_string()))?;
        migrated.map_err(|error| OpenError::Schema(error.to_string()))?;
    }
    repair_texts(&JobConnection(&connection)).await.map_err(|error| failure(&error))
}

/// Writes the texts that SQL cannot fold, or that another version of the program folded.
async fn repair_texts(connection: &JobConnection<'_>) -> QueryResult<()> {
    repair_pages(connection, Remaining::SMALL).await?;
    if !folding::is_checked(connection).await? {
        repair_pages(connection, Remaining::LARGE).await?;
        folding::record(connection).await?;
    }
    Ok(())
}

async fn repair_pages(connection: &JobConnection<'_>, mut remaining: Remaining) -> QueryResult<()> {
    while let Some(found) = remaining.outdated(connection).await? {
        remaining = found.repair(connection).await?;
    }
    Ok(())
}

/// Checks that the database is a store with a known schema. Changes nothing. A schema newer than
/// the program's is used, with a warning in the log.
pub(super) async fn examine(connector: &Connector) -> Result<(), OpenError> {
    let connection = connector.connect(limit::POOLED).await?;
    let stored = stored_versions(&connection).await.map_err(|error| failure(&error))?;
    let Some(stored) = stored else { return Err(OpenError::Missing) };
    let known = versions_of_ours().map_err(|error| failure(&error))?;
    if known.iter().any(|version| !stored.contains(version)) {
        return Err(OpenError::Outdated);
    }
    if stored.len() > known.len() {
        tracing::warn!("the schema is newer than this program, which does not see what was added");
    }
    Ok(())
}

/// Whether a migration is pending. Takes no lock and costs little.
async fn has_pending(connection: &Connection) -> Result<bool, DieselError> {
    let Some(run) = stored_versions(connection).await? else { return Ok(true) };
    Ok(versions_of_ours()?.iter().any(|version| !run.contains(version)))
}

/// The migrations that were run; `None` when the database is not a store.
async fn stored_versions(
    mut connection: &Connection,
) -> Result<Option<HashSet<String>>, DieselError> {
    use diesel_async::RunQueryDsl as AsyncDsl;

    let is_set_up = "SELECT to_regclass('__diesel_schema_migrations') IS NOT NULL";
    if !AsyncDsl::get_result(dsl::sql::<Bool>(is_set_up), &mut connection).await? {
        return Ok(None);
    }
    let versions = dsl::sql::<Text>("SELECT version FROM __diesel_schema_migrations");
    Ok(Some(AsyncDsl::load(versions, &mut connection).await?.into_iter().collect()))
}

fn versions_of_ours() -> Result<Vec<String>, DieselError> {
    let migrations = MigrationSource::<Pg>::migrations(&MIGRATIONS);
    let migrations = migrations.map_err(DieselError::QueryBuilderError)?;
    Ok(migrations.iter().map(|migration| migration.name().version().to_string()).collect())
}

fn failure(error: &DieselError) -> OpenError {
    match store_error(error) {
        StoreError::Unavailable(said) => OpenError::Unreachable(said),
        error => OpenError::Schema(error.to_string()),
    }
}

fn run_pending(connection: &mut Blocking) -> Result<(), Failure> {
    prepare_lock(connection)?;
    connection.transaction(|connection| {
        lock(connection)?;
        // The previous holder of the lock may have run some or all of them.
        for migration in connection.pending_migrations(MIGRATIONS)? {
            tracing::info!(migration = %migration.name(), "bringing the schema up to date");
            migration.run(connection)?;
            diesel::sql_query("INSERT INTO __diesel_schema_migrations (version) VALUES ($1)")
                .bind::<Text, _>(migration.name().version().to_string())
                .execute(connection)?;
        }
        Ok(())
    })
}

/// Creates the tables for Diesel and the lock. Two nodes may do this at once: `IF NOT EXISTS`
/// checks before it creates, so the second node fails with a violated constraint of a catalogue.
fn prepare_lock(connection: &mut Blocking) -> QueryResult<()> {
    let mut tries = 0;
    loop {
        let made = connection.transaction(|connection| {
            connection.batch_execute(
                "CREATE TABLE IF NOT EXISTS __diesel_schema_migrations (
                    version varchar(50) PRIMARY KEY,
                    run_on timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP
                );
                CREATE TABLE IF NOT EXISTS migration_lock (id integer PRIMARY KEY);
                INSERT INTO migration_lock (id) VALUES (1) ON CONFLICT DO NOTHING;",
            )
        });
        match made {
            Err(DieselError::DatabaseError(kind, _))
                if kind != DatabaseErrorKind::UnableToSendCommand && tries < MAX_TRIES =>
            {
                tries += 1;
            }
            made => return made,
        }
    }
}

/// The maximum number of attempts to create the tables. Every failure means that another node has
/// succeeded.
const MAX_TRIES: u32 = 20;

/// Takes the lock that every node needs before it changes the schema; the end of the transaction
/// releases it. A row lock, because not every compatible engine has advisory locks.
fn lock(connection: &mut Blocking) -> QueryResult<()> {
    diesel::sql_query("SELECT id FROM migration_lock WHERE id = 1 FOR UPDATE")
        .execute(connection)?;
    Ok(())
}
