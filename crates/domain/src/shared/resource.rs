//! The kinds of records.

/// Declares [`Resource`]: the kinds of single records, each with what else than a change happens to it,
/// `imported`, the kind for a whole import, and `of_others`, the kind whose records have no events,
/// because their changes are events of the records that they belong to.
macro_rules! resources {
    (
        $($(#[$about:meta])+ $kind:ident = $name:literal $(, $happens:literal)*;)+
        imported: $(#[$about_all:meta])+ $all:ident = $name_of_all:literal;
        of_others: $(#[$about_part:meta])+ $part:ident = $name_of_part:literal;
    ) => {
        /// The kind of a record in an event or in a reference.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Resource {
            $($(#[$about])+ $kind,)+
            $(#[$about_all])+ $all,
            $(#[$about_part])+ $part,
        }

        impl Resource {
            /// The names of all kinds in events, for example `taskExecution`.
            pub const NAMES: &'static [&'static str] = &[$($name,)+ $name_of_all];

            /// All types of events, for example `taskExecution.updated`. Includes types that this
            /// version never writes, for example `graphicPlan.updated`: a graphic plan never
            /// changes.
            pub const EVENT_TYPES: &'static [&'static str] = &[
                $(
                    concat!($name, ".created"),
                    concat!($name, ".updated"),
                    concat!($name, ".deleted"),
                    $(concat!($name, ".", $happens),)*
                )+
                concat!($name_of_all, ".imported"),
            ];

            /// The name in events and in lines of the data set, for example `taskExecution`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)+
                    Self::$all => $name_of_all,
                    Self::$part => $name_of_part,
                }
            }
        }
    };
}

resources! {
    /// A user, with its photo.
    User = "user";
    /// A location.
    Location = "location";
    /// A graphic plan of a location.
    GraphicPlan = "graphicPlan";
    /// A point.
    Point = "point";
    /// A check-list with its actions.
    CheckList = "checkList";
    /// A scheduled task.
    ScheduledTask = "scheduledTask";
    /// An execution.
    TaskExecution = "taskExecution", "reported";
    /// An access token.
    Token = "token";
    /// A photo, a recording or a document that an entry of a report or an action names.
    Media = "media";
    imported:
    /// All records of the store: an import is one event.
    DataSet = "dataSet";
    of_others:
    /// An entry of a report of an execution.
    Report = "report";
}
