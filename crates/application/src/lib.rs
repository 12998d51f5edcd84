//! The use cases of Patrol: what a client, the command line and a web page can ask for. Each asks
//! the domain for the rule and a port for the store; none knows which store.

mod access;
mod data_set;
mod failure;
mod permission;
mod rules;
mod series;
mod task_execution;

pub use access::{AccessService, Issued, TokenDraft};
pub use data_set::DataSetService;
pub use failure::Failure;
pub use permission::{Operation, may, may_keep_tokens};
pub use rules::rules;
pub use series::{SeriesService, SplitSeries};
pub use task_execution::{CopyDraft, TaskExecutionService};
