//! The ids of the demo company.

use patrol_domain::ids::Uuid;

/// The kinds of ids; the number is part of the id.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Location = 1,
    GraphicPlan,
    Point,
    User,
    CheckList,
    CheckListAction,
    ScheduledTask,
    Execution,
    Step,
    Action,
    Series,
    StepSeries,
    ActionSeries,
    Media,
    Token,
}

/// The id with this number: `0190de30-KKKK-7000-8000-NNNNNNNNNNNN`, a UUID version 7 of
/// July 2024.
#[allow(clippy::as_conversions)] // the discriminant of an enumeration, in a constant
pub(super) const fn id(kind: Kind, number: u64) -> Uuid {
    const FIRST: u128 = 0x0190_de30_0000_7000_8000_0000_0000_0000;
    Uuid::from_u128(FIRST | (kind as u128) << 80 | number as u128)
}
