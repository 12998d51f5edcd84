//! References between records, and values that only one record may have.
//!
//! Whether a named record exists, or a value is taken, is known to the store alone, and has to hold
//! at the moment of the change. So a change says beforehand what it names, the store looks that
//! up in the same transaction, and hands the answer to the change.

use std::collections::{HashMap, HashSet};

use super::ids::{GraphicPlanId, LocationId, PointId, UserId};

/// Records and values that a change names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct References {
    /// Users, as assignees.
    pub users: Vec<UserId>,
    /// Locations.
    pub locations: Vec<LocationId>,
    /// Points.
    pub points: Vec<PointId>,
    /// Graphic plans.
    pub graphic_plans: Vec<GraphicPlanId>,
    /// Employee numbers and email addresses, folded: the names of users, which share one space.
    pub user_names: Vec<String>,
    /// Printed codes of points.
    pub qr_codes: Vec<String>,
    /// Codes of RFID tags of points.
    pub rfid_codes: Vec<String>,
    /// Whether the change has to know who the active administrators are.
    pub active_admins: bool,
}

/// Those of the named records that exist, and who has the named values.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Existing {
    /// Users.
    pub users: HashSet<UserId>,
    /// Locations.
    pub locations: HashSet<LocationId>,
    /// Points.
    pub points: HashSet<PointId>,
    /// Graphic plans, with the locations that they are plans of.
    pub graphic_plans: HashMap<GraphicPlanId, LocationId>,
    /// The users that have a name as employee number or as email address. Several only when they
    /// were stored before the two shared one space of names.
    pub user_names: HashMap<String, HashSet<UserId>>,
    /// Which point has a named printed code.
    pub qr_codes: HashMap<String, PointId>,
    /// Which point has a named RFID code.
    pub rfid_codes: HashMap<String, PointId>,
    /// The active administrators, when asked for: all of them, or as many as there are ids in the
    /// change and one more.
    pub active_admins: HashSet<UserId>,
}
