//! Writes records as lines of a file.

use std::io::{self, Write};

use patrol_domain::data_set::Record;
use serde::Serialize;

use crate::{check_list, location, point, scheduled_task, task_execution, user};

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
enum Row<'a> {
    User(user::Row<'a>),
    Location(location::Row<'a>),
    GraphicPlan(location::PlanRow<'a>),
    Point(point::Row<'a>),
    CheckList(check_list::Row<'a>),
    ScheduledTask(scheduled_task::Row<'a>),
    TaskExecution(task_execution::Row<'a>),
}

impl<'a> From<&'a Record> for Row<'a> {
    fn from(record: &'a Record) -> Self {
        match record {
            Record::User { user, password_hash: _ } => Self::User((&**user).into()),
            Record::Location(location) => Self::Location(location.into()),
            Record::GraphicPlan(plan) => Self::GraphicPlan(plan.into()),
            Record::Point(point) => Self::Point((&**point).into()),
            Record::CheckList(list) => Self::CheckList(list.into()),
            Record::ScheduledTask(task) => Self::ScheduledTask(task.into()),
            Record::TaskExecution(execution) => Self::TaskExecution((&**execution).into()),
        }
    }
}

/// Writes a record as a line that an import can read. The line contains all members; lists keep their
/// order. `out` should be buffered, because each line takes many small writes.
///
/// # Errors
/// Those of `out`.
pub fn write_record(record: &Record, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &Row::from(record))?;
    out.write_all(b"\n")
}
