//! Creates the database file and migrates its schema.

use std::{collections::HashSet, error::Error, fs, io, path::Path, time::Duration};

use diesel::{
    QueryResult, RunQueryDsl, SqliteConnection,
    connection::SimpleConnection,
    dsl::sql,
    migration::MigrationSource,
    result::Error as DieselError,
    sql_types::{Bool, Text},
    sqlite::Sqlite,
};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use patrol_repository::folding::{self, Remaining};

use super::{
    connection::{Connection, DatabaseFile, Purpose},
    error::{Cause, OpenError, cause},
    identity::{self, Identity, SchemaAge},
    job_connection::{JobConnection, poll_once_diesel},
    journal::use_wal,
    private_file,
    transaction::{begin, retry_while_busy},
};

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");

/// How long to wait for another process that opens or migrates the same file.
pub(super) const OPEN_TIMEOUT: Duration = Duration::from_secs(30);

/// A connection for writing to a database in WAL mode with a current schema. Creates a missing file
/// and its folder. A schema newer than this program's is not changed: migrations only add, so that
/// a node one version behind keeps working.
pub(super) fn open_or_create(
    file: &DatabaseFile,
    timeout: Duration,
) -> Result<Connection, OpenError> {
    let path = &file.path;
    create_file(path).map_err(|error| inaccessible(path, error.to_string()))?;
    let refused = |error| refused(path, &error);
    let connect = || file.connect(Purpose::Write);
    let mut connection = retry_while_busy(timeout, connect).map_err(refused)?;
    // Checked before anything in the file is changed.
    if identity_of(&mut connection, timeout).map_err(refused)? == Identity::Foreign {
        return Err(OpenError::Foreign { path: path.clone() });
    }
    retry_while_busy(timeout, || use_wal(&mut connection)).map_err(refused)?;
    if retry_while_busy(timeout, || has_pending(&mut connection)).map_err(refused)? {
        begin(&mut connection, timeout).map_err(refused)?;
        run_pending(&mut connection)
            .map_err(|error| OpenError::Schema { path: path.clone(), reason: error.to_string() })?;
    }
    repair_texts(&mut connection, timeout).map_err(refused)?;
    Ok(connection)
}

/// Writes the texts that SQL cannot fold, or that another version of the program folded. Takes the write
/// lock only for pages that have any.
fn repair_texts(connection: &mut Connection, timeout: Duration) -> QueryResult<()> {
    repair_pages(connection, timeout, Remaining::SMALL)?;
    let is_checked = |connection: &mut Connection| {
        poll_once_diesel(folding::is_checked(&JobConnection::of(connection)))
    };
    if !retry_while_busy(timeout, || is_checked(connection))? {
        repair_pages(connection, timeout, Remaining::LARGE)?;
        begin(connection, timeout)?;
        poll_once_diesel(folding::record(&JobConnection::of(connection)))?;
        connection.batch_execute("COMMIT")?;
    }
    Ok(())
}

fn repair_pages(
    connection: &mut Connection,
    timeout: Duration,
    mut remaining: Remaining,
) -> QueryResult<()> {
    let outdated = |connection: &mut Connection, remaining: Remaining| {
        poll_once_diesel(remaining.outdated(&JobConnection::of(connection)))
    };
    while let Some(found) = retry_while_busy(timeout, || outdated(connection, remaining))? {
        begin(connection, timeout)?;
        remaining = poll_once_diesel(found.repair(&JobConnection::of(connection)))?;
        connection.batch_execute("COMMIT")?;
    }
    Ok(())
}

