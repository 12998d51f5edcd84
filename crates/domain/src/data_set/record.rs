//! The records of the data set, and the references between them.

use std::fmt;

use crate::{
    check_list::CheckList,
    event::Resource,
    location::{GraphicPlan, Location},
    point::Point,
    scheduled_task::ScheduledTask,
    shared::ids::{GraphicPlanId, LocationId, ScheduledTaskId, UserId},
    task_execution::TaskExecution,
    user::User,
};

/// A record of the data set: one line of an import or export.
#[derive(Clone, PartialEq)]
pub enum Record {
    /// A user, with `kind` `user`.
    User {
        /// The user. The data set contains the id of the photo, but not the photo.
        user: Box<User>,
        /// The hash of the password in an import. An export has no passwords.
        password_hash: Option<String>,
    },
    /// A location, with `kind` `location`.
    Location(Location),
    /// A graphic plan, with `kind` `graphicPlan`.
    GraphicPlan(GraphicPlan),
    /// A point, with `kind` `point`. An import also adds a record to the history of the point.
    Point(Box<Point>),
    /// A check-list, with `kind` `checkList`.
    CheckList(CheckList),
    /// A scheduled task, with `kind` `scheduledTask`.
    ScheduledTask(ScheduledTask),
    /// An execution, with `kind` `taskExecution`.
    TaskExecution(Box<TaskExecution>),
}

impl Record {
    /// All kinds. [`Resource::name`] is the `kind` of a line.
    pub const KINDS: [Resource; 7] = [
        Resource::Location,
        Resource::GraphicPlan,
        Resource::User,
        Resource::Point,
        Resource::CheckList,
        Resource::ScheduledTask,
        Resource::TaskExecution,
    ];

    /// The kind of this record.
    #[must_use]
    pub const fn kind(&self) -> Resource {
        match self {
            Self::User { .. } => Resource::User,
            Self::Location(_) => Resource::Location,
            Self::GraphicPlan(_) => Resource::GraphicPlan,
            Self::Point(_) => Resource::Point,
            Self::CheckList(_) => Resource::CheckList,
            Self::ScheduledTask(_) => Resource::ScheduledTask,
            Self::TaskExecution(_) => Resource::TaskExecution,
        }
    }
}

/// Prints no password hash, so that it cannot reach a log.
impl fmt::Debug for Record {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User { user, password_hash: _ } => user.fmt(out),
            Self::Location(location) => location.fmt(out),
            Self::GraphicPlan(plan) => plan.fmt(out),
            Self::Point(point) => point.fmt(out),
            Self::CheckList(list) => list.fmt(out),
            Self::ScheduledTask(task) => task.fmt(out),
            Self::TaskExecution(execution) => execution.fmt(out),
        }
    }
}

/// A reference to a record that has to exist.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reference {
    /// A performer or an assignee.
    User(UserId),
    /// The location of an execution, a point or a graphic plan, or a location linked to a user.
    Location(LocationId),
    /// A graphic plan that has to belong to this location.
    GraphicPlan(GraphicPlanId, LocationId),
    /// The scheduled task of an execution.
    ScheduledTask(ScheduledTaskId),
}

impl Record {
    /// The references of the record, each with the path of its member. Without the pointId of steps:
    /// that point may have been deleted.
    #[must_use]
    pub fn references(&self) -> Vec<(String, Reference)> {
        match self {
            Self::Location(_) | Self::CheckList(_) | Self::ScheduledTask(_) => Vec::new(),
            Self::GraphicPlan(plan) => {
                vec![("locationId".to_owned(), Reference::Location(plan.location_id))]
            }
            Self::User { user, .. } => {
                let locations = user.location_ids.iter().enumerate();
                locations
                    .map(|(at, id)| (format!("locationIds[{at}]"), Reference::Location(*id)))
                    .collect()
            }
            Self::Point(point) => {
                let location = ("locationId".to_owned(), Reference::Location(point.location_id));
                let plans = point.graphic_plans.iter().enumerate().map(|(at, place)| {
                    let plan = Reference::GraphicPlan(place.plan, point.location_id);
                    (format!("graphicPlans[{at}].id"), plan)
                });
                std::iter::once(location).chain(plans).collect()
            }
            Self::TaskExecution(execution) => {
                let scheduled = Reference::ScheduledTask(execution.scheduled_task_id);
                let mut references = vec![
                    ("scheduledTaskId".to_owned(), scheduled),
                    ("locationId".to_owned(), Reference::Location(execution.location_id)),
                ];
                if let Some(performer) = execution.performer_id {
                    references.push(("performerId".to_owned(), Reference::User(performer)));
                }
                references.extend(
                    execution
                        .assignee_ids
                        .iter()
                        .enumerate()
                        .map(|(at, id)| (format!("assigneeIds[{at}]"), Reference::User(*id))),
                );
                references
            }
        }
    }
}
