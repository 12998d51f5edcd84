//! Records of the data set, and the references between them.

use std::fmt;

use crate::{
    check_list::CheckList,
    event::Resource,
    location::{GraphicPlan, Location},
    point::Point,
    shared::{
        check,
        fault::{Faults, Path, Refusal},
        ids::{GraphicPlanId, LocationId, ScheduledTaskId, UserId},
        rules::Rules,
    },
    task_execution::TaskExecution,
    user::User,
};

/// A task that is planned repeatedly; executions are its runs.
#[derive(Clone, PartialEq, Debug)]
pub struct ScheduledTask {
    /// Unique among scheduled tasks; never changes.
    pub id: ScheduledTaskId,
    /// 1 to 255 characters by default.
    pub name: String,
    /// At most 10,000 characters by default.
    pub description: Option<String>,
}

/// A scheduled task as the data set gives it.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs)] // named as in docs/api
pub struct ScheduledTaskDraft {
    pub id: Option<ScheduledTaskId>,
    pub name: Option<String>,
    pub description: Option<String>,
}

impl ScheduledTaskDraft {
    /// Checks the draft.
    ///
    /// # Errors
    /// `Invalid` with the faults of the members, in their order.
    pub fn check(&self, rules: &Rules) -> Result<ScheduledTask, Refusal> {
        let mut faults = Faults::new();
        let at = |name| Path::Root.field(name);
        let id = check::required(&mut faults, &at("id"), self.id);
        let name = check::name(&mut faults, &at("name"), self.name.as_deref(), &rules.limits);
        if let Some(description) = &self.description {
            let max = rules.limits.description;
            check::text(&mut faults, &at("description"), description, 0, max);
        }
        match (id, name) {
            (Some(id), Some(name)) => {
                faults.or(ScheduledTask { id, name, description: self.description.clone() })
            }
            _ => Err(Refusal::Invalid(faults.into_vec())),
        }
    }
}

/// A record of the data set: one line of an import or export.
#[derive(Clone, PartialEq)]
pub enum Record {
    /// A user, with `kind` `user`.
    User {
        /// The user. Its photo is not part of the data set.
        user: Box<User>,
        /// A password hash to import. Never exported.
        password_hash: Option<String>,
    },
    /// A location, with `kind` `location`.
    Location(Location),
    /// A graphic plan, with `kind` `graphicPlan`.
    GraphicPlan(GraphicPlan),
    /// A point. Its import appends a record to its history.
    Point(Box<Point>),
    /// A check-list, with `kind` `checkList`.
    CheckList(CheckList),
    /// A scheduled task, with `kind` `scheduledTask`.
    ScheduledTask(ScheduledTask),
    /// An execution, with `kind` `taskExecution`.
    TaskExecution(Box<TaskExecution>),
}

impl Record {
    /// All kinds, each with the name that lines and events show.
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

/// The password hash is left out, so that it cannot reach a log.
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

/// A record that another record refers to and that has to exist.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reference {
    /// A performer or an assignee.
    User(UserId),
    /// The location of an execution, a point or a plan, or one linked to a user.
    Location(LocationId),
    /// A graphic plan, which has to belong to this location.
    GraphicPlan(GraphicPlanId, LocationId),
    /// The scheduled task of an execution.
    ScheduledTask(ScheduledTaskId),
}

impl Record {
    /// The references of the record, each with the path of its member. The pointId of a step is
    /// left out, because the point may have been deleted.
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
