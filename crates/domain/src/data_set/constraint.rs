//! What the store has to check before it imports a record: what exists, and what is taken.

use std::iter;

use super::{NewExecution, NewTask, NewUser, OccurrenceKey};
use crate::{
    check_list::CheckList,
    graphic_plan::GraphicPlan,
    location::Location,
    point::Point,
    report::Report,
    shared::{
        existing::{Reference, UniqueValue},
        fault::Rule,
        ids::CheckListActionId,
        text::fold,
    },
    user::User,
};

/// A rule about a record of the data set that only the store can check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Constraint {
    /// No record has this id yet.
    New(Reference),
    /// No check-list has an action with this id yet.
    NewAction(CheckListActionId),
    /// No existing execution was made from this occurrence.
    NewOccurrence(OccurrenceKey),
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
            Self::New(_) | Self::NewAction(_) | Self::NewOccurrence(_) | Self::Unique(..) => {
                Rule::Unique
            }
            Self::Exists(_) => Rule::Reference,
        }
    }
}

/// A kind of record of the data set.
pub trait DataSetRecord: Sized {
    /// The kind and the id of the record.
    fn reference(&self) -> Reference;

    /// The references of the record, each with the path of its member.
    fn references(&self) -> Vec<(String, Reference)> {
        Vec::new()
    }

    /// What the store checks for a new record, each with the path of its member, in the order of the
    /// members.
    fn constraints(&self) -> Vec<(String, Constraint)> {
        new_id(self).chain(exist(self)).collect()
    }
}

fn new_id(record: &impl DataSetRecord) -> impl Iterator<Item = (String, Constraint)> {
    iter::once(("id".to_owned(), Constraint::New(record.reference())))
}

fn exist(record: &impl DataSetRecord) -> impl Iterator<Item = (String, Constraint)> {
    let references = record.references().into_iter();
    references.map(|(member, reference)| (member, Constraint::Exists(reference)))
}

fn unique(member: &str, kind: UniqueValue, value: Option<String>) -> Option<(String, Constraint)> {
    Some((member.to_owned(), Constraint::Unique(kind, value?)))
}

/// The references in the list `member`.
fn each<I: Copy + Into<Reference>>(
    member: &str,
    ids: &[I],
) -> impl Iterator<Item = (String, Reference)> {
    ids.iter().enumerate().map(move |(at, id)| (format!("{member}[{at}]"), (*id).into()))
}

impl DataSetRecord for Location {
    fn reference(&self) -> Reference {
        self.id.into()
    }
}

impl DataSetRecord for GraphicPlan {
    fn reference(&self) -> Reference {
        self.id.into()
    }

    fn references(&self) -> Vec<(String, Reference)> {
        vec![("locationId".to_owned(), self.location_id.into())]
    }
}

impl DataSetRecord for NewUser {
    fn reference(&self) -> Reference {
        self.user.id.into()
    }

    fn references(&self) -> Vec<(String, Reference)> {
        each("locationIds", &self.user.location_ids).collect()
    }

    fn constraints(&self) -> Vec<(String, Constraint)> {
        let User { employee_no, email, .. } = &self.user;
        let folded = |name: &Option<String>| name.as_deref().map(fold);
        new_id(self)
            .chain(unique("employeeNo", UniqueValue::UserName, folded(employee_no)))
            .chain(unique("email", UniqueValue::UserName, folded(email)))
            .chain(exist(self))
            .collect()
    }
}

impl DataSetRecord for Point {
    fn reference(&self) -> Reference {
        self.id.into()
    }

    fn references(&self) -> Vec<(String, Reference)> {
        let location = ("locationId".to_owned(), self.location_id.into());
        let plans = self.graphic_plans.iter().enumerate().map(|(at, place)| {
            let plan = Reference::to_plan(place.plan, self.location_id);
            (format!("graphicPlans[{at}].id"), plan)
        });
        iter::once(location).chain(plans).collect()
    }

    fn constraints(&self) -> Vec<(String, Constraint)> {
        new_id(self)
            .chain(exist(self))
            .chain(unique("rfidCode", UniqueValue::RfidCode, self.rfid_code.clone()))
            .chain(unique("qrCode", UniqueValue::QrCode, self.qr_code.clone()))
            .collect()
    }
}

impl DataSetRecord for CheckList {
    fn reference(&self) -> Reference {
        self.id.into()
    }

    fn constraints(&self) -> Vec<(String, Constraint)> {
        let actions =
            self.actions.iter().enumerate().map(|(at, action)| {
                (format!("actions[{at}].id"), Constraint::NewAction(action.id))
            });
        new_id(self).chain(actions).collect()
    }
}

impl DataSetRecord for NewTask {
    fn reference(&self) -> Reference {
        self.task.id.into()
    }

    /// Omits assignees and the pointId of steps, because users and points may have been deleted.
    fn references(&self) -> Vec<(String, Reference)> {
        let location = self.task.location_id.map(|id| ("locationId".to_owned(), id.into()));
        let lists = self.task.steps.iter().enumerate().filter_map(|(at, step)| {
            Some((format!("steps[{at}].checkListId"), step.check_list_id?.into()))
        });
        location.into_iter().chain(lists).collect()
    }
}

impl DataSetRecord for NewExecution {
    fn reference(&self) -> Reference {
        self.execution.id.into()
    }

    /// Omits scheduledTaskId, performer, assignees and the pointId of steps, because scheduled
    /// tasks, users and points may have been deleted.
    fn references(&self) -> Vec<(String, Reference)> {
        vec![("locationId".to_owned(), self.execution.location_id.into())]
    }

    fn constraints(&self) -> Vec<(String, Constraint)> {
        let occurrence = self.occurrence().map(Constraint::NewOccurrence);
        new_id(self)
            .chain(occurrence.map(|occurrence| ("occurrenceAt".to_owned(), occurrence)))
            .chain(exist(self))
            .collect()
    }
}

impl DataSetRecord for Report {
    fn reference(&self) -> Reference {
        self.entry.id.into()
    }

    /// Omits users and media, which may have been deleted, and the step and the action, which a refused
    /// entry may have invented.
    fn references(&self) -> Vec<(String, Reference)> {
        vec![("taskExecutionId".to_owned(), self.execution_id.into())]
    }
}
