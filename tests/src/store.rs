//! A store of a test's own, in a directory that goes with it.

use std::{fs, path::PathBuf, process::Command};

use tempfile::TempDir;

use crate::{
    data_set::DataSet,
    program::{self, Outcome},
};

/// A SQLite store in a temporary directory.
#[derive(Debug)]
pub struct Store {
    directory: TempDir,
}

impl Store {
    /// A store that does not exist yet.
    #[must_use]
    pub fn empty() -> Self {
        Self { directory: TempDir::with_prefix("patrol-").expect("a temporary directory") }
    }

    /// A store with these records.
    #[must_use]
    pub fn with(data_set: &DataSet) -> Self {
        let store = Self::empty();
        let _ = store.import(data_set).exited(0);
        store
    }

    /// A path in the store's directory.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The file of the database.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.path("patrol.db")
    }

    /// A command of the program on this store, run in the store's directory.
    #[must_use]
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = program::command();
        command
            .args(arguments)
            .current_dir(self.directory.path())
            .env("PATROL_DATABASE_URL", format!("sqlite:{}", self.database().display()));
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

    /// A new token of a user, who is named by id, employeeNo or email.
    #[must_use]
    pub fn token(&self, user: &str) -> String {
        let created = self.run(&["token", "create", "--user", user, "--name", "test"]).exited(0);
        let token = created.stdout.trim_end().to_owned();
        assert!(!token.is_empty() && !token.contains(char::is_whitespace), "{created:?}");
        token
    }

    /// All bytes of the store's files, log of changes included.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut all = Vec::new();
        for entry in fs::read_dir(self.directory.path()).expect("the directory can be read") {
            let path = entry.expect("an entry").path();
            if path.is_file() {
                all.extend(fs::read(path).expect("a file of the store can be read"));
            }
        }
        all
    }
}
