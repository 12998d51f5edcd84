//! Runs the commands.

mod backup;
mod check;
mod demo;
mod existing_photos;
mod export;
mod health;
mod import;
mod invite;
mod labels;
mod package_files;
mod serve;
mod standard_stream;
mod token;
mod user;
mod walk;

use std::sync::Arc;

use patrol_domain::Monitored;

use crate::{
    command_line::Task, error::CommandError, log::Outbox, root_user, settings::Configuration,
    store::Access, wiring::Wiring,
};

pub(crate) async fn run(
    task: Task,
    configuration: Configuration,
    log: &Outbox,
    traces: Option<Arc<dyn Monitored>>,
) -> Result<(), CommandError> {
    if !matches!(task, Task::Health | Task::PackageFiles { .. }) {
        root_user::check(&configuration)?;
    }
    match task {
        Task::Serve(options) => serve::run(configuration, &options, log, traces).await,
        Task::Migrate => migrate(&configuration).await,
        Task::Import { file, dry_run } => import::run(&configuration, &file, dry_run).await,
        Task::Export { file, force } => export::run(&configuration, &file, force).await,
        Task::Token(task) => token::run(&configuration, task).await,
        Task::User(task) => user::run(&configuration, task).await,
        Task::Labels { location, language } => {
            labels::run(&configuration, &location, &language).await
        }
        Task::Backup { file } => backup::run(&configuration, &file).await,
        Task::Check { dry_run } => check::run(&configuration, dry_run).await,
        Task::Health => health::run(&configuration).await,
        Task::PackageFiles { folder } => package_files::run(&folder),
    }
}

/// Opening the store migrates its schema.
async fn migrate(configuration: &Configuration) -> Result<(), CommandError> {
    Wiring::run(configuration, Access::Create, async |_| Ok(())).await
}
