//! Counts events since the store was opened.

use diesel::result::Error as DieselError;
use patrol_domain::{Counter, Metric, TimeCounter};

use super::error::{Cause, cause, state_of};

#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) commits: Counter,
    /// Transactions whose commit failed, or whose result is unknown.
    pub(super) failed_commits: Counter,
    /// The time of all commits, failed ones included.
    pub(super) commit_time: TimeCounter,
    /// Changes that ran again after a conflict.
    pub(super) retries: Counter,
    /// Lists that were cancelled because their client disconnected.
    pub(super) left: Counter,
    /// Pages that were cancelled to free their connection.
    pub(super) preempted: Counter,
    /// Lists that were refused or cancelled because they took too long.
    pub(super) too_long: Counter,
    pub(super) lost: Counter,
    pub(super) errors: ErrorCounters,
}

/// Counts errors by cause.
#[derive(Debug, Default)]
pub(super) struct ErrorCounters {
    /// The server cannot be reached, or the connection was lost.
    pub(super) unreachable: Counter,
    full: Counter,
    locked: Counter,
    read_only: Counter,
    timeout: Counter,
    conflict: Counter,
    machine: Counter,
    other: Counter,
}

impl ErrorCounters {
    /// Counts an error of a statement. Values that are taken are no error of the store; statements that follow
    /// a failed one in its transaction fail because of it.
    pub(super) fn note(&self, error: &DieselError) {
        match (cause(error), state_of(error)) {
            (Cause::Constraint, _) | (_, "25P02") => return,
            (Cause::Lost, _) => &self.unreachable,
            (Cause::ReadOnly, _) => &self.read_only,
            (Cause::Conflict, _) => &self.conflict,
            (Cause::Busy, "53100") => &self.full,
            (Cause::Busy, "55P03" | "55006") => &self.locked,
            (Cause::Busy, "57014") => &self.timeout,
            (Cause::Busy, _) => &self.machine,
            (Cause::Other, _) => &self.other,
        }
        .increment();
    }

    fn metrics(&self) -> [Metric; 8] {
        let causes = [
            ("unreachable", &self.unreachable),
            ("full", &self.full),
            ("locked", &self.locked),
            ("read_only", &self.read_only),
            ("timeout", &self.timeout),
            ("conflict", &self.conflict),
            ("machine", &self.machine),
            ("other", &self.other),
        ];
        causes.map(|(cause, counter)| {
            counter.metric(
                "patrol_store_errors_total",
                "Errors of the store, by cause.",
                Some(("cause", cause)),
            )
        })
    }
}

impl Counters {
    pub(super) fn metrics(&self) -> Vec<Metric> {
        let cancelled = [
            ("client_left", &self.left),
            ("made_room", &self.preempted),
            ("too_long", &self.too_long),
        ];
        let cancelled = cancelled.map(|(reason, counter)| {
            counter.metric(
                "patrol_store_cancelled_total",
                "Lists that were ended in the database before they were complete.",
                Some(("reason", reason)),
            )
        });
        let others = [
            self.commits.metric("patrol_store_commits_total", "Committed transactions.", None),
            self.failed_commits.metric(
                "patrol_store_failed_commits_total",
                "Transactions whose commit failed, or of which the database did not say whether \
                 it did.",
                None,
            ),
            self.commit_time.metric(
                "patrol_store_commit_seconds_total",
                "Time that commits took.",
                None,
            ),
            self.retries.metric(
                "patrol_store_retries_total",
                "Changes that ran again after a conflict with another one.",
                None,
            ),
            self.lost.metric(
                "patrol_store_reconnects_total",
                "Connections to the database that were lost and had to be made anew.",
                None,
            ),
        ];
        self.errors.metrics().into_iter().chain(cancelled).chain(others).collect()
    }
}
