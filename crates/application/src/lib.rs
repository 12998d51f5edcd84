//! The use cases of Patrol, for HTTP, the command line and a future web site. A use case checks the
//! permission first, then takes the rules from the domain and calls the ports of a store, whichever
//! store it is.

mod access;
mod check_list;
mod data_set;
mod event;
mod failure;
mod location;
mod permission;
mod photo;
mod point;
mod rules;
mod series;
mod task_execution;
mod user;

pub use access::{AccessService, Issued, TokenDraft};
pub use check_list::CheckListService;
pub use data_set::DataSetService;
pub use event::{EventService, EventsOf};
pub use failure::Failure;
pub use location::LocationService;
pub use permission::{
    Actor, Operation, Operator, may_see_pin, permit, permit_members, permit_record, permit_tokens,
};
pub use photo::{PhotoCheck, PhotoService};
pub use point::PointService;
pub use rules::rules;
pub use series::{SeriesService, SplitSeries};
pub use task_execution::{CopyDraft, MOST_COPIES, TaskExecutionService};
pub use user::UserService;
