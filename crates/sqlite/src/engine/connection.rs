//! Connections to the database file.

use std::{
    fmt::{self, Write as _},
    ops::{Deref, DerefMut},
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use diesel::{
    Connection as _, ConnectionError, QueryResult, RunQueryDsl, SqliteConnection,
    connection::{CacheSize, DebugQuery, InstrumentationEvent, SimpleConnection},
    dsl::sql,
    result::{DatabaseErrorKind, Error as DieselError},
    sql_types::Text,
};
use patrol_repository::stored::trace::{self, System};
use tracing::Span;

use super::interrupt;

/// The kind of database, for traces.
pub(super) const SYSTEM: System = System::Sqlite;

/// The purpose of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    /// Writing. The connection does not wait for locks: [`super::transaction::begin`] does.
    Write,
    /// Reading by id, pages and counts.
    Read,
    /// Long lists, many of which run at once.
    List,
    /// One large transaction, whose speed depends on the cache.
    Import,
    /// Writing a copy to another file.
    Backup,
}

/// How many prepared statements a connection keeps. Lists have an unbounded number of forms, and
/// Diesel never removes a statement by itself.
const STATEMENTS: usize = 128;

/// The database file, and how connections to it are opened.
#[derive(Clone, Debug)]
pub(super) struct DatabaseFile {
    /// Absolute, so that SQLite does not interpret it as a URI or a special name.
    pub(super) path: PathBuf,
    /// The path or the URI with parameters, for Diesel.
    url: String,
    /// How long to wait for locks that other connections hold briefly.
    wait: Duration,
    open: Arc<OpenCount>,
}

/// Counts open connections, to wait for the last one: closing it removes the files that SQLite
/// keeps beside a database.
#[derive(Default, Debug)]
struct OpenCount {
    count: Mutex<usize>,
    changed: Condvar,
}

/// An open connection, counted until it is dropped.
struct Counted(Arc<OpenCount>);

impl Counted {
    fn new(open: &Arc<OpenCount>) -> Self {
        *open.count.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        Self(Arc::clone(open))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        *self.0.count.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.changed.notify_all();
    }
}

impl DatabaseFile {
    /// The file at `path`, with this wait for locks.
    ///
    /// # Errors
    /// When the path cannot be made absolute or is not UTF-8.
    pub(super) fn new(path: &Path, wait: Duration) -> Result<Self, String> {
        let path = std::path::absolute(path).map_err(|error| error.to_string())?;
        let url = path.to_str().ok_or("the path is not UTF-8")?.to_owned();
        Ok(Self { path, url, wait, open: Arc::default() })
    }

    /// Waits until all connections are closed, at most `timeout`.
    pub(super) fn wait_until_closed(&self, timeout: Duration) {
        let count = self.open.count.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.open.changed.wait_timeout_while(count, timeout, |count| *count > 0);
        // The process may end in either case.
        drop(waited);
    }

    /// The same file; connections do not create it.
    pub(super) fn existing(&self) -> Self {
        self.with_parameters("mode=rw")
    }

    /// The same file for reading without locks and without SQLite's additional files. No process
    /// may change it meanwhile.
    pub(super) fn immutable(&self) -> Self {
        self.with_parameters("mode=ro&immutable=1")
    }

    fn with_parameters(&self, parameters: &str) -> Self {
        let mut url = "file:".to_owned();
        for byte in self.path.as_os_str().as_encoded_bytes() {
            match byte {
                b'/' | b'-' | b'_' | b'.' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => {
                    url.push(char::from(*byte));
                }
                other => url.push_str(&format!("%{other:02X}")),
            }
        }
        url.push('?');
        url.push_str(parameters);
        Self { url, ..self.clone() }
    }

    /// The file beside the database with this suffix.
    pub(super) fn beside(&self, suffix: &str) -> PathBuf {
        let mut path = self.path.clone().into_os_string();
        path.push(suffix);
        PathBuf::from(path)
    }

    /// The size of the write-ahead log in bytes.
    pub(super) fn wal_bytes(&self) -> u64 {
        // Without a log there is no file.
        self.beside("-wal").metadata().map_or(0, |file| file.len())
    }

