//! The contract suite on PostgreSQL: with one node, and with two nodes of one database.

// Clippy does not treat functions called by tests as test code.
#![allow(clippy::unwrap_used)]

mod characters;
mod crowds;
mod nodes;

use std::{path::Path, sync::Mutex};

use patrol_contract::{Adapter, Ports};
use patrol_postgres::{Settings, Store};
use patrol_repository::Repository;
use patrol_test_servers::postgres::Database;
use tokio::{runtime::Runtime, task::spawn_blocking};

use self::nodes::Nodes;

/// Each store is a database that the adapter drops.
struct Postgres {
    nodes: usize,
    databases: Mutex<Vec<Database>>,
}

impl Postgres {
    fn new(nodes: usize) -> Self {
        Self { nodes, databases: Mutex::new(Vec::new()) }
    }

    /// The number of deadlocks that PostgreSQL has resolved in the databases. A session that has
    /// ended has reported all of its own.
    fn deadlocks(&self) -> u64 {
        let count = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
        let databases = self.databases.lock().unwrap();
        let counts = databases.iter().flat_map(|database| {
            let end = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity \
                WHERE datname = current_database() AND pid <> pg_backend_pid()";
            drop(patrol_test_servers::postgres::query(&database.url(), end));
            patrol_test_servers::postgres::query(&database.url(), count)
        });
        counts.map(|count| count.parse::<u64>().unwrap()).sum()
    }
}

impl Adapter for Postgres {
    async fn fresh(&self) -> Ports {
        let database = spawn_blocking(database).await.unwrap();
        let mut stores = Vec::new();
        for _ in 0..self.nodes {
            stores.push(open(&database.url()).await);
        }
        self.databases.lock().unwrap().push(database);
        let nodes = Nodes::new(stores);
        Ports::of(nodes.clone(), Repository(nodes))
    }
}

fn database() -> Database {
    let migrations = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations/postgres");
    Database::fresh(&migrations, |url| drop(Runtime::new().unwrap().block_on(open(url))))
}

async fn open(url: &str) -> Store {
    Store::open(&Settings::new(url, 4).unwrap()).await.unwrap()
}

mod one_node {
    use super::*;

    patrol_contract::contract_cases!(Postgres::new(1));
}

mod two_nodes {
    use super::*;

    patrol_contract::contract_cases!(Postgres::new(2));
}
