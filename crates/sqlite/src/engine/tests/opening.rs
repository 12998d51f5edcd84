//! Opening a store, and locks that only one process can hold.

use std::{fs, thread};

use diesel::{
    Connection, QueryableByName, RunQueryDsl, SqliteConnection,
    connection::SimpleConnection,
    sql_types::{BigInt, Text},
};
use patrol_domain::{Readiness, StoreError};
use tempfile::TempDir;

use super::{
    Abort, ProgramKind, Settings, Store, TIMEOUTS, Timeouts, Trial, execute, insert, names, number,
    settings,
};
use crate::OpenError;

/// Whether the database is in WAL mode.
const LOG_IS_USED: &str = "SELECT journal_mode = 'wal' AS value FROM pragma_journal_mode";

#[tokio::test]
async fn the_file_and_its_folder_are_created() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("new/folder/patrol.db");
    let store = Store::open(&settings(path.clone())).unwrap();
    assert_eq!(store.ping().await, Ok(()));
    assert!(path.exists());
}

#[tokio::test]
async fn a_store_whose_file_was_removed_or_replaced_is_not_ready() {
    let folder = TempDir::new().unwrap();
    let (path, aside) = (folder.path().join("patrol.db"), folder.path().join("aside.db"));
    let store = Store::open(&settings(path.clone())).unwrap();
    fs::rename(&path, &aside).unwrap();
    let unready = |result: Result<(), StoreError>| match result {
        Err(StoreError::Unavailable(reason)) => reason.contains("was removed or replaced"),
        _ => false,
    };
    assert!(unready(store.ping().await));
    fs::copy(&aside, &path).unwrap();
    assert!(unready(store.ping().await));
    fs::rename(&aside, &path).unwrap();
    assert_eq!(store.ping().await, Ok(()));
}

#[tokio::test]
async fn sqlite_is_built_with_the_options_of_the_cargo_configuration() {
    let trial = Trial::new().await;
    assert_eq!(trial.store.compile_option_warnings(), Vec::<String>::new());
}

#[tokio::test]
async fn names_that_are_special_to_sqlite_are_names_of_files() {
    let folder = TempDir::new().unwrap();
    for name in ["file:x?mode=memory", ":memory:", "sqlite:", "a b'c\"%20.db"] {
        let path = folder.path().join(name);
        Store::open(&settings(path.clone())).unwrap().close().await;
        assert!(path.metadata().unwrap().len() > 0, "{name}");
    }
}

#[test]
fn an_error_of_opening_has_the_path_and_the_reason() {
    let folder = TempDir::new().unwrap();
    let open = |name: &str| {
        Store::open_with(&settings(folder.path().join(name)), TIMEOUTS).map(drop).unwrap_err()
    };
    fs::write(
        folder.path().join("text"),
        "no database, but long enough to look like one".repeat(100),
    )
    .unwrap();
    let error = open("text");
    assert!(matches!(error, OpenError::Damaged { .. }), "{error}");
    assert!(error.to_string().contains("text is not a database"), "{error}");
    for name in ["text/below.db", "."] {
        let error = open(name);
        assert!(matches!(error, OpenError::Inaccessible { .. }), "{name}: {error}");
        assert!(error.to_string().contains("cannot open"), "{error}");
    }
}

#[test]
fn a_locked_new_file_is_reported_after_the_patience() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.db");
    let mut beside = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
    beside.batch_execute("BEGIN EXCLUSIVE").unwrap();
    let timeouts = Timeouts { open: TIMEOUTS.lock, ..TIMEOUTS };
    let error = Store::open_with(&settings(path.clone()), timeouts).map(drop).unwrap_err();
    assert!(matches!(&error, OpenError::Busy { path: locked } if *locked == path), "{error}");
}

#[test]
fn a_new_file_may_be_opened_many_times_at_once() {
    for _ in 0..5 {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a.db");
        thread::scope(|scope| {
            let all: Vec<_> =
                (0..8).map(|_| scope.spawn(|| Store::open(&settings(path.clone())))).collect();
            for one in all {
                one.join().unwrap().unwrap();
            }
        });
    }
}

#[test]
fn a_migration_that_fails_leaves_nothing_behind() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.db");
    let mut beside = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
    // With the id of a store, so that it does not count as another program's database.
    let made = "PRAGMA application_id = 0x5074726C; CREATE TABLE task_executions (x)";
    beside.batch_execute(made).unwrap();
    let error = Store::open(&settings(path.clone())).map(drop).unwrap_err();
    assert!(matches!(error, OpenError::Schema { .. }), "{error}");
    assert!(error.to_string().contains("task_executions already exists"), "{error}");
    let tables = "SELECT count(*) AS value FROM sqlite_schema WHERE type = 'table'";
    assert_eq!(number(&mut beside, tables), 1);
}

#[tokio::test]
async fn a_newer_schema_is_left_as_it_is() {
    let trial = Trial::new().await;
    let newer = "INSERT INTO __diesel_schema_migrations (version) VALUES ('99991231000000');
                 ALTER TABLE item ADD COLUMN newer TEXT;";
    trial.begin(|conn| execute(conn, newer)).await.unwrap().unwrap();
    let older = Store::open(&settings(trial.path())).unwrap();
    older.write(|conn| insert(conn, "older", "body")).await.unwrap();
    assert_eq!(trial.names(), ["older"]);
}

#[tokio::test]
async fn an_up_to_date_file_is_opened_while_another_process_writes() {
    let trial = Trial::new().await;
    let mut beside = trial.beside();
    beside.batch_execute("BEGIN IMMEDIATE").unwrap();
    let store = Store::open_with(&settings(trial.path()), TIMEOUTS).unwrap();
    assert_eq!(store.read(|conn| Ok(names(conn)?)).await, Ok(vec![]));
}

