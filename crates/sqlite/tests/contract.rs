//! Runs the contract suite on SQLite.

// Clippy does not treat functions called by tests as test code.
#![allow(clippy::unwrap_used)]

use std::sync::atomic::{AtomicU32, Ordering};

use patrol_contract::{Adapter, Ports};
use patrol_repository::Repository;
use patrol_sqlite::{ProgramKind, Settings, Store};
use tempfile::TempDir;

/// Each store is a file in a folder that the adapter removes when dropped.
struct Sqlite {
    folder: TempDir,
    stores: AtomicU32,
}

impl Sqlite {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), stores: AtomicU32::new(0) }
    }
}

impl Adapter for Sqlite {
    async fn fresh(&self) -> Ports {
        let number = self.stores.fetch_add(1, Ordering::Relaxed);
        let settings = Settings {
            path: self.folder.path().join(format!("{number}.db")),
            readers: 2,
            queue: 1_024,
            lock: ProgramKind::Server,
            wal_limit: 1 << 30,
            list_memory: 1 << 26,
        };
        let store = Store::open(&settings).unwrap();
        Ports::of(store.clone(), Repository(store))
    }
}

patrol_contract::contract_cases!(Sqlite::new());
