//! The scheduled task of an execution. The column is never null, because a node of an earlier version
//! cannot read null there: an execution without a task has the nil UUID, which is no id of a task.

use patrol_domain::{
    StoreError,
    ids::{ScheduledTaskId, Uuid},
};

use crate::stored::{
    list::Text,
    row::Row,
    sql::{Id, id},
};

/// The column with null for an execution without a task. The indexes of lists have the same expressions.
pub(super) const NULLABLE: Text = Text {
    sqlite: "nullif(scheduled_task_id, x'00000000000000000000000000000000')",
    postgres: "nullif(scheduled_task_id, '00000000-0000-0000-0000-000000000000'::uuid)",
};

/// The form of the column.
pub(super) fn written(task: Option<ScheduledTaskId>) -> Id {
    id(task.map_or(Uuid::nil(), Uuid::from))
}

/// The task in the column.
pub(super) fn read(at: Row, stored: Id) -> Result<Option<ScheduledTaskId>, StoreError> {
    let task: Uuid = at.id("scheduled_task_id", stored)?;
    Ok((!task.is_nil()).then_some(ScheduledTaskId(task)))
}
