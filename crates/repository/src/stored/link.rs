//! Link tables: on a database without arrays, the values of a set are `(value, row)` pairs, by which
//! lists find the records that have a value.

use std::iter::repeat;

use patrol_domain::{
    ids::Uuid, location::Location, scheduled_task::ScheduledTask, task_execution::TaskExecution,
};
use patrol_record::Recorded;

use crate::stored::list::Bind;

/// A link table, and a value of a record in it.
pub type Link = (&'static str, Bind);

/// A kind of record with sets that lists filter by.
pub trait Linked: Recorded + Sync {
    /// The values of these sets, without duplicates.
    fn links(&self) -> Vec<Link>;
}

impl Linked for Location {
    fn links(&self) -> Vec<Link> {
        texts("location_tags", &self.tags).collect()
    }
}

impl Linked for ScheduledTask {
    fn links(&self) -> Vec<Link> {
        ids("scheduled_task_assignees", &self.assignee_ids)
            .chain(texts("scheduled_task_tags", &self.tags))
            .chain(ids("scheduled_task_check_lists", &self.check_list_ids()))
            .collect()
    }
}

impl Linked for TaskExecution {
    fn links(&self) -> Vec<Link> {
        ids("task_execution_assignees", &self.assignee_ids)
            .chain(texts("task_execution_tags", &self.tags))
            .chain(ids("task_execution_points", &self.point_ids()))
            .collect()
    }
}

fn ids<T: Copy + Into<Uuid>>(table: &'static str, ids: &[T]) -> impl Iterator<Item = Link> {
    repeat(table).zip(ids.iter().map(|id| Bind::id(*id)))
}

fn texts(table: &'static str, texts: &[String]) -> impl Iterator<Item = Link> {
    repeat(table).zip(texts.iter().cloned().map(Bind::Text))
}
