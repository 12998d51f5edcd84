//! Opens and closes the configured store.

use std::{
    path::{self, Path},
    sync::Arc,
    time::Duration,
};

use patrol_domain::{
    Measured, Monitored, Readiness, data_set::DataSets, idempotency::IdempotencyKeys,
};
use patrol_repository::Repository;
use tokio::sync::oneshot;

use crate::{
    error::CommandError,
    settings::{Configuration, Database},
};

/// The maximum number of jobs that may wait for each kind of SQLite thread. When the queue is full,
/// requests are answered with 503.
const QUEUE: usize = 1024;
/// How long `serve` tries to reach the store at start.
const START_TIMEOUT: Duration = Duration::from_secs(30);
/// The pause between two attempts.
const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// How a command uses the store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    /// Creates the store when it is missing, and migrates its schema.
    Create,
    /// Changes records of an existing store.
    Change,
    /// Reads an existing store and leaves its files unchanged.
    Read,
}

/// The ports that `patrol-sqlite` and `patrol-postgres` implement.
pub(crate) trait Ports:
    DataSets + IdempotencyKeys + Readiness + Measured + Monitored
{
}

impl<T> Ports for T where T: DataSets + IdempotencyKeys + Readiness + Measured + Monitored {}

/// An open store. Clones share it.
#[derive(Clone)]
pub(crate) enum Store {
    Sqlite(patrol_sqlite::Store),
    Postgres(patrol_postgres::Store),
}

impl Store {
    /// Opens the store for a command that may run next to a server. Fails at once when the store
    /// cannot be reached.
    pub(crate) async fn for_command(
        configuration: &Configuration,
        access: Access,
    ) -> Result<Self, CommandError> {
        match &configuration.database {
            Database::Sqlite(path) => Ok(Self::Sqlite(open_file(path, access)?)),
            Database::Postgres(url) => {
                let settings = postgres(url, configuration.database_pool)?;
                let settings = settings.read_by(patrol_postgres::Reader::Person);
                let opened = match access {
                    Access::Create => patrol_postgres::Store::open(&settings).await,
                    Access::Change | Access::Read => {
                        patrol_postgres::Store::open_existing(&settings).await
                    }
                };
                Ok(Self::Postgres(opened?))
            }
        }
    }

    /// Opens the store for a server: retries for 30 s when the store cannot be reached.
    pub(crate) async fn for_server(configuration: &Configuration) -> Result<Self, CommandError> {
        match &configuration.database {
            Database::Sqlite(path) => {
                let mut settings = sqlite(path, patrol_sqlite::ProgramKind::Server);
                settings.wal_limit = configuration.wal_limit;
                settings.list_memory = configuration.list_memory;
                let new_file = NewFile::expected(configuration);
                let store = open_sqlite(settings).await?;
                new_file.log();
                for warning in store.compile_option_warnings() {
                    tracing::warn!(
                        "{warning}: it works, only slower; build from the root of the repository"
                    );
                }
                Ok(Self::Sqlite(store))
            }
            Database::Postgres(url) => {
                let settings = postgres(url, configuration.database_pool)?
                    .with_list_memory(configuration.list_memory);
                let store = open_postgres(&settings).await?;
                if let Ok(Some(warning)) = store.search_warning().await {
                    tracing::warn!(
                        "{warning}: search works, only slower; see \"Search\" in docs/postgresql.md"
                    );
                }
                Ok(Self::Postgres(store))
            }
        }
    }

    /// The ports that the store implements itself.
    pub(crate) fn ports(&self) -> Arc<dyn Ports> {
        match self {
            Self::Sqlite(store) => Arc::new(store.clone()),
            Self::Postgres(store) => Arc::new(store.clone()),
        }
    }

    /// The ports that `patrol-repository` implements.
    pub(crate) fn repository(&self) -> Arc<dyn patrol_repository::Ports> {
        match self {
            Self::Sqlite(store) => Arc::new(Repository(store.clone())),
            Self::Postgres(store) => Arc::new(Repository(store.clone())),
        }
    }

    /// Finishes pending work and closes the store.
    pub(crate) async fn close(self) {
        match self {
            Self::Sqlite(store) => store.close().await,
            Self::Postgres(store) => store.close().await,
        }
    }
}

/// A SQLite file that a command is about to create. An operator has to see it in the log: an existing
/// store may be somewhere else, or lost.
pub(crate) struct NewFile<'a>(Option<&'a Path>);

impl<'a> NewFile<'a> {
    /// The file of the configuration, if it does not exist.
    pub(crate) fn expected(configuration: &'a Configuration) -> Self {
        Self(match &configuration.database {
            Database::Sqlite(path) if !path.exists() => Some(path),
            Database::Sqlite(_) | Database::Postgres(_) => None,
        })
    }

    /// Logs that it was created.
    pub(crate) fn log(self) {
        if let Some(path) = self.0 {
            let path = path::absolute(path).unwrap_or_else(|_| path.to_owned());
            tracing::info!(path = %path.display(), "created a new, empty store");
        }
    }
}

/// Opens a SQLite file for a command that may run next to a server.
pub(crate) fn open_file(path: &Path, access: Access) -> Result<patrol_sqlite::Store, CommandError> {
    let settings = sqlite(path, patrol_sqlite::ProgramKind::Command);
    Ok(match access {
        Access::Create => patrol_sqlite::Store::open(&settings)?,
        Access::Change => {
            patrol_sqlite::Store::open_existing(&settings, patrol_sqlite::Access::Change)?
        }
        Access::Read => {
            patrol_sqlite::Store::open_existing(&settings, patrol_sqlite::Access::Read)?
        }
    })
}

