//! The row of a scheduled task. Its steps and its schedule are documents.

mod list;
pub mod rounds;

use diesel::{dsl::AsExprOf, pg::Pg, prelude::*, sqlite::Sqlite};
use patrol_domain::{
    Named, StoreError, ids::UserId, scheduled_task::ScheduledTask, shared::text::fold,
};

use crate::stored::{
    computed_text,
    row::Row,
    schedule,
    schema::scheduled_tasks,
    sql::{Id, Ids, StoredPlan, Texts, id, types},
    statement::{Computed, computed_with},
    texts::folded_tags,
};

computed_text!(
    IsAssigned: types::Bool,
    sqlite: "scheduled_tasks.row IN (SELECT row FROM scheduled_task_assignees WHERE value = {})",
    postgres: "scheduled_tasks.assignee_ids @> ARRAY[{}]"
);

/// Whether the user is one of the assignees of a task.
pub fn is_assigned(user: UserId) -> Computed<IsAssigned, AsExprOf<Id, types::Id>> {
    computed_with(id(user).into_sql::<types::Id>())
}

/// The columns of a task, without version, steps and folded texts.
#[derive(Insertable, AsChangeset, Queryable, Selectable)]
#[diesel(table_name = scheduled_tasks, check_for_backend(Sqlite, Pg))]
#[diesel(treat_none_as_default_value = false, treat_none_as_null = true)]
pub struct ScheduledTaskRow {
    id: Id,
    name: String,
    description: Option<String>,
    location_id: Option<Id>,
    assignee_ids: Ids,
    priority: i16,
    order_steps_required: bool,
    strict_time_required: bool,
    deadlined: bool,
    published: bool,
    enabled: bool,
    series_id: Option<Id>,
    tags: Texts,
    schedule: Option<String>,
}

/// The texts that lists compare, in folded form.
#[derive(Insertable, AsChangeset, Queryable, Selectable, Clone, PartialEq, Eq)]
#[diesel(table_name = scheduled_tasks, check_for_backend(Sqlite, Pg))]
#[diesel(treat_none_as_default_value = false, treat_none_as_null = true)]
pub struct Folded {
    name_folded: Option<String>,
    description_folded: Option<String>,
    tags_folded: Option<String>,
}

impl Folded {
    fn of(name: &str, description: Option<&str>, tags: &[String]) -> Self {
        Self {
            name_folded: Some(fold(name)),
            description_folded: description.map(fold),
            tags_folded: Some(folded_tags(tags)),
        }
    }
}

/// The right folded texts of a row; see [`crate::stored::user::outdated`].
#[must_use]
pub fn outdated((read, stored): (ScheduledTaskRow, Folded)) -> Option<Folded> {
    let tags = read.tags.0.as_ref().ok()?;
    let folded = Folded::of(&read.name, read.description.as_deref(), tags);
    (folded != stored).then_some(folded)
}

impl ScheduledTaskRow {
    /// The columns of `task`.
    ///
    /// # Errors
    /// `Internal` when the schedule cannot be written.
    pub fn of(task: &ScheduledTask) -> Result<(Self, Folded), StoreError> {
        let ScheduledTask {
            id: task_id,
            name,
            description,
            location_id,
            assignee_ids,
            priority,
            order_steps_required,
            strict_time_required,
            deadlined,
            tags,
            published,
            steps: _,
            schedule,
            enabled,
            series_id,
        } = task;
        let failed = |error| StoreError::Internal(format!("a schedule cannot be written: {error}"));
        let row = Self {
            id: id(*task_id),
            name: name.clone(),
            description: description.clone(),
            location_id: location_id.map(id),
            assignee_ids: Ids::new(assignee_ids),
            priority: priority.code(),
            order_steps_required: *order_steps_required,
            strict_time_required: *strict_time_required,
            deadlined: *deadlined,
            published: *published,
            enabled: *enabled,
            series_id: series_id.map(id),
            tags: Texts(Ok(tags.clone())),
            schedule: schedule.as_ref().map(schedule::write).transpose().map_err(failed)?,
        };
        Ok((row, Folded::of(name, description.as_deref(), tags)))
    }

    /// The task with these steps; null is none.
    ///
    /// # Errors
    /// `Corrupt` when a column cannot be read.
    pub fn task(self, steps: Option<StoredPlan>) -> Result<ScheduledTask, StoreError> {
        let at = Row::new("scheduled_tasks", self.id);
        let steps = steps.map(|StoredPlan(steps)| steps).transpose();
        let schedule = self.schedule.map(|stored| schedule::read(&stored)).transpose();
        Ok(ScheduledTask {
            id: at.id("id", self.id)?,
            name: self.name,
            description: self.description,
            location_id: self.location_id.map(|id| at.id("location_id", id)).transpose()?,
            assignee_ids: at.ids("assignee_ids", self.assignee_ids)?,
            priority: at.named("priority", self.priority)?,
            order_steps_required: self.order_steps_required,
            strict_time_required: self.strict_time_required,
            deadlined: self.deadlined,
            tags: at.texts("tags", self.tags)?,
            published: self.published,
            steps: steps.map_err(|error| at.corrupt("steps", error))?.unwrap_or_default(),
            schedule: schedule.map_err(|error| at.corrupt("schedule", error))?,
            enabled: self.enabled,
            series_id: self.series_id.map(|id| at.id("series_id", id)).transpose()?,
        })
    }
}
