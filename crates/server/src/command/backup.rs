//! `patrol backup`.

use std::path::Path;

use crate::{
    error::CommandError,
    settings::{Configuration, Database},
    store::{self, Access},
};

/// Copies the store to `file`, which must not exist.
pub(super) async fn run(configuration: &Configuration, file: &Path) -> Result<(), CommandError> {
    let Database::Sqlite(path) = &configuration.database else {
        return Err(CommandError::Usage(
            "backup is for SQLite; use pg_dump for PostgreSQL".to_owned(),
        ));
    };
    let shown = file.display();
    let store = store::open_file(path, Access::Read)?;
    if file.symlink_metadata().is_ok() {
        return Err(CommandError::Failed(format!(
            "{shown} exists already; choose another name or remove it first"
        )));
    }
    let copied = store.backup(file).await;
    store.close().await;
    copied.map_err(|error| {
        CommandError::Failed(format!(
            "cannot copy the store to {shown}: {error}; check the folder, its permissions and space"
        ))
    })
}
