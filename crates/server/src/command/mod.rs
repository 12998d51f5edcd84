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
    command_line::Task, error::CommandError, log::Outbox, settings::Configuration, store::Access,
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
        Task::Export { file, force } => export::run(&configuration, &file, force).await,
        Task::Token(task) => token::run(&configuration, task).await,
        Task::Backup { file } => backup::run(&configuration, &file).await,
        Task::Check { dry_run } => check::run(&configuration, dry_run).await,
    }
}

/// Opening the store is what brings its schema up to date.
async fn migrate(configuration: &Configuration) -> Result<(), CommandError> {
    Wiring::for_command(configuration, Access::Make).await?.close().await;
    Ok(())
}

/// Whether a file stands for standard input or output.
fn is_standard(file: &Path) -> bool {
    file == Path::new("-")
}
