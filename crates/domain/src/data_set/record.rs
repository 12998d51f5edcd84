//! The records of the data set, and the references between them.

use std::fmt;

use crate::{
    check_list::CheckList,
    location::{GraphicPlan, Location},
    point::Point,
    scheduled_task::ScheduledTask,
    shared::{
        existing::{Reference, UniqueValue},
        fault::Rule,
        ids::CheckListActionId,
        resource::Resource,
        text::fold,
    },
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

/// A rule about a record of the data set that only the store can check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Constraint {
    /// No record has this id yet.
    New(Reference),
    /// No check-list has an action with this id yet.
    NewAction(CheckListActionId),
    /// No record has this value yet.
    Unique(UniqueValue, String),
    /// The record exists.
    Exists(Reference),
}

impl Constraint {
    /// The rule that is broken when the constraint does not hold.
    #[must_use]
    pub const fn rule(&self) -> Rule {
        match self {
            Self::New(_) | Self::NewAction(_) | Self::Unique(..) => Rule::Unique,
            Self::Exists(_) => Rule::Reference,
        }
    }
}

impl Record {
    /// The constraints of a new record, each with the path of its member, in the order of the
    /// members.
    #[must_use]
    pub fn constraints(&self) -> Vec<(String, Constraint)> {
        let unique = |member: &str, kind, value: &Option<String>| {
            let value = value.clone()?;
            Some((member.to_owned(), Constraint::Unique(kind, value)))
        };
        let folded = |name: &Option<String>| name.as_deref().map(fold);
        let mut all = vec![("id".to_owned(), Constraint::New(self.id()))];
        if let Self::User { user, .. } = self {
            let kind = UniqueValue::UserName;
            all.extend(unique("employeeNo", kind, &folded(&user.employee_no)));
            all.extend(unique("email", kind, &folded(&user.email)));
        }
        let references = self.references().into_iter();
        all.extend(references.map(|(member, record)| (member, Constraint::Exists(record))));
        match self {
            Self::Point(point) => {
                all.extend(unique("rfidCode", UniqueValue::RfidCode, &point.rfid_code));
                all.extend(unique("qrCode", UniqueValue::QrCode, &point.qr_code));
            }
            Self::CheckList(list) => {
                let actions = list.actions.iter().enumerate();
                all.extend(actions.map(|(at, action)| {
                    (format!("actions[{at}].id"), Constraint::NewAction(action.id))
                }));
            }
            _ => {}
        }
        all
    }

    fn id(&self) -> Reference {
        match self {
            Self::User { user, .. } => user.id.into(),
            Self::Location(location) => location.id.into(),
            Self::GraphicPlan(plan) => plan.id.into(),
            Self::Point(point) => point.id.into(),
            Self::CheckList(list) => list.id.into(),
            Self::ScheduledTask(task) => task.id.into(),
            Self::TaskExecution(execution) => execution.id.into(),
        }
    }

    /// The references of the record, each with the path of its member. Without the pointId of steps:
    /// that point may have been deleted.
    #[must_use]
    pub fn references(&self) -> Vec<(String, Reference)> {
        match self {
            Self::Location(_) | Self::CheckList(_) | Self::ScheduledTask(_) => Vec::new(),
            Self::GraphicPlan(plan) => {
                vec![("locationId".to_owned(), plan.location_id.into())]
            }
            Self::User { user, .. } => {
                let locations = user.location_ids.iter().enumerate();
                locations.map(|(at, id)| (format!("locationIds[{at}]"), (*id).into())).collect()
            }
            Self::Point(point) => {
                let location = ("locationId".to_owned(), point.location_id.into());
                let plans = point.graphic_plans.iter().enumerate().map(|(at, place)| {
                    let plan = Reference::to_plan(place.plan, point.location_id);
                    (format!("graphicPlans[{at}].id"), plan)
                });
                std::iter::once(location).chain(plans).collect()
            }
            Self::TaskExecution(execution) => {
                let mut references = vec![
                    ("scheduledTaskId".to_owned(), execution.scheduled_task_id.into()),
                    ("locationId".to_owned(), execution.location_id.into()),
                ];
                if let Some(performer) = execution.performer_id {
                    references.push(("performerId".to_owned(), performer.into()));
                }
                references.extend(
                    execution
                        .assignee_ids
                        .iter()
                        .enumerate()
                        .map(|(at, id)| (format!("assigneeIds[{at}]"), (*id).into())),
                );
                references
            }
        }
    }
}
