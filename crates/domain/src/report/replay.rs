//! What follows from the entries of a round, when they come from a data set.

use super::Report;
use crate::task_execution::{State, Step, TaskExecution};

/// A round walked once more, from its start, by its stored entries.
#[derive(Clone, PartialEq, Debug)]
pub struct Replay {
    round: TaskExecution,
}

impl Replay {
    /// The round before its first entry, with the steps and actions that it has now.
    #[must_use]
    pub fn of(execution: &TaskExecution) -> Self {
        Self { round: execution.clone().without_results() }
    }

    /// The next accepted entry.
    pub fn add(&mut self, report: &Report) {
        self.round.take(&report.entry);
        self.round.flag_count += i32::from(!report.verdicts().is_empty());
    }

    /// `execution` with what follows from the entries: the times of its steps and the number of entries
    /// with a verdict. Times that it has already stay, because an edit after the entries may have changed
    /// what follows from them. Nothing else changes.
    #[must_use]
    pub fn derived(self, mut execution: TaskExecution) -> TaskExecution {
        execution.flag_count = self.round.flag_count;
        for (step, replayed) in execution.steps.iter_mut().zip(self.round.steps) {
            let Step { started_at, ended_at, .. } = replayed;
            step.started_at = step.started_at.or(started_at);
            step.ended_at = step.ended_at.or(ended_at.filter(|_| step.state == State::Completed));
        }
        execution
    }
}
