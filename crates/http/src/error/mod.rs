//! Errors of requests: one type, one table, one body.

mod answer;
mod code;
mod failure;
mod language;
mod problem;

pub(crate) use answer::Body;
pub(crate) use code::Code;
pub(crate) use language::Language;
pub(crate) use problem::{ApiError, Detail, HandlerResult, Problem};
