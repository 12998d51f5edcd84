//! The ids of the demo company.

use patrol_domain::ids::{MediaId, Uuid};

/// A medium with the demo photo, which examples in the API document read.
pub const DEMO_MEDIUM: MediaId = MediaId(id(Kind::Media, 1));

/// Kinds of ids that this module makes; the number is part of the id. The lines of the company have other
/// kinds too.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Location = 1,
    GraphicPlan = 2,
    User = 4,
    ScheduledTask = 7,
    Execution = 8,
    Step = 9,
    Action = 10,
    Media = 14,
    Report = 15,
}

/// The id with this number: `0190de30-KKKK-7000-8000-NNNNNNNNNNNN`, a UUID version 7 of
/// July 2024.
#[allow(clippy::as_conversions)] // the discriminant of an enumeration, in a constant
pub(super) const fn id(kind: Kind, number: u64) -> Uuid {
    const FIRST: u128 = 0x0190_de30_0000_7000_8000_0000_0000_0000;
    Uuid::from_u128(FIRST | (kind as u128) << 80 | number as u128)
}
