//! Counts commits and checkpoints.

use patrol_domain::{Counter, Metric};
use patrol_repository::counters::RunCounters;

/// Counters of the writer and of the thread that moves the write-ahead log.
#[derive(Default)]
pub(super) struct WriteCounters {
    pub(super) commits: RunCounters,
    /// Writes in successful commits.
    pub(super) writes: Counter,
    pub(super) checkpoints: RunCounters,
}

impl WriteCounters {
    pub(super) fn metrics(&self) -> impl Iterator<Item = Metric> {
        let writes = self.writes.metric(
            "patrol_store_committed_writes_total",
            "Changes in committed transactions; several changes share a transaction.",
            None,
        );
        let checkpoints = self.checkpoints.metrics([
            (
                "patrol_store_checkpoints_total",
                "Steps that moved SQLite's write-ahead log into the database.",
            ),
            (
                "patrol_store_failed_checkpoints_total",
                "Checkpoints that failed; the next checkpoint does their work.",
            ),
            ("patrol_store_checkpoint_seconds_total", "Time that checkpoints took."),
        ]);
        self.commits.commits().into_iter().chain([writes]).chain(checkpoints)
    }
}
