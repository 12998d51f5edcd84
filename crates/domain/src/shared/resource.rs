//! The kinds of records.

/// A kind of record that events describe or references name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Resource {
    /// A user, with its photo.
    User,
    /// A location.
    Location,
    /// A graphic plan of a location.
    GraphicPlan,
    /// A point.
    Point,
    /// A check-list with its actions.
    CheckList,
    /// A scheduled task.
    ScheduledTask,
    /// An execution.
    TaskExecution,
    /// An access token.
    Token,
    /// A photo, video or sound recording that is the result of an action.
    Media,
    /// All records of the store: an import is one event.
    DataSet,
}

impl Resource {
    /// The names of all kinds, for example `taskExecution`.
    pub const NAMES: &'static [&'static str] = &[
        Self::User.name(),
        Self::Location.name(),
        Self::GraphicPlan.name(),
        Self::Point.name(),
        Self::CheckList.name(),
        Self::ScheduledTask.name(),
        Self::TaskExecution.name(),
        Self::Token.name(),
        Self::Media.name(),
        Self::DataSet.name(),
    ];

    /// The name in events, for example `taskExecution`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Location => "location",
            Self::GraphicPlan => "graphicPlan",
            Self::Point => "point",
            Self::CheckList => "checkList",
            Self::ScheduledTask => "scheduledTask",
            Self::TaskExecution => "taskExecution",
            Self::Token => "token",
            Self::Media => "media",
            Self::DataSet => "dataSet",
        }
    }
}
