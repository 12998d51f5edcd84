//! The middleware of the app, from the outermost to the innermost: [`connection`] begins and ends
//! requests on their connection, [`observe`] adds the headers of every response and writes the log
//! and the metrics, [`failure`] turns errors into responses, [`resource`] wraps each resource.

mod connection;
mod failure;
mod observe;
mod resource;
mod unfinished;

pub(crate) use connection::use_connection;
pub(crate) use failure::answer_failures;
pub(crate) use observe::observe;
pub(crate) use resource::{Traits, enter_resource, method_not_allowed, not_found};
