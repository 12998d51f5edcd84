//! What has happened since the store was opened.

use patrol_domain::Tally;

/// Numbers of events, for operators.
#[derive(Debug, Default)]
pub(super) struct Counters {
    /// Transactions whose commit failed, or of which the database did not say whether it did.
    pub(super) failed_commits: Tally,
    /// Lists that were cancelled because their client had left.
    pub(super) left: Tally,
    /// Pages that were cancelled to make way for others.
    pub(super) preempted: Tally,
    /// Lists that were refused or broken off because they took too long.
    pub(super) too_long: Tally,
    /// Connections that were lost.
    pub(super) lost: Tally,
}
