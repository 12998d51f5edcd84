//! Counts events since the store was opened.

use diesel::result::Error as DieselError;
use patrol_domain::{Counter, Metric};
use patrol_repository::counters::{CountsBy, RunCounters};

use super::error::{Cause, cause, state_of};

#[derive(Debug)]
pub(super) struct Counters {
    /// A commit whose result is unknown counts as failed.
    pub(super) commits: RunCounters,
    /// Changes that ran again after a conflict.
    pub(super) retries: Counter,
    /// Lists that were cancelled: their client disconnected, their connection was needed for other
    /// requests, or they took too long.
    pub(super) cancelled: CountsBy<3>,
    pub(super) lost: Counter,
    /// `unreachable`: the server cannot be reached, or the connection was lost.
    pub(super) errors: CountsBy<8>,
}

impl Default for Counters {
    fn default() -> Self {
        Self {
            commits: RunCounters::default(),
            retries: Counter::new(),
            cancelled: CountsBy::new(
                "patrol_store_cancelled_total",
                "Lists that were ended in the database before they were complete.",
                "reason",
                ["client_left", "made_room", "too_long"],
            ),
            lost: Counter::new(),
            errors: CountsBy::errors([
                "unreachable",
                "full",
                "locked",
                "read_only",
                "timeout",
                "conflict",
                "machine",
                "other",
            ]),
        }
    }
}

impl Counters {
    /// Counts an error of a statement. Values that are taken are no error of the store; statements that follow
    /// a failed one in its transaction fail because of it.
    pub(super) fn note_error(&self, error: &DieselError) {
        self.errors.increment(match (cause(error), state_of(error)) {
            (Cause::Constraint, _) | (_, "25P02") => return,
            (Cause::Lost, _) => "unreachable",
            (Cause::ReadOnly, _) => "read_only",
            (Cause::Conflict, _) => "conflict",
            (Cause::Busy, "53100") => "full",
            (Cause::Busy, "55P03" | "55006") => "locked",
            (Cause::Busy, "57014") => "timeout",
            (Cause::Busy, _) => "machine",
            (Cause::Other, _) => "other",
        });
    }

    pub(super) fn metrics(&self) -> impl Iterator<Item = Metric> {
        let retries = self.retries.metric(
            "patrol_store_retries_total",
            "Changes that ran again after a conflict with another one.",
            None,
        );
        let lost = self.lost.metric(
            "patrol_store_reconnects_total",
            "Connections to the database that were lost and had to be made anew.",
            None,
        );
        let counted = self.errors.metrics().chain(self.cancelled.metrics());
        counted.chain(self.commits.commits()).chain([retries, lost])
    }
}
