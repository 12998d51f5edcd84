//! References between records.
//!
//! Whether a named record exists is known to the store alone, and has to hold at the moment of the
//! change. So a change says beforehand which records it names, the store looks up which of them
//! exist, in the same transaction, and hands the answer to the change.

use std::collections::HashSet;

use super::ids::{LocationId, PointId, UserId};

/// Records that a change names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct References {
    /// Users, as assignees.
    pub users: Vec<UserId>,
    /// Locations.
    pub locations: Vec<LocationId>,
    /// Points.
    pub points: Vec<PointId>,
}

/// Those of the named records that exist.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Existing {
    /// Users.
    pub users: HashSet<UserId>,
    /// Locations.
    pub locations: HashSet<LocationId>,
    /// Points.
    pub points: HashSet<PointId>,
}
