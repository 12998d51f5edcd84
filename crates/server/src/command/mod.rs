//! What each command does.

mod backup;
mod check;
mod demo;
mod export;
mod import;
mod serve;
mod token;

use std::path::Path;

use crate::{
    command_line::Task,
    error::CommandError,
    log::Outbox,
    settings::{Configuration, Database},
    wiring::Wiring,
};

/// Does what was asked.
pub(crate) async fn run(
    task: Task,
    configuration: Configuration,
    log: &Outbox,
) -> Result<(), CommandError> {
    match task {
        Task::Serve(options) => serve::run(configuration, options.demo, log).await,
        Task::Migrate => migrate(&configuration).await,
        Task::Import { file } => import::run(&configuration, &file).await,
        Task::Export { file } => export::run(&configuration, &file).await,
        Task::Token(task) => token::run(&configuration, task).await,
        Task::Backup { file } => backup::run(&configuration, &file).await,
        Task::Check { dry_run } => check::run(&configuration, dry_run).await,
    }
}

/// Opening the store is what brings its schema up to date.
async fn migrate(configuration: &Configuration) -> Result<(), CommandError> {
    Wiring::for_command(configuration).await?.close().await;
    Ok(())
}

/// That the store is there. A mistyped path would otherwise give a new one that holds nothing, which
/// nobody notices until it counts.
fn has_store(configuration: &Configuration) -> Result<(), CommandError> {
    match &configuration.database {
        Database::Sqlite(path) if !path.exists() => Err(CommandError::Failed(format!(
            "there is no store at {}; name it with --database-url",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// Whether a file stands for standard input or output.
fn is_standard(file: &Path) -> bool {
    file == Path::new("-")
}
