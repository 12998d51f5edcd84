//! Counts events since the store was opened.

use patrol_domain::Counter;

#[derive(Debug, Default)]
pub(super) struct Counters {
    /// Transactions whose commit failed, or whose result is unknown.
    pub(super) failed_commits: Counter,
    /// Lists that were cancelled because their client disconnected.
    pub(super) left: Counter,
    /// Pages that were cancelled to free their connection.
    pub(super) preempted: Counter,
    /// Lists that were refused or cancelled because they took too long.
    pub(super) too_long: Counter,
    pub(super) lost: Counter,
}
