//! A store for one test, in its own temporary directory.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, Mutex, OnceLock, PoisonError, Weak},
};

use diesel::{
    Connection, QueryableByName, RunQueryDsl, SqliteConnection, connection::SimpleConnection as _,
    sql_query, sql_types::Text,
};
use patrol_test_servers::postgres::{Database, query};
use tempfile::TempDir;

use crate::{
    company::ADMIN,
    data_set::DataSet,
    program::{self, Outcome},
};

/// The store of tests that do not choose one: `sqlite`, the default, or `postgres`.
const CHOICE: &str = "PATROL_TEST_STORE";

/// A store, and the directory in which the program runs.
#[derive(Debug)]
pub struct Store {
    place: Place,
    directory: TempDir,
    /// What this store is a copy of.
    template: Option<Arc<Self>>,
    administrator: OnceLock<String>,
}

/// A data set with the company, which [`Store::copy_of`] imports when the first test needs it.
#[derive(Debug)]
pub struct Template {
    records: fn() -> DataSet,
    imported: Mutex<Weak<Store>>,
}

impl Template {
    /// A template with these records.
    #[must_use]
    pub const fn new(records: fn() -> DataSet) -> Self {
        Self { records, imported: Mutex::new(Weak::new()) }
    }
}

/// Where the records are.
#[derive(Debug)]
enum Place {
    /// A file in the directory.
    Sqlite,
    /// A database of this test.
    Postgres(Database),
    /// A database that this store does not own.
    Elsewhere(String),
}

/// A result of SQLite's integrity check.
#[derive(QueryableByName)]
struct Finding {
    #[diesel(sql_type = Text)]
    integrity_check: String,
}

impl Store {
    /// An empty store of the kind that the run uses. A SQLite file does not exist yet.
    ///
    /// # Panics
    /// When [`CHOICE`] has another value, or the store cannot be created.
    #[must_use]
    pub fn empty() -> Self {
        match env::var(CHOICE).as_deref() {
            Err(env::VarError::NotPresent) | Ok("sqlite") => Self::sqlite(),
            Ok("postgres") => Self::postgres(),
            other => panic!("{CHOICE} is sqlite or postgres, not {other:?}"),
        }
    }

    /// A SQLite file that does not exist yet.
    #[must_use]
    pub fn sqlite() -> Self {
        Self::at(Place::Sqlite)
    }

    /// An empty PostgreSQL database.
    ///
    /// # Panics
    /// When there is no server and none can be started.
    #[must_use]
    pub fn postgres() -> Self {
        let migrations = Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations/postgres");
        let migrate = |url: &str| {
            let _ = Self::elsewhere(url).run(&["migrate"]).exited(0);
        };
        Self::at(Place::Postgres(Database::fresh(&migrations, migrate)))
    }

    /// The database at this URL, which is not removed when the value is dropped.
    #[must_use]
    pub fn elsewhere(url: &str) -> Self {
        Self::at(Place::Elsewhere(url.to_owned()))
    }

    fn at(place: Place) -> Self {
        let directory = TempDir::with_prefix("patrol-").expect("a temporary directory");
        Self { place, directory, template: None, administrator: OnceLock::new() }
    }

    /// A store like [`Self::empty`] with these records.
    #[must_use]
    pub fn with(data_set: &DataSet) -> Self {
        Self::empty().and(data_set)
    }

    /// A store like [`Self::with`], and a token of the administrator. All tests that run meanwhile share
    /// the import; each gets a copy of its own.
    ///
    /// # Panics
    /// When the store cannot be copied.
    #[must_use]
    pub fn copy_of(template: &Template) -> Self {
        let mut known = template.imported.lock().unwrap_or_else(PoisonError::into_inner);
        let imported = known.upgrade().unwrap_or_else(|| {
            let imported = Self::with(&(template.records)());
            let _ = imported.administrator();
            Arc::new(imported)
        });
        *known = Arc::downgrade(&imported);
        let place = match &imported.place {
            Place::Postgres(database) => Place::Postgres(database.copy()),
            Place::Sqlite | Place::Elsewhere(_) => Place::Sqlite,
        };
        let copy = Self { template: Some(Arc::clone(&imported)), ..Self::at(place) };
        if let Place::Sqlite = copy.place {
            fs::copy(imported.database(), copy.database()).expect("the file of a closed store");
        }
        copy
    }

    /// Adds these records.
    #[must_use]
    pub fn and(self, data_set: &DataSet) -> Self {
        let _ = self.import(data_set).exited(0);
        self
    }

    /// A path in the store's directory.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The files of all photos, at any depth below their folder.
    ///
    /// # Panics
    /// When a folder cannot be read.
    #[must_use]
    pub fn photos(&self) -> Vec<PathBuf> {
        let (mut files, mut folders) = (Vec::new(), vec![self.path("data/photos")]);
        while let Some(folder) = folders.pop() {
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            for entry in entries {
                let path = entry.expect("an entry").path();
                if path.is_dir() { folders.push(path) } else { files.push(path) }
            }
        }
        files
    }

