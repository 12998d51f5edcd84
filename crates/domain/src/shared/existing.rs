//! References between records, and values that only one record may have.
//!
//! Only the store knows whether a record exists or a value is taken, and the answer has to hold at
//! the moment of the change. So a change names them beforehand, the store looks them up in the same
//! transaction, and passes the answer to the change.

use std::collections::{HashMap, HashSet};

use super::ids::{GraphicPlanId, LocationId, PointId, UserId};

/// The records and values that a change names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct References {
    /// Users named as assignees.
    pub users: Vec<UserId>,
    /// Locations of executions, points and users.
    pub locations: Vec<LocationId>,
    /// Points that steps refer to.
    pub points: Vec<PointId>,
    /// Graphic plans that points refer to.
    pub graphic_plans: Vec<GraphicPlanId>,
    /// Folded employee numbers and email addresses, which together are unique.
    pub user_names: Vec<String>,
    /// Printed codes of points, compared with case.
    pub qr_codes: Vec<String>,
    /// Codes of RFID tags of points.
    pub rfid_codes: Vec<String>,
    /// Whether the change needs the active administrators.
    pub active_admins: bool,
}

/// Which of the named records exist, and which records have the named values.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Existing {
    /// Those of the named users that exist.
    pub users: HashSet<UserId>,
    /// Those of the named locations that exist.
    pub locations: HashSet<LocationId>,
    /// Those of the named points that exist.
    pub points: HashSet<PointId>,
    /// Graphic plans, with the locations that they are plans of.
    pub graphic_plans: HashMap<GraphicPlanId, LocationId>,
    /// The users who have each name as employee number or email address. More than one only in data
    /// stored before numbers and addresses had to differ.
    pub user_names: HashMap<String, HashSet<UserId>>,
    /// The point that has each printed code.
    pub qr_codes: HashMap<String, PointId>,
    /// The point that has each RFID code.
    pub rfid_codes: HashMap<String, PointId>,
    /// The active administrators, when requested. May be limited to one more than the change has
    /// users: enough to see whether one remains.
    pub active_admins: HashSet<UserId>,
}
