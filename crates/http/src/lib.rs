//! The HTTP adapter of Patrol: routes, the pipeline around handlers, errors, lists.
//!
//! Everything under `/v1` is in one table ([`routes`]) and passes one pipeline, which authenticates
//! and checks the permission before a handler can run.

mod access;
mod body;
mod budget;
mod check_list;
mod connection;
mod error;
mod extract;
mod fault_style;
mod form;
mod header;
mod health;
mod ignored;
mod list;
mod load;
mod location;
mod log;
mod long_lists;
mod metrics;
mod openapi;
mod photo;
mod point;
mod query_string;
mod reply;
mod request_id;
mod route;
mod routes;
mod series;
mod serve;
mod services;
mod task_execution;
#[cfg(test)]
mod testing;
mod throttle;
mod user;

pub use connection::SPARE as SPARE_CONNECTIONS;
pub use serve::{Bound, bind, serve};
pub use services::{Build, Services, Settings};