/// Opens an existing store without creating or changing anything. Returns the file as it has to be
/// opened, and a first connection. If `reads` (the caller changes no record) and the file is
/// read-only, for example on a read-only file system, the file is read without locks. A schema
/// newer than the program's is used, with a warning in the log.
pub(super) fn open_existing(
    file: &DatabaseFile,
    timeout: Duration,
    reads: bool,
) -> Result<(DatabaseFile, Connection), OpenError> {
    let path = &file.path;
    match fs::metadata(path) {
        Err(error) if is_absent(&error) => {
            return Err(OpenError::Missing { path: path.clone() });
        }
        Err(error) => return Err(inaccessible(path, error.to_string())),
        Ok(_) => {}
    }
    let file =
        if reads && is_read_only_and_unused(path) { file.immutable() } else { file.existing() };
    match examined(&file, timeout) {
        // The file is writable, but SQLite's additional files cannot be created.
        Err(OpenError::Inaccessible { .. }) if reads && !has_log(path) => {
            let file = file.immutable();
            examined(&file, timeout).map(|connection| (file, connection))
        }
        other => other.map(|connection| (file, connection)),
    }
}

fn examined(file: &DatabaseFile, timeout: Duration) -> Result<Connection, OpenError> {
    let path = &file.path;
    let refused = |error| refused(path, &error);
    let connect = || file.connect(Purpose::Read);
    let mut connection = retry_while_busy(timeout, connect).map_err(refused)?;
    match identity_of(&mut connection, timeout).map_err(refused)? {
        Identity::Store => {}
        Identity::Empty => return Err(OpenError::Missing { path: path.clone() }),
        Identity::Foreign => return Err(OpenError::Foreign { path: path.clone() }),
    }
    let age = retry_while_busy(timeout, || {
        let known = known_versions()?;
        identity::schema_age(&mut connection, &known)
    });
    match age.map_err(refused)? {
        SchemaAge::Older => return Err(OpenError::Outdated { path: path.clone() }),
        SchemaAge::Newer => tracing::warn!(
            path = %path.display(),
            "the schema is newer than this program, which does not see what was added"
        ),
        SchemaAge::Current => {}
    }
    Ok(connection)
}

fn identity_of(connection: &mut Connection, timeout: Duration) -> QueryResult<Identity> {
    retry_while_busy(timeout, || identity::identify(connection))
}

fn known_versions() -> QueryResult<HashSet<String>> {
    let migrations = MigrationSource::<Sqlite>::migrations(&MIGRATIONS);
    let migrations = migrations.map_err(DieselError::QueryBuilderError)?;
    Ok(migrations.iter().map(|migration| migration.name().version().to_string()).collect())
}

/// A path below a file counts as missing too.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Whether the file is read-only and complete in itself.
fn is_read_only_and_unused(path: &Path) -> bool {
    fs::OpenOptions::new().write(true).open(path).is_err() && !has_log(path)
}

/// Whether there is a log beside the file: of transactions that the file lacks, or, of an import that was
/// interrupted, of what the file had before it.
fn has_log(path: &Path) -> bool {
    ["-wal", "-journal"].iter().any(|ending| {
        let mut log = path.as_os_str().to_owned();
        log.push(ending);
        fs::metadata(log).is_ok_and(|log| log.len() > 0)
    })
}

/// Creates the file first, because the error of the operating system is more specific than that of
/// SQLite.
fn create_file(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    private_file::options().read(true).write(true).create(true).truncate(false).open(path).map(drop)
}

/// Whether a migration is pending. Takes no lock when the schema exists, so that a command can
/// start beside a writing process.
fn has_pending(connection: &mut SqliteConnection) -> QueryResult<bool> {
    let is_set_up: bool = sql::<Bool>(
        "SELECT EXISTS (SELECT * FROM sqlite_schema WHERE name = '__diesel_schema_migrations')",
    )
    .get_result(connection)?;
    if !is_set_up {
        return Ok(true);
    }
    connection.has_pending_migration(MIGRATIONS).map_err(|error| {
        error.downcast::<DieselError>().map_or_else(DieselError::QueryBuilderError, |error| *error)
    })
}

/// Runs the migrations in the open transaction and commits it. After a failure the connection
/// cannot be used.
fn run_pending(connection: &mut SqliteConnection) -> Result<(), Box<dyn Error + Send + Sync>> {
    for migration in connection.pending_migrations(MIGRATIONS)? {
        migration.run(connection)?;
        diesel::sql_query("INSERT INTO __diesel_schema_migrations (version) VALUES (?)")
            .bind::<Text, _>(migration.name().version().to_string())
            .execute(connection)?;
    }
    identity::mark(connection)?;
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
