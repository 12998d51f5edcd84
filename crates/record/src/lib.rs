//! The records of the API as JSON, with their schemas. Responses and the log of changes use the same
//! form. [`json`] reads and writes strict JSON.

mod access;
mod changes;
mod check_list;
mod event;
mod graphic_plan;
pub mod json;
mod location;
mod media;
mod point;
mod report;
mod schedule;
mod scheduled_task;
mod task_execution;
mod user;
pub mod value;

pub use access::TokenRecord;
pub use changes::{Recorded, added, changes, import_counts};
pub use check_list::{
    CheckListActionRecord, CheckListRecord, read_check_list, read_check_list_action,
};
pub use event::{ChangeRecord, EventRecord};
pub use graphic_plan::GraphicPlanRecord;
pub use location::{LocationRecord, read_location};
pub use media::{MediumRecord, hex};
pub use point::{HistoryRow, PlaceRecord, PointRecord, read_point};
pub use report::{AcceptedEntry, EntryRecord, PlainVerdict, read_entry};
pub use schedule::{OccurrenceRecord, PauseRecord, ScheduleRecord, read_schedule};
pub use scheduled_task::{ScheduledTaskItem, ScheduledTaskRecord, read_scheduled_task};
pub use task_execution::ExecutionRecord;
pub use user::{AccountRecord, UserRecord, read_user, read_user_patch};