    /// A new connection.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub(super) fn connect(&self, purpose: Purpose) -> QueryResult<Connection> {
        interrupt::install();
        let counted = Counted::new(&self.open);
        let mut sqlite = SqliteConnection::establish(&self.url).map_err(|error| match error {
            ConnectionError::CouldntSetupConfiguration(error) => error,
            error => DieselError::DatabaseError(
                DatabaseErrorKind::UnableToSendCommand,
                Box::new(error.to_string()),
            ),
        })?;
        let (wait, cache, query_only, checkpoint) = match purpose {
            // [`super::checkpoint`] runs the checkpoints.
            Purpose::Write => (Duration::ZERO, 16_384, false, 0),
            Purpose::Read => (self.wait, 16_384, true, CHECKPOINT_PAGES),
            Purpose::List => (self.wait, 2_048, true, CHECKPOINT_PAGES),
            Purpose::Import => (Duration::ZERO, 65_536, false, CHECKPOINT_PAGES),
            Purpose::Backup => (self.wait, 16_384, false, CHECKPOINT_PAGES),
        };
        // An import may run without the WAL. Then its commit deletes the rollback journal, and only
        // EXTRA makes the deletion durable. If the journal still existed after a power loss, SQLite
        // would undo an acknowledged commit.
        let synchronous = if purpose == Purpose::Import { "EXTRA" } else { "FULL" };
        // The pragmas read the file, which may be locked for a moment.
        sqlite.batch_execute(&format!(
            "PRAGMA busy_timeout = {};
                 PRAGMA foreign_keys = ON;
                 PRAGMA synchronous = {synchronous};
                 PRAGMA mmap_size = 0;
                 PRAGMA cache_size = -{cache};
                 PRAGMA wal_autocheckpoint = {checkpoint};
                 PRAGMA journal_size_limit = {KEPT_WAL};
                 PRAGMA query_only = {query_only};
                 PRAGMA busy_timeout = {};",
            self.wait.as_millis(),
            wait.as_millis(),
        ))?;
        let cached = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&cached);
        let mut running = Span::none();
        sqlite.set_instrumentation(move |event: InstrumentationEvent<'_>| match event {
            InstrumentationEvent::CacheQuery { .. } => {
                counter.fetch_add(1, Ordering::Relaxed);
            }
            InstrumentationEvent::StartQuery { query, .. } => {
                running = SYSTEM.statement(|| without_values(query));
            }
            InstrumentationEvent::FinishQuery { error, .. } => {
                let span = std::mem::replace(&mut running, Span::none());
                if error.is_some() {
                    trace::failed(&span);
                }
            }
            _ => {}
        });
        Ok(Connection { sqlite, cached, _counted: counted })
    }
}

/// The text of a statement without its values, which may be secrets: Diesel writes them after the
/// text.
fn without_values(query: &dyn DebugQuery) -> String {
    struct BeforeValues(String);

    impl fmt::Write for BeforeValues {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            match text.split_once(VALUES) {
                Some((before, _)) => self.0.push_str(before),
                None if text.contains("--") => {}
                None => {
                    self.0.push_str(text);
                    return Ok(());
                }
            }
            Err(fmt::Error)
        }
    }

    let mut text = BeforeValues(String::new());
    // The write ends with an error before the values.
    let _ = write!(text, "{query}");
    text.0
}

/// What Diesel writes between a statement and its values.
const VALUES: &str = " -- binds: ";

/// A commit runs a checkpoint when the WAL has this many pages.
const CHECKPOINT_PAGES: u32 = 1_000;

/// The WAL is truncated to this many bytes after a long list has let it grow. This is its usual
/// size, since overwriting a file is faster than extending it.
const KEPT_WAL: u32 = 80 * 1024 * 1024;

/// A connection with a bounded number of prepared statements.
pub(super) struct Connection {
    sqlite: SqliteConnection,
    cached: Arc<AtomicUsize>,
    /// Declared after the connection, because fields are dropped in order.
    _counted: Counted,
}

