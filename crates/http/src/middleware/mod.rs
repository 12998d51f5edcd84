//! The middleware of the app: [`connection`] begins and ends requests on their connection,
//! [`observe`] turns errors into responses, adds the headers of every response, and writes the log
//! and the metrics, [`resource`] wraps each resource, [`handler`] turns panics into errors.

mod connection;
mod failure;
mod handler;
mod head_body;
mod observe;
mod resource;
mod unfinished;

pub(crate) use connection::use_connection;
pub(crate) use failure::answer_failure;
pub(crate) use handler::call_handler;
pub(crate) use observe::observe;
pub(crate) use resource::{ResourceProperties, enter_resource, method_not_allowed, not_found};
