//! The records of the data set.

use super::{
    NewExecution, NewTask, NewUser,
    constraint::{Constraint, DataSetRecord},
};
use crate::{
    check_list::CheckList,
    graphic_plan::GraphicPlan,
    location::Location,
    point::Point,
    report::Report,
    scheduled_task::ScheduledTask,
    shared::{existing::Reference, resource::Resource},
    task_execution::TaskExecution,
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
    /// An import numbers the accepted entries of a round itself, in the order of their lines, after
    /// those that the store has.
    Report(Box<Report>),
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
            Report: $crate::report::Report;
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

impl From<TaskExecution> for Record {
    fn from(execution: TaskExecution) -> Self {
        NewExecution::from(execution).into()
    }
}

impl From<ScheduledTask> for Record {
    fn from(task: ScheduledTask) -> Self {
        NewTask::from(task).into()
    }
}