/// The maximum number of descriptors that the store of a server opens.
///
/// # Errors
/// When the URL of the database cannot be read.
pub(crate) fn descriptors_of(configuration: &Configuration) -> Result<usize, CommandError> {
    Ok(match &configuration.database {
        Database::Sqlite(path) => sqlite(path, patrol_sqlite::ProgramKind::Server).descriptors(),
        Database::Postgres(url) => postgres(url, configuration.database_pool)?.connections(),
    })
}

fn sqlite(path: &Path, lock: patrol_sqlite::ProgramKind) -> patrol_sqlite::Settings {
    let readers = std::thread::available_parallelism().map_or(1, usize::from);
    // A command must not abort long lists of the server to keep the write-ahead log small.
    let wal_limit = u64::MAX;
    let (path, queue) = (path.to_owned(), QUEUE);
    patrol_sqlite::Settings { path, readers, queue, lock, wal_limit, list_memory: 0 }
}

fn postgres(url: &str, pool: usize) -> Result<patrol_postgres::Settings, CommandError> {
    patrol_postgres::Settings::new(url, pool)
        .map_err(|error| CommandError::Usage(format!("database_url: {error}")))
}

/// Opens the file on its own thread, because opening may wait 30 s for another process.
async fn open_sqlite(
    settings: patrol_sqlite::Settings,
) -> Result<patrol_sqlite::Store, CommandError> {
    let (to, opened) = oneshot::channel();
    let path = settings.path.clone();
    std::thread::Builder::new()
        .name("open".to_owned())
        // The receiver is gone when a signal arrived in the meantime.
        .spawn(move || drop(to.send(patrol_sqlite::Store::open(&settings))))
        .map_err(|error| CommandError::Failed(format!("cannot start a thread: {error}")))?;
    tokio::pin!(opened);
    let mut seconds = 0;
    loop {
        tokio::select! {
            opened = &mut opened => return match opened {
                Ok(opened) => Ok(opened?),
                Err(_) => Err(CommandError::Failed("the store could not be opened".to_owned())),
            },
            () = tokio::time::sleep(Duration::from_secs(1)) => {
                seconds += 1;
                if seconds % 5 == 1 {
                    tracing::warn!(
                        path = %path.display(), seconds,
                        "the store is not open yet: its schema is being brought up to date, or \
                         another process has locked it, which is waited for up to 30 s"
                    );
                }
            }
        }
    }
}

async fn open_postgres(
    settings: &patrol_postgres::Settings,
) -> Result<patrol_postgres::Store, CommandError> {
    let end = tokio::time::Instant::now() + START_TIMEOUT;
    loop {
        match patrol_postgres::Store::open(settings).await {
            Err(patrol_postgres::OpenError::Unreachable(reason))
                if tokio::time::Instant::now() < end =>
            {
                tracing::warn!(reason, "the store cannot be reached; trying for 30 s");
                let next = tokio::time::Instant::now() + RETRY_PAUSE;
                tokio::time::sleep_until(next.min(end)).await;
            }
            opened => return Ok(opened?),
        }
    }
}

/// A path relative to the working directory if it is inside, as a user would type it.
fn shown(path: &Path) -> std::path::Display<'_> {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here).unwrap_or(path).display()
}

impl From<patrol_sqlite::OpenError> for CommandError {
    fn from(error: patrol_sqlite::OpenError) -> Self {
        use patrol_sqlite::OpenError;
        let advice = match error {
            OpenError::Inaccessible { .. } => {
                "check the path and its permissions, or choose \
                another file with --database-url"
            }
            OpenError::Damaged { .. } => {
                "restore a backup, or choose another file with \
                --database-url"
            }
            OpenError::Missing { ref path } => {
                return Self::Failed(format!(
                    "there is no store at {}; name it with --database-url, or create one with \
                     `patrol migrate`",
                    shown(path)
                ));
            }
            OpenError::Foreign { .. } => "choose another file with --database-url",
            OpenError::Outdated { .. } => "`patrol migrate` brings it up to date",
            OpenError::Busy { .. } => "try again when that process is done",
            OpenError::Schema { .. } => "free space if there is none, or report this",
        };
        Self::Failed(format!("{error}; {advice}"))
    }
}

impl From<patrol_postgres::OpenError> for CommandError {
    fn from(error: patrol_postgres::OpenError) -> Self {
        use patrol_postgres::OpenError;
        let advice = match error {
            OpenError::Unreachable(_) => {
                "check that it runs, and the hosts and ports of --database-url"
            }
            OpenError::Refused(_) => {
                "check the user, the password, the name of the database and \
                sslmode in --database-url"
            }
            OpenError::Missing => {
                "name another one with --database-url, or create it with `patrol migrate`"
            }
            OpenError::Outdated => "`patrol migrate` brings it up to date",
            OpenError::Schema(_) => {
                "give the user the right to create tables, free space if there \
                is none, or report this"
            }
            OpenError::Machine(_) => "free memory or threads, or report this",
        };
        Self::Failed(format!("{error}; {advice}"))
    }
}
