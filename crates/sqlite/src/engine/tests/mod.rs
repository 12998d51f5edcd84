//! Tests of the engine with its own tables.

mod crowds;
mod groups;
mod lists;
mod opening;
mod reading;

use std::{path::PathBuf, sync::mpsc, time::Duration};

use diesel::{
    Connection, QueryResult, QueryableByName, RunQueryDsl, SqliteConnection,
    connection::SimpleConnection,
    sql_types::{BigInt, Text},
};
use patrol_domain::StoreError;
use tempfile::TempDir;
use tokio::task::JoinHandle;

use super::{
    error::Abort,
    store::{ProgramKind, Settings, Store, Timeouts},
};

/// A store in a temporary folder with short waits.
struct Trial {
    store: Store,
    folder: TempDir,
}

const TIMEOUTS: Timeouts = Timeouts {
    lock: Duration::from_millis(200),
    open: Duration::from_secs(30),
    wait: Some(Duration::from_secs(5)),
    lists: None,
};

impl Trial {
    async fn new() -> Self {
        Self::with(TIMEOUTS).await
    }

    async fn with(timeouts: Timeouts) -> Self {
        let folder = TempDir::new().unwrap();
        let store = Store::open_with(&settings(folder.path().join("a.db")), timeouts).unwrap();
        let trial = Self { store, folder };
        let table = "CREATE TABLE item (name TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT;
                     CREATE TABLE child (
                         name TEXT REFERENCES item (name) DEFERRABLE INITIALLY DEFERRED
                     ) STRICT;";
        trial.store.write(move |conn| execute(conn, table)).await.unwrap();
        trial
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("a.db")
    }

    /// A connection beside the store's, as another process would have it.
    fn beside(&self) -> SqliteConnection {
        SqliteConnection::establish(self.path().to_str().unwrap()).unwrap()
    }

    /// The durable names, in order.
    fn names(&self) -> Vec<String> {
        names(&mut self.beside()).unwrap()
    }

    /// Keeps the writer busy until the returned sender is used or dropped, so that later writes
    /// form one group.
    async fn hold(&self) -> mpsc::Sender<()> {
        let (release, held) = mpsc::channel::<()>();
        let (begun, beginning) = tokio::sync::oneshot::channel();
        let (store, mut begun) = (self.store.clone(), Some(begun));
        tokio::spawn(async move {
            store
                .write(move |_| -> Result<(), Abort<StoreError>> {
                    if let Some(begun) = begun.take() {
                        begun.send(()).unwrap();
                    }
                    held.recv().unwrap_or(());
                    Ok(())
                })
                .await
        });
        beginning.await.unwrap();
        release
    }

    /// Starts to insert an item.
    fn insert(&self, name: impl Into<String>) -> JoinHandle<Result<(), StoreError>> {
        let name = name.into();
        self.begin(move |conn| insert(conn, &name, "body"))
    }

    /// Starts a write, which is in the queue when this returns.
    fn begin<T: Send + 'static>(
        &self,
        job: impl FnMut(&mut SqliteConnection) -> Result<T, Abort<StoreError>> + Send + 'static,
    ) -> JoinHandle<Result<T, StoreError>> {
        let store = self.store.clone();
        let mut write = Box::pin(async move { store.write(job).await });
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        match write.as_mut().poll(&mut context) {
            std::task::Poll::Ready(result) => tokio::spawn(async { result }),
            std::task::Poll::Pending => tokio::spawn(write),
        }
    }
}

fn settings(path: PathBuf) -> Settings {
    Settings {
        path,
        readers: 2,
        queue: 128,
        lock: ProgramKind::Server,
        wal_limit: 1 << 30,
        list_memory: 1 << 26,
    }
}

fn execute(conn: &mut SqliteConnection, sql: &str) -> Result<(), Abort<StoreError>> {
    Ok(conn.batch_execute(sql)?)
}

fn insert(conn: &mut SqliteConnection, name: &str, body: &str) -> Result<(), Abort<StoreError>> {
    diesel::sql_query("INSERT INTO item (name, body) VALUES (?, ?)")
        .bind::<Text, _>(name)
        .bind::<Text, _>(body)
        .execute(conn)?;
    Ok(())
}

fn names(conn: &mut SqliteConnection) -> QueryResult<Vec<String>> {
    #[derive(QueryableByName)]
    struct Item {
        #[diesel(sql_type = Text)]
        name: String,
    }
    let items: Vec<Item> = diesel::sql_query("SELECT name FROM item ORDER BY name").load(conn)?;
    Ok(items.into_iter().map(|item| item.name).collect())
}

/// The only number that `sql` returns in the column `value`.
fn number(conn: &mut SqliteConnection, sql: &str) -> i64 {
    #[derive(QueryableByName)]
    struct Number {
        #[diesel(sql_type = BigInt)]
        value: i64,
    }
    diesel::sql_query(sql).get_result::<Number>(conn).unwrap().value
}
