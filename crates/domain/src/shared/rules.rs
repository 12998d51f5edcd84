//! Limits and formats that the field rules check.

/// Bounds of the fields, each a setting. Text is counted in Unicode scalar values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Characters of a name; 255 by default.
    pub name: usize,
    /// Characters of a description or of the text of a report; 10,000 by default.
    pub description: usize,
    /// Characters of an address; 1,000 by default.
    pub address: usize,
    /// Characters of any other text; 255 by default.
    pub text: usize,
    /// Tags of one record; 100 by default.
    pub tags: usize,
    /// Characters of a tag; 100 by default.
    pub tag: usize,
    /// Steps of one execution or of one scheduled task; 500 by default.
    pub steps: usize,
    /// Actions of one step or of one check-list; 200 by default.
    pub actions: usize,
    /// Assignees of one execution or of one scheduled task; 1,000 by default.
    pub assignees: usize,
    /// Locations of one user; 10,000 by default.
    pub locations: usize,
    /// Tokens of one user; 1,000 by default.
    pub tokens: usize,
    /// Places of one point on graphic plans; 100 by default.
    pub plan_places: usize,
    /// Bytes of one place on a graphic plan as compact JSON; 4,096 by default.
    pub plan_place: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            name: 255,
            description: 10_000,
            address: 1_000,
            text: 255,
            tags: 100,
            tag: 100,
            steps: 500,
            actions: 200,
            assignees: 1_000,
            locations: 10_000,
            tokens: 1_000,
            plan_places: 100,
            plan_place: 4 << 10,
        }
    }
}

/// The bounds and formats that drafts are checked against.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// The bounds of the fields, as configured.
    pub limits: Limits,
    /// Whether a text has the form of an email address. The application sets this function, because
    /// the check needs a crate that the domain does not depend on.
    pub is_email: fn(&str) -> bool,
}
