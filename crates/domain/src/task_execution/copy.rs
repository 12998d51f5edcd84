//! Copies of an execution, and what a copy leaves out.

use super::{Progress, State, TaskExecution};
use crate::shared::{
    ids::{ActionId, StepId, TaskExecutionId},
    ports::Ids,
};

/// Options of a copy.
#[derive(Clone, Copy)]
pub struct CopyOptions<'a> {
    /// Whether the copy is published.
    pub published: bool,
    /// The generator of the new ids.
    pub ids: &'a dyn Ids,
}

impl TaskExecution {
    /// A PENDING copy with new ids, without results, performer and series, and not edited.
    /// `published` comes from the options. The steps are PENDING too, without an actual order. All
    /// other members are copied.
    #[must_use]
    pub fn copy(&self, options: CopyOptions<'_>) -> Self {
        let CopyOptions { published, ids } = options;
        let mut copy = Self {
            id: TaskExecutionId(ids.next()),
            performer_id: None,
            progress: Progress::Pending,
            published,
            edited: false,
            ..self.clone().without_series().without_results()
        };
        for step in &mut copy.steps {
            step.id = StepId(ids.next());
            for action in &mut step.actions {
                action.id = ActionId(ids.next());
            }
        }
        copy
    }

    /// The execution outside any series, with its steps and actions.
    #[must_use]
    pub fn without_series(mut self) -> Self {
        self.series_id = None;
        for step in &mut self.steps {
            step.series_id = None;
            for action in &mut step.actions {
                action.series_id = None;
            }
        }
        self
    }

    /// The execution with PENDING steps, without what entries change in steps and actions and without
    /// flags.
    pub(crate) fn without_results(mut self) -> Self {
        self.flag_count = 0;
        for step in &mut self.steps {
            (step.actual_order, step.started_at, step.ended_at) = (None, None, None);
            step.state = State::Pending;
            for action in &mut step.actions {
                action.outcome = None;
            }
        }
        self
    }
}
