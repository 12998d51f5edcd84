//! The contract suite: what every sentence of the ports' documentation means, as cases that each
//! adapter runs with [`contract_cases!`](crate::contract_cases), where it keeps photos with
//! [`photos_cases!`](crate::photos_cases), and where it authenticates with
//! [`authentication_cases!`](crate::authentication_cases).

// A case fails by a panic, as a test does, and prints the seed of what it drew.
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
pub mod job;
pub mod list;
mod listing;
pub mod location;
mod model;
pub mod photo;
pub mod photos;
pub mod point;
mod sample;
pub mod series;
pub mod task_execution;
pub mod token;
pub mod user;

use std::{future::Future, sync::Arc};

use patrol_domain::{
    Readiness, access::Tokens, check_list::CheckListActions, data_set::DataSets, job::Jobs,
    location::Locations, photo::UserPhotos, point::Points, series::Series,
    task_execution::TaskExecutions, user::Users,
};

/// The ports of one store.
#[derive(Clone)]
#[allow(missing_docs)] // the names are the ports'
pub struct Ports {
    pub task_executions: Arc<dyn TaskExecutions>,
    pub series: Arc<dyn Series>,
    pub users: Arc<dyn Users>,
    pub user_photos: Arc<dyn UserPhotos>,
    pub locations: Arc<dyn Locations>,
    pub points: Arc<dyn Points>,
    pub check_list_actions: Arc<dyn CheckListActions>,
    pub tokens: Arc<dyn Tokens>,
    pub data_sets: Arc<dyn DataSets>,
    pub jobs: Arc<dyn Jobs>,
    pub readiness: Arc<dyn Readiness>,
}

impl Ports {
    /// Those of `store`, which is an adapter of all of them.
    pub fn of<S>(store: S) -> Self
    where
        S: TaskExecutions
            + Series
            + Users
            + UserPhotos
            + Locations
            + Points
            + CheckListActions
            + Tokens
            + DataSets
            + Jobs
            + Readiness
            + 'static,
    {
        let store = Arc::new(store);
        Self {
            task_executions: store.clone(),
            series: store.clone(),
            users: store.clone(),
            user_photos: store.clone(),
            locations: store.clone(),
            points: store.clone(),
            check_list_actions: store.clone(),
            tokens: store.clone(),
            data_sets: store.clone(),
            jobs: store.clone(),
            readiness: store,
        }
    }
}

/// Gives the stores that the cases work on.
pub trait Adapter: Send + Sync {
    /// The ports of a store that holds nothing, and that nothing else uses.
    fn fresh(&self) -> impl Future<Output = Ports> + Send;
}
