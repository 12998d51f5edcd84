//! Identifiers. Each kind of record has its own type, so that the id of a point cannot be passed
//! where the id of a user is expected.

use std::fmt;

pub use uuid::Uuid;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(out)
            }
        }

        impl From<Uuid> for $name {
            fn from(id: Uuid) -> Self {
                Self(id)
            }
        }

        impl From<$name> for Uuid {
            fn from(id: $name) -> Self {
                id.0
            }
        }
    )+};
}

ids! {
    /// A task execution: one run of a scheduled task, or one run without a task.
    TaskExecutionId,
    /// A scheduled task.
    ScheduledTaskId,
    /// A series of executions that are edited together; or one step or action of a series, in all
    /// executions of the series.
    SeriesId,
    /// A step of one execution or of one scheduled task.
    StepId,
    /// An action of one of these steps.
    ActionId,
    /// The photo of a user, the picture of a graphic plan, or a photo, video or sound recording that
    /// is the result of an action.
    MediaId,
    /// A user: employee, manager or administrator.
    UserId,
    /// A location, for example a building.
    LocationId,
    /// A point of a location.
    PointId,
    /// A graphic plan of a location.
    GraphicPlanId,
    /// A check-list: a template for actions.
    CheckListId,
    /// An action of a check-list.
    CheckListActionId,
    /// An entry of a report, made by the device.
    ReportId,
    /// An access token. Unlike the secret, the id is public.
    TokenId,
    /// A session of the site. Unlike the secret, the id is public.
    SessionId,
}

/// Parses a hyphenated UUID in any case; other forms of a UUID are refused.
#[must_use]
pub fn parse(text: &str) -> Option<Uuid> {
    let hyphenated = text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        });
    if hyphenated { Uuid::try_parse(text).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn only_hyphenated_uuids_are_parsed() {
        let id = "0190A000-0000-7000-8000-00000000abcd";
        assert_eq!(parse(id).unwrap().to_string(), id.to_lowercase());
        for bad in [
            "",
            "0190a00000007000800000000000abcd",
            "{0190a000-0000-7000-8000-00000000abcd}",
            "urn:uuid:0190a000-0000-7000-8000-00000000abcd",
            "0190a000-0000-7000-8000-00000000abc",
            "0190a000-0000-7000-8000-00000000abcg",
            "0190a000-0000-7000-8000-00000000abcd ",
            "0190a000-0000-7000-8000-00000000abc\u{e9}",
        ] {
            assert!(parse(bad).is_none(), "{bad}");
        }
    }
}
