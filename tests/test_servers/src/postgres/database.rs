//! Databases for single tests.

use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
};

use super::{folder, shared, sql};

/// A database on the server that all tests share. Dropping the value drops the database.
#[derive(Debug)]
pub struct Database {
    name: String,
}

impl Database {
    /// An empty database.
    ///
    /// # Panics
    /// When there is no server and none can be started.
    #[must_use]
    pub fn empty() -> Self {
        Self::create("")
    }

    /// A database with a current schema. `migrate` migrates the database at a URL; it is called
    /// once for each state of the folder `migrations`, and the result is copied.
    ///
    /// # Panics
    /// When there is no server and none can be started.
    #[must_use]
    pub fn fresh(migrations: &Path, migrate: impl FnOnce(&str)) -> Self {
        let template = format!("patrol_template_{:016x}", state_of(migrations));
        let admin = shared::url("postgres");
        {
            let _one_at_a_time = folder::lock("template");
            let known = format!("SELECT 1 FROM pg_database WHERE datname = '{template}'");
            if sql::query(&admin, &known).is_empty() {
                let draft = Self::create("");
                migrate(&draft.url());
                // A database with open sessions cannot be copied, and `migrate` may have left some.
                draft.end_sessions();
                let rename = format!("ALTER DATABASE {} RENAME TO {template}", draft.name);
                sql::execute(&admin, &rename);
                std::mem::forget(draft);
            }
        }
        Self::create(&format!("TEMPLATE {template}"))
    }

    /// A copy of this database. Waits up to 5 seconds until nothing else uses it.
    ///
    /// # Panics
    /// When it cannot be copied.
    #[must_use]
    pub fn copy(&self) -> Self {
        Self::create(&format!("TEMPLATE {}", self.name))
    }

    /// The URL of the database, for a superuser.
    #[must_use]
    pub fn url(&self) -> String {
        shared::url(&self.name)
    }

    fn create(how: &str) -> Self {
        let name = format!("patrol_test_{}", folder::random());
        sql::execute(&shared::url("postgres"), &format!("CREATE DATABASE {name} {how}"));
        Self { name }
    }

    fn end_sessions(&self) {
        let end = format!(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '{}'",
            self.name
        );
        sql::execute(&shared::url("postgres"), &end);
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // When the server has ended, the database is gone as well.
        let remove = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        drop(sql::attempt(&shared::url("postgres"), &remove));
    }
}

/// A hash of the files in a folder.
fn state_of(folder: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    for file in files(folder) {
        file.hash(&mut hasher);
        fs::read(&file).expect("a file that can be read").hash(&mut hasher);
    }
    hasher.finish()
}

/// All files in a folder, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let each =
        paths.into_iter().flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] });
    each.collect()
}
