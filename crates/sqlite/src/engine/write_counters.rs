//! Counts commits and checkpoints.

use patrol_domain::{Counter, Metric, TimeCounter};

/// Counters of the writer and of the thread that moves the write-ahead log.
#[derive(Default)]
pub(super) struct WriteCounters {
    pub(super) commits: Counter,
    pub(super) failed_commits: Counter,
    /// The time of all commits, failed ones included.
    pub(super) commit_time: TimeCounter,
    /// Writes in successful commits.
    pub(super) writes: Counter,
    pub(super) checkpoints: Counter,
    pub(super) failed_checkpoints: Counter,
    /// The time of all checkpoints, failed ones included.
    pub(super) checkpoint_time: TimeCounter,
}

impl WriteCounters {
    pub(super) fn metrics(&self) -> [Metric; 7] {
        [
            self.commits.metric("patrol_store_commits_total", "Committed transactions.", None),
            self.failed_commits.metric(
                "patrol_store_failed_commits_total",
                "Transactions of SQLite whose commit failed.",
                None,
            ),
            self.commit_time.metric(
                "patrol_store_commit_seconds_total",
                "Time that commits took, mostly waiting for the disk.",
                None,
            ),
            self.writes.metric(
                "patrol_store_committed_writes_total",
                "Changes in committed transactions; several changes share a transaction.",
                None,
            ),
            self.checkpoints.metric(
                "patrol_store_checkpoints_total",
                "Steps that moved SQLite's write-ahead log into the database.",
                None,
            ),
            self.failed_checkpoints.metric(
                "patrol_store_failed_checkpoints_total",
                "Checkpoints that failed; the next checkpoint does their work.",
                None,
            ),
            self.checkpoint_time.metric(
                "patrol_store_checkpoint_seconds_total",
                "Time that checkpoints took.",
                None,
            ),
        ]
    }
}
