//! Aggregates: records that are changed as a whole.

/// A kind of record, with the records that belong to it. Changes are counted for each aggregate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Aggregate {
    /// Check-lists and their actions.
    CheckList,
    /// Locations and their graphic plans.
    Location,
    /// Media.
    Media,
    /// Points and their history.
    Point,
    /// Entries of reports.
    Report,
    /// Tasks whose runs are executions.
    ScheduledTask,
    /// Executions with their steps.
    TaskExecution,
    /// Access tokens and their last uses.
    Token,
    /// Users and their photos.
    User,
}

impl Aggregate {
    /// The stored name, for example `check_list`.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::CheckList => "check_list",
            Self::Location => "location",
            Self::Media => "media",
            Self::Point => "point",
            Self::Report => "report",
            Self::ScheduledTask => "scheduled_task",
            Self::TaskExecution => "task_execution",
            Self::Token => "token",
            Self::User => "user",
        }
    }
}