impl Connection {
    /// Removes prepared statements when there are too many. Call this between jobs.
    pub(super) fn forget_statements(&mut self) {
        if self.cached.load(Ordering::Relaxed) > STATEMENTS {
            self.sqlite.set_prepared_statement_cache_size(CacheSize::Disabled);
            self.sqlite.set_prepared_statement_cache_size(CacheSize::Unbounded);
            self.cached.store(0, Ordering::Relaxed);
        }
    }

    /// Closes the connection after a panic or a failure. Diesel panics when closing fails.
    pub(super) fn discard(self) {
        if catch_unwind(AssertUnwindSafe(|| drop(self))).is_err() {
            tracing::error!("a connection could not be closed");
        }
    }
}

impl Deref for Connection {
    type Target = SqliteConnection;

    fn deref(&self) -> &SqliteConnection {
        &self.sqlite
    }
}

impl DerefMut for Connection {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        &mut self.sqlite
    }
}

/// Compile options that make SQLite faster or more predictable (`.cargo/config.toml`).
const WANTED: [&str; 6] = [
    "DEFAULT_MEMSTATUS=0",
    "DQS=0",
    "ENABLE_QPSG",
    "LIKE_DOESNT_MATCH_BLOBS",
    "OMIT_DEPRECATED",
    "THREADSAFE=2",
];

/// Compile options that make every connection wait for the others.
const UNWANTED: [&str; 2] = ["ENABLE_API_ARMOR", "ENABLE_MEMORY_MANAGEMENT"];

/// Missing and unwanted compile options, as sentences.
pub(super) fn compile_option_warnings(
    connection: &mut SqliteConnection,
) -> QueryResult<Vec<String>> {
    let options: Vec<String> = sql::<Text>("PRAGMA compile_options").load(connection)?;
    let has = |option: &&str| options.iter().any(|known| known == option);
    let missing = WANTED.iter().filter(|option| !has(option));
    let harmful = UNWANTED.iter().filter(|option| has(option));
    Ok(missing
        .map(|option| format!("SQLite is built without {option}"))
        .chain(harmful.map(|option| format!("SQLite is built with {option}")))
        .collect())
}

#[cfg(test)]
mod tests {
    use diesel::{
        query_builder::{AstPass, QueryFragment, QueryId},
        sqlite::Sqlite,
    };

    use super::*;

    struct Select(String);

    impl QueryFragment<Sqlite> for Select {
        fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
            out.push_sql(&self.0);
            Ok(())
        }
    }

    impl QueryId for Select {
        type QueryId = ();
        const HAS_STATIC_QUERY_ID: bool = false;
    }

    impl RunQueryDsl<SqliteConnection> for Select {}

    #[test]
    fn the_text_of_a_statement_has_no_values() {
        let query = diesel::sql_query("SELECT ? AS secret").bind::<Text, _>("sesame");
        assert_eq!(without_values(&diesel::debug_query::<Sqlite, _>(&query)), "SELECT ? AS secret");
    }

    #[test]
    fn a_repeated_statement_is_prepared_once_and_many_are_forgotten() {
        let folder = tempfile::TempDir::new().unwrap();
        let file = DatabaseFile::new(&folder.path().join("a.db"), Duration::ZERO).unwrap();
        let mut connection = file.connect(Purpose::Write).unwrap();
        let prepared = |connection: &Connection| connection.cached.load(Ordering::Relaxed);
        let ask = |connection: &mut Connection, number: usize| {
            let select = Select(format!("SELECT {number}"));
            select.execute(&mut **connection).unwrap();
        };
        for _ in 0..3 {
            for number in 0..STATEMENTS {
                ask(&mut connection, number);
                connection.forget_statements();
            }
            assert_eq!(prepared(&connection), STATEMENTS);
        }
        ask(&mut connection, STATEMENTS);
        connection.forget_statements();
        assert_eq!(prepared(&connection), 0);
        ask(&mut connection, 0);
        assert_eq!(prepared(&connection), 1, "it was forgotten with the others");
    }
}
