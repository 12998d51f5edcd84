//! Work that writes leave for later: steps of bounded size. Each step is a transaction of its
//! own, after the clients have their answers. One step follows each group of writes; more steps
//! follow while no write waits.

use std::time::Duration;

use diesel::{QueryResult, SqliteConnection, connection::SimpleConnection};

use super::{
    error::{Cause, cause},
    transaction::{begin, roll_back},
};
use crate::task_execution::search;

/// What the next step of the upkeep does.
#[derive(Default)]
pub(super) struct Upkeep {
    /// Whether there may be something to merge.
    merges: bool,
    /// Whether the last step has added rows. While there is much to do, steps that add rows
    /// alternate with steps that merge.
    added: bool,
    /// Whether a failure was logged since the last success. A busy database is not a failure.
    fails: bool,
}

/// The outcome of a step.
pub(super) struct StepOutcome {
    /// Whether there may be another step to do.
    pub(super) has_more: bool,
    /// Whether the connection can be used again.
    pub(super) is_usable: bool,
}

impl Upkeep {
    /// Runs the next step, if any. While another process writes, the step is left for the next group.
    pub(super) fn step(&mut self, connection: &mut SqliteConnection) -> StepOutcome {
        match self.run(connection) {
            Ok(has_more) => {
                self.fails = false;
                StepOutcome { has_more, is_usable: true }
            }
            Err(error) => {
                if !self.fails && cause(&error) != Cause::Busy {
                    tracing::warn!(%error, "a step of adding texts to the search index has failed");
                    self.fails = true;
                }
                StepOutcome { has_more: false, is_usable: roll_back(connection) }
            }
        }
    }

    fn run(&mut self, connection: &mut SqliteConnection) -> QueryResult<bool> {
        let adds = !(self.added && self.merges) && search::has_enough_pending(connection)?;
        if !adds && !self.merges {
            return Ok(false);
        }
        begin(connection, Duration::ZERO)?;
        if adds {
            search::add_pending(connection)?;
            self.merges = true;
        } else {
            self.merges = search::merge(connection)?;
        }
        self.added = adds;
        connection.batch_execute("COMMIT")?;
        Ok(true)
    }
}