#[tokio::test]
async fn connections_are_durable_and_keep_references() {
    #[derive(QueryableByName)]
    struct Mode {
        #[diesel(sql_type = Text)]
        journal_mode: String,
    }
    #[derive(QueryableByName)]
    struct Mapped {
        #[diesel(sql_type = BigInt)]
        mmap_size: i64,
    }
    fn look(conn: &mut SqliteConnection) -> [i64; 3] {
        let mode: Mode = diesel::sql_query("PRAGMA journal_mode").get_result(conn).unwrap();
        assert_eq!(mode.journal_mode, "wal");
        let mapped: Mapped = diesel::sql_query("PRAGMA mmap_size").get_result(conn).unwrap();
        [
            number(conn, "SELECT synchronous AS value FROM pragma_synchronous"),
            number(conn, "SELECT foreign_keys AS value FROM pragma_foreign_keys"),
            mapped.mmap_size,
        ]
    }
    let trial = Trial::new().await;
    let (full, extra) = (2, 3);
    assert_eq!(trial.begin(|conn| Ok(look(conn))).await.unwrap(), Ok([full, 1, 0]));
    assert_eq!(trial.store.read(|conn| Ok(look(conn))).await, Ok([full, 1, 0]));
    assert_eq!(
        trial.store.exclusive(|conn| Ok::<_, super::Abort<StoreError>>(look(conn))).await,
        Ok([extra, 1, 0])
    );
    let written = trial.store.read(|conn| insert(conn, "x", "body")).await;
    assert!(written.is_err(), "a reader cannot write");
}

#[cfg(unix)]
#[tokio::test]
async fn new_files_are_private_and_existing_files_keep_their_permissions() {
    use std::os::unix::fs::PermissionsExt;

    let trial = Trial::new().await;
    trial.insert("x").await.unwrap().unwrap();
    trial.store.backup(&trial.folder.path().join("backup.db")).await.unwrap();
    let mode = |name: &str| {
        let file = trial.folder.path().join(name).metadata().unwrap();
        file.permissions().mode() & 0o777
    };
    for name in ["a.db", "a.db-wal", "a.db-shm", "backup.db"] {
        assert_eq!(mode(name), 0o600, "{name}");
    }
    fs::set_permissions(trial.path(), fs::Permissions::from_mode(0o640)).unwrap();
    Store::open(&settings(trial.path())).unwrap();
    assert_eq!(mode("a.db"), 0o640);
}

#[tokio::test]
async fn a_backup_is_a_consistent_copy_and_overwrites_nothing() {
    let trial = Trial::new().await;
    trial.insert("kept").await.unwrap().unwrap();
    let to = trial.folder.path().join("copy ' of.db");
    trial.store.backup(&to).await.unwrap();
    trial.insert("later").await.unwrap().unwrap();
    let mut copy = SqliteConnection::establish(to.to_str().unwrap()).unwrap();
    assert_eq!(names(&mut copy).unwrap(), ["kept"]);

    let error = trial.store.backup(&to).await.unwrap_err().to_string();
    assert!(error.contains("copy ' of.db") && error.contains("exists"), "{error}");
    assert_eq!(names(&mut copy).unwrap(), ["kept"]);

    let nowhere = trial.folder.path().join("nowhere/copy.db");
    assert!(trial.store.backup(&nowhere).await.is_err());
    assert!(!nowhere.exists());
    Store::open(&settings(to)).unwrap();
}

#[tokio::test]
async fn wal_mode_is_left_only_without_other_connections() {
    async fn mode(store: &Store) -> String {
        #[derive(QueryableByName)]
        struct Mode {
            #[diesel(sql_type = Text)]
            journal_mode: String,
        }
        let look = |conn: &mut SqliteConnection| {
            insert(conn, "a", "body")?;
            let mode: Mode = diesel::sql_query("PRAGMA journal_mode").get_result(conn)?;
            Err::<(), _>(Abort::Refused(StoreError::Internal(mode.journal_mode)))
        };
        match store.exclusive(look).await {
            Err(StoreError::Internal(mode)) => mode,
            other => panic!("{other:?}"),
        }
    }
    let trial = Trial::new().await;
    let command = || {
        let settings = Settings { lock: ProgramKind::Command, ..settings(trial.path()) };
        Store::open(&settings).unwrap()
    };
    assert_eq!(mode(&command()).await, "wal", "the server has it open");
    trial.store.clone().close().await;
    let lonely = command();
    for _ in 0..2 {
        assert_eq!(mode(&lonely).await, "delete");
        assert_eq!(trial.names(), Vec::<String>::new());
        assert_eq!(number(&mut trial.beside(), LOG_IS_USED), 1, "the log is used again");
    }
}

#[tokio::test]
async fn a_writer_that_reconnects_uses_the_log() {
    let trial = Trial::new().await;
    let panicking = trial.begin(|_| -> Result<(), _> { panic!("this panic is meant") });
    assert!(panicking.await.unwrap().is_err());
    // As an import may leave it when other connections interfered.
    let mut beside = trial.beside();
    beside.batch_execute("PRAGMA journal_mode = DELETE").unwrap();
    assert_eq!(number(&mut beside, LOG_IS_USED), 0);
    beside.batch_execute("BEGIN; SELECT * FROM item").unwrap();
    let blocked = trial.insert("blocked").await.unwrap();
    assert!(matches!(blocked, Err(StoreError::Unavailable(_))), "{blocked:?}");
    beside.batch_execute("ROLLBACK").unwrap();
    trial.insert("a").await.unwrap().unwrap();
    assert_eq!(number(&mut beside, LOG_IS_USED), 1);
}
