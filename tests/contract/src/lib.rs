//! The contract suite: a case for every sentence of the ports' documentation. Each adapter runs it
//! with [`contract_cases!`](crate::contract_cases), photo stores with
//! [`photos_cases!`](crate::photos_cases), and authentication with
//! [`authentication_cases!`](crate::authentication_cases).

// A case fails by a panic, like any test, and prints the seed of its random values.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout
)]

mod arbitrary;
pub mod authentication;
mod cases;
pub mod check_list;
pub mod data_set;
pub mod event;
pub mod figures;
pub mod graphic_plan;
pub mod idempotency;
pub mod job;
pub mod list;
mod listing;
pub mod location;
pub mod media;
mod model;
pub mod occurrence;
pub mod photo;
pub mod photos;
pub mod point;
pub mod records;
pub mod report;
pub mod round;
mod sample;
pub mod scheduled_task;
pub mod series;
pub mod series_plan;
pub mod sign_in;
pub mod task_execution;
pub mod token;
pub mod user;

use std::{future::Future, sync::Arc};

use patrol_domain::{
    Measured, Readiness, Records,
    access::Tokens,
    check_list::{CheckList, CheckListActions},
    data_set::DataSets,
    event::Events,
    figures::FigureStore,
    graphic_plan::GraphicPlans,
    idempotency::IdempotencyKeys,
    job::Jobs,
    location::Location,
    media::Media,
    photo::{ImageOwners, UserPhotos},
    point::{Point, PointHistory},
    report::Reports,
    scheduled_task::{Rounds, ScheduledTask},
    series::Series,
    sign_in::{Invitations, Passwords, Sessions, SignInFailures},
    task_execution::TaskExecutions,
    user::Users,
};

/// The ports of one store.
#[derive(Clone)]
#[allow(missing_docs)] // named like the ports
pub struct Ports {
    pub task_executions: Arc<dyn TaskExecutions>,
    pub reports: Arc<dyn Reports>,
    pub series: Arc<dyn Series>,
    pub scheduled_tasks: Arc<dyn Records<ScheduledTask>>,
    pub rounds: Arc<dyn Rounds>,
    pub users: Arc<dyn Users>,
    pub user_photos: Arc<dyn UserPhotos>,
    pub image_owners: Arc<dyn ImageOwners>,
    pub graphic_plans: Arc<dyn GraphicPlans>,
    pub media: Arc<dyn Media>,
    pub locations: Arc<dyn Records<Location>>,
    pub points: Arc<dyn Records<Point>>,
    pub check_lists: Arc<dyn Records<CheckList>>,
    pub point_history: Arc<dyn PointHistory>,
    pub check_list_actions: Arc<dyn CheckListActions>,
    pub tokens: Arc<dyn Tokens>,
    pub data_sets: Arc<dyn DataSets>,
    pub events: Arc<dyn Events>,
    pub figures: Arc<dyn FigureStore>,
    pub idempotency_keys: Arc<dyn IdempotencyKeys>,
    pub jobs: Arc<dyn Jobs>,
    pub passwords: Arc<dyn Passwords>,
    pub sessions: Arc<dyn Sessions>,
    pub invitations: Arc<dyn Invitations>,
    pub sign_in_failures: Arc<dyn SignInFailures>,
    pub readiness: Arc<dyn Readiness>,
    pub measured: Arc<dyn Measured>,
}

impl Ports {
    /// The ports of one store: those that `store` has itself, and those of its `repository`.
    pub fn of<S, R>(store: S, repository: R) -> Self
    where
        S: DataSets + IdempotencyKeys + Readiness + Measured + 'static,
        R: TaskExecutions
            + Reports
            + Series
            + Records<ScheduledTask>
            + Rounds
            + Users
            + UserPhotos
            + ImageOwners
            + GraphicPlans
            + Media
            + Records<Location>
            + Records<Point>
            + Records<CheckList>
            + PointHistory
            + CheckListActions
            + Tokens
            + Events
            + FigureStore
            + Jobs
            + Passwords
            + Sessions
            + Invitations
            + SignInFailures
            + 'static,
    {
        let (store, repository) = (Arc::new(store), Arc::new(repository));
        Self {
            task_executions: repository.clone(),
            reports: repository.clone(),
            series: repository.clone(),
            scheduled_tasks: repository.clone(),
            rounds: repository.clone(),
            users: repository.clone(),
            user_photos: repository.clone(),
            image_owners: repository.clone(),
            graphic_plans: repository.clone(),
            media: repository.clone(),
            locations: repository.clone(),
            points: repository.clone(),
            check_lists: repository.clone(),
            point_history: repository.clone(),
            check_list_actions: repository.clone(),
            tokens: repository.clone(),
            data_sets: store.clone(),
            events: repository.clone(),
            figures: repository.clone(),
            idempotency_keys: store.clone(),
            jobs: repository.clone(),
            passwords: repository.clone(),
            sessions: repository.clone(),
            invitations: repository.clone(),
            sign_in_failures: repository,
            readiness: store.clone(),
            measured: store,
        }
    }
}

/// Creates the stores that the cases use.
pub trait Adapter: Send + Sync {
    /// The ports of an empty store that nothing else uses.
    fn fresh(&self) -> impl Future<Output = Ports> + Send;
}
