//! Counts events since the store was opened.

use patrol_domain::Tally;

#[derive(Debug, Default)]
pub(super) struct Counters {
    /// Transactions whose commit failed, or whose result is unknown.
    pub(super) failed_commits: Tally,
    /// Lists that were cancelled because their client disconnected.
    pub(super) left: Tally,
    /// Pages that were cancelled to free their connection.
    pub(super) preempted: Tally,
    /// Lists that were refused or cancelled because they took too long.
    pub(super) too_long: Tally,
    pub(super) lost: Tally,
}
