//! What is changed as a whole.

/// A kind of records whose changes are counted together, with the records that belong to them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Aggregate {
    /// Check-lists with their actions.
    CheckList,
    /// Locations with their graphic plans.
    Location,
    /// Points with their history.
    Point,
    /// Scheduled tasks.
    ScheduledTask,
    /// Executions.
    TaskExecution,
    /// Access tokens.
    Token,
    /// Users with their photos.
    User,
}

impl Aggregate {
    /// Its stored name, for example `check_list`.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::CheckList => "check_list",
            Self::Location => "location",
            Self::Point => "point",
            Self::ScheduledTask => "scheduled_task",
            Self::TaskExecution => "task_execution",
            Self::Token => "token",
            Self::User => "user",
        }
    }
}
