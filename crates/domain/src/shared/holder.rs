//! Which records prevent the deletion of another record, because they refer to it.

use super::resource::Resource;

/// A kind of records that keep another record from being deleted, because they refer to it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Holder {
    /// Points, of any location.
    Points,
    /// Graphic plans.
    GraphicPlans,
    /// Executions, in any state.
    TaskExecutions,
    /// Scheduled tasks, also those that make no executions.
    ScheduledTasks,
    /// Users, with any status.
    Users,
}

impl Holder {
    /// The name in errors, for example `taskExecutions`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Points => "points",
            Self::GraphicPlans => "graphicPlans",
            Self::TaskExecutions => "taskExecutions",
            Self::ScheduledTasks => "scheduledTasks",
            Self::Users => "users",
        }
    }

    /// The kinds of records that keep a record of this kind from being deleted, in the order of
    /// errors. Records of these kinds never refer to a deleted record of this kind.
    #[must_use]
    pub const fn of(kind: Resource) -> &'static [Self] {
        match kind {
            Resource::Location => &[
                Self::Points,
                Self::GraphicPlans,
                Self::TaskExecutions,
                Self::ScheduledTasks,
                Self::Users,
            ],
            Resource::GraphicPlan => &[Self::Points],
            Resource::CheckList => &[Self::ScheduledTasks],
            Resource::Media => &[Self::TaskExecutions],
            Resource::User
            | Resource::Point
            | Resource::ScheduledTask
            | Resource::TaskExecution
            | Resource::Token
            | Resource::DataSet
            | Resource::Report => &[],
        }
    }
}

/// The records of one kind that keep a record from being deleted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Held {
    /// The kind of the records.
    pub by: Holder,
    /// Their number, at least 1.
    pub count: u64,
}
