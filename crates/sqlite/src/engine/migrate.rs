//! Making the database file, and bringing its schema up to date.

use std::{error::Error, fs, io, path::Path, time::Duration};

use diesel::{
    QueryResult, RunQueryDsl, SqliteConnection,
    connection::SimpleConnection,
    result::Error as DieselError,
    sql_types::{Bool, Text},
};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use super::{
    connection::{Connection, Place, Purpose},
    error::{Cause, OpenError, cause},
    file,
    journal::use_wal,
    transaction::{begin, retry_while_busy},
};

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");

/// How long to wait for another process that opens the same file or migrates it.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// A connection for writing, to a database in WAL mode whose schema is up to date. Makes the file
/// and its folder when they are not there. A schema that is newer than this program's is left as
/// it is: schemas only grow, so that a node one version behind keeps working.
pub(super) fn prepare(place: &Place, patience: Duration) -> Result<Connection, OpenError> {
    let path = &place.path;
    create_file(path).map_err(|error| inaccessible(path, error.to_string()))?;
    let refused = |error| refused(path, &error);
    let connect = || place.connect(Purpose::Write);
    let mut connection = retry_while_busy(patience, connect).map_err(refused)?;
    retry_while_busy(patience, || use_wal(&mut connection)).map_err(refused)?;
    if retry_while_busy(patience, || has_pending(&mut connection)).map_err(refused)? {
        begin(&mut connection, patience).map_err(refused)?;
        run_pending(&mut connection)
            .map_err(|error| OpenError::Schema { path: path.clone(), reason: error.to_string() })?;
    }
    Ok(connection)
}

/// SQLite says little about why it cannot open a file, the operating system says more.
fn create_file(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    file::private().read(true).write(true).create(true).truncate(false).open(path).map(drop)
}

/// Whether there is something to do. Takes no lock when the schema has been set up before, so that
/// a command can start beside a process that writes.
fn has_pending(connection: &mut SqliteConnection) -> QueryResult<bool> {
    #[derive(diesel::QueryableByName)]
    struct Schema {
        #[diesel(sql_type = Bool)]
        is_set_up: bool,
    }
    let schema: Schema = diesel::sql_query(
        "SELECT EXISTS (SELECT * FROM sqlite_schema WHERE name = '__diesel_schema_migrations')
             AS is_set_up",
    )
    .get_result(connection)?;
    if !schema.is_set_up {
        return Ok(true);
    }
    connection.has_pending_migration(MIGRATIONS).map_err(|error| {
        error.downcast::<DieselError>().map_or_else(DieselError::QueryBuilderError, |error| *error)
    })
}

/// Within a transaction, which it commits. After a failure the connection is of no use any more.
fn run_pending(connection: &mut SqliteConnection) -> Result<(), Box<dyn Error + Send + Sync>> {
    for migration in connection.pending_migrations(MIGRATIONS)? {
        migration.run(connection)?;
        diesel::sql_query("INSERT INTO __diesel_schema_migrations (version) VALUES (?)")
            .bind::<Text, _>(migration.name().version().to_string())
            .execute(connection)?;
    }
    Ok(connection.batch_execute("COMMIT")?)
}

fn inaccessible(path: &Path, reason: String) -> OpenError {
    OpenError::Inaccessible { path: path.to_owned(), reason }
}

fn refused(path: &Path, error: &DieselError) -> OpenError {
    let path = path.to_owned();
    match cause(error) {
        Cause::Busy => OpenError::Busy { path },
        Cause::Damaged => OpenError::Damaged { path, reason: error.to_string() },
        _ => OpenError::Inaccessible { path, reason: error.to_string() },
    }
}
