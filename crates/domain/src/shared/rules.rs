//! Bounds and formats that every field rule refers to.

/// Bounds of the fields (decisions 8). Text is counted in Unicode scalar values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Longest name of anything.
    pub name: usize,
    /// Longest description.
    pub description: usize,
    /// Longest address.
    pub address: usize,
    /// Longest text of any other kind.
    pub text: usize,
    /// Most tags of one record.
    pub tags: usize,
    /// Longest tag.
    pub tag: usize,
    /// Most steps of one execution.
    pub steps: usize,
    /// Most actions of one step.
    pub actions: usize,
    /// Most assignees of one execution.
    pub assignees: usize,
    /// Most locations of one user.
    pub locations: usize,
    /// Most tokens of one user.
    pub tokens: usize,
    /// Most places of one point on graphic plans.
    pub plan_places: usize,
    /// Largest place on a graphic plan, in bytes of compact JSON.
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

/// What field rules are checked against.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Bounds of the fields.
    pub limits: Limits,
    /// Whether a text has the form of an email address. Handed in, since telling needs tables that
    /// the domain does without.
    pub is_email: fn(&str) -> bool,
}