    /// The file of the database.
    ///
    /// # Panics
    /// When the store is not SQLite.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        assert!(matches!(self.place, Place::Sqlite), "a test of SQLite alone: {:?}", self.place);
        self.path("patrol.db")
    }

    /// The value of `PATROL_DATABASE_URL` for this store.
    #[must_use]
    pub fn url(&self) -> String {
        match &self.place {
            Place::Sqlite => format!("sqlite:{}", self.database().display()),
            Place::Postgres(database) => database.url(),
            Place::Elsewhere(url) => url.clone(),
        }
    }

    /// The URL of a store of the same kind that does not exist.
    #[must_use]
    pub fn url_of_none(&self) -> String {
        match self.place {
            Place::Sqlite => format!("sqlite:{}", self.path("none.db").display()),
            // No server listens there.
            Place::Postgres(_) | Place::Elsewhere(_) => "postgres://127.0.0.1:1/none".to_owned(),
        }
    }

    /// A command of the program with this store, run in the store's directory.
    #[must_use]
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = program::command();
        command
            .args(arguments)
            .current_dir(self.directory.path())
            .env("PATROL_DATABASE_URL", self.url());
        command
    }

    /// Runs a command on this store to its end.
    #[must_use]
    pub fn run(&self, arguments: &[&str]) -> Outcome {
        program::run(&mut self.command(arguments), Vec::new())
    }

    /// Runs a command on this store to its end, with this standard input.
    #[must_use]
    pub fn run_with(&self, arguments: &[&str], stdin: impl Into<Vec<u8>>) -> Outcome {
        program::run(&mut self.command(arguments), stdin.into())
    }

    /// Imports records.
    #[must_use]
    pub fn import(&self, data_set: &DataSet) -> Outcome {
        self.run_with(&["import", "-"], data_set.to_string())
    }

    /// A new token of a user, given by id, employeeNo or email.
    #[must_use]
    pub fn token(&self, user: &str) -> String {
        let created = self.run(&["token", "create", "--user", user, "--name", "test"]).exited(0);
        let token = created.stdout.trim_end().to_owned();
        assert!(!token.is_empty() && !token.contains(char::is_whitespace), "{created:?}");
        token
    }

    /// The same token of the administrator each time.
    #[must_use]
    pub fn administrator(&self) -> String {
        match &self.template {
            Some(template) => template.administrator(),
            None => self.administrator.get_or_init(|| self.token(ADMIN)).clone(),
        }
    }

    /// Runs SQL directly, in a form that both kinds of store accept.
    ///
    /// # Panics
    /// When it fails.
    pub fn execute(&self, sql: &str) {
        match self.place {
            Place::Sqlite => {
                let path = self.database().display().to_string();
                let mut connection =
                    SqliteConnection::establish(&path).expect("the database opens");
                // The server may be writing.
                connection.batch_execute("PRAGMA busy_timeout = 10000").expect("a time to wait");
                connection.batch_execute(sql).expect("the statements run");
            }
            Place::Postgres(_) | Place::Elsewhere(_) => {
                patrol_test_servers::postgres::execute(&self.url(), sql)
            }
        }
    }

    /// Whether the stored files or tables contain this text, the write-ahead log included.
    #[must_use]
    pub fn holds(&self, text: &str) -> bool {
        let all = match self.place {
            Place::Sqlite => self.files(),
            Place::Postgres(_) | Place::Elsewhere(_) => self.rows(),
        };
        all.windows(text.len()).any(|part| part == text.as_bytes())
    }

    /// Runs SQLite's integrity check. Does nothing on PostgreSQL, because a killed node cannot
    /// damage its files.
    ///
    /// # Panics
    /// When the file is damaged.
    pub fn check_integrity(&self) {
        if let Place::Sqlite = self.place {
            let path = self.database().display().to_string();
            let mut connection = SqliteConnection::establish(&path).expect("the database opens");
            let findings: Vec<Finding> =
                sql_query("PRAGMA integrity_check").load(&mut connection).expect("it is checked");
            let findings: Vec<_> =
                findings.into_iter().map(|finding| finding.integrity_check).collect();
            assert_eq!(findings, ["ok"]);
        }
    }

    fn files(&self) -> Vec<u8> {
        let mut all = Vec::new();
        for entry in fs::read_dir(self.directory.path()).expect("the directory can be read") {
            let path = entry.expect("an entry").path();
            if path.is_file() {
                all.extend(fs::read(path).expect("a file of the store can be read"));
            }
        }
        all
    }

    /// Every row of every table, with binary values as text.
    fn rows(&self) -> Vec<u8> {
        let tables = "SELECT format('SELECT t::text FROM %I t', tablename) FROM pg_tables \
                      WHERE schemaname = current_schema()";
        let reads = query(&self.url(), tables).join(";");
        query(&self.url(), &format!("SET bytea_output = escape;{reads}")).concat().into_bytes()
    }
}
