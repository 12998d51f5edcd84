//! The records of the data set, and the references between them.

use std::{fmt, iter};

use super::{NewExecution, NewTask, OccurrenceKey};
use crate::{
    check_list::CheckList,
    graphic_plan::GraphicPlan,
    location::Location,
    point::Point,
    shared::{
        existing::{Reference, UniqueValue},
        fault::Rule,
        ids::CheckListActionId,
        resource::Resource,
        text::fold,
    },
    user::User,
};

/// A record of the data set: one line of an import or export. The `kind` of the line is
/// [`Resource::name`].
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)] // each variant has the name of its type
pub enum Record {
    Location(Location),
    GraphicPlan(GraphicPlan),
    User(Box<NewUser>),
    /// An import also adds a record to the history of the point.
    Point(Box<Point>),
    CheckList(CheckList),
    ScheduledTask(Box<NewTask>),
    TaskExecution(Box<NewExecution>),
}

/// Calls the macro `$then` with the kinds of [`Record`] and their types. A kind comes after those
/// that its records refer to.
#[macro_export]
macro_rules! record_kinds {
    ($then:ident) => {
        $then! {
            Location: $crate::location::Location;
            GraphicPlan: $crate::graphic_plan::GraphicPlan;
            User: $crate::data_set::NewUser;
            Point: $crate::point::Point;
            CheckList: $crate::check_list::CheckList;
            ScheduledTask: $crate::data_set::NewTask;
            TaskExecution: $crate::data_set::NewExecution;
        }
    };
}

macro_rules! impl_record {
    ($($kind:ident: $type:ty;)+) => {
        impl Record {
            /// All kinds. A kind comes after those that its records refer to.
            pub const KINDS: &'static [Resource] = &[$(Resource::$kind),+];

            /// The kind of this record.
            #[must_use]
            pub const fn kind(&self) -> Resource {
                match self {
                    $(Self::$kind(_) => Resource::$kind,)+
                }
            }

            /// The kind and the id of this record.
            #[must_use]
            pub fn reference(&self) -> Reference {
                match self {
                    $(Self::$kind(record) => <$type as DataSetRecord>::reference(record),)+
                }
            }

            /// The constraints of a new record, each with the path of its member, in the order of
            /// the members.
            #[must_use]
            pub fn constraints(&self) -> Vec<(String, Constraint)> {
                match self {
                    $(Self::$kind(record) => <$type as DataSetRecord>::constraints(record),)+
                }
            }

            /// The references of the record, each with the path of its member.
            #[must_use]
            pub fn references(&self) -> Vec<(String, Reference)> {
                match self {
                    $(Self::$kind(record) => <$type as DataSetRecord>::references(record),)+
                }
            }
        }

        $(impl From<$type> for Record {
            fn from(record: $type) -> Self {
                Self::$kind(record.into())
            }
        })+
    };
}

record_kinds!(impl_record);

/// A user with its password. The data set contains the id of the photo, but not the photo.
#[derive(Clone, PartialEq)]
pub struct NewUser {
    /// The user.
    pub user: User,
    /// The hash of the password in an import. An export has no passwords.
    pub password_hash: Option<String>,
}

/// Prints no password hash, so that it cannot reach a log.
impl fmt::Debug for NewUser {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.user.fmt(out)
    }
}

impl From<User> for NewUser {
    /// The user without a password.
    fn from(user: User) -> Self {
        Self { user, password_hash: None }
    }
}

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
pub trait DataSetRecord: Into<Record> {
    /// The kind and the id of the record.
    fn reference(&self) -> Reference;

    /// The references of the record, each with the path of its member.
    fn references(&self) -> Vec<(String, Reference)> {
        Vec::new()
    }

    /// See [`Record::constraints`].
    fn constraints(&self) -> Vec<(String, Constraint)> {
        new_id(self).chain(exist(self)).collect()
    }
}

pub(super) fn new_id(record: &impl DataSetRecord) -> impl Iterator<Item = (String, Constraint)> {
    iter::once(("id".to_owned(), Constraint::New(record.reference())))
}

pub(super) fn exist(record: &impl DataSetRecord) -> impl Iterator<Item = (String, Constraint)> {
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
