//! The records of the API as JSON, with their schemas. Responses and the log of changes use the same
//! form.

mod access;
mod changes;
mod check_list;
mod event;
mod point;
mod task_execution;
mod user;
pub mod value;

pub use access::TokenRecord;
pub use changes::{Recorded, changes, import_counts};
pub use check_list::CheckListRecord;
pub use event::{ChangeRecord, EventRecord};
pub use point::{HistoryRow, PlaceRecord, PointRecord, read_point};
pub use task_execution::ExecutionRecord;
pub use user::{AccountRecord, UserRecord};
