//! A series update ("this and following"): splits the series and gives its second part new content.

use crate::{
    schedule::RuleFault,
    shared::{
        existing::{Existing, References},
        fault::{Faults, Path, Refusal, Rule},
        ids::SeriesId,
        ports::Ids,
        rules::{Limits, Rules},
    },
    task_execution::{
        AllowedIds, Content, ContentDraft, KnownIds, MatchedBy, State, TaskExecution,
    },
};

/// The body of a series update: the JSON types are checked, the field rules are not.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SeriesDraft {
    /// The series to update; required.
    pub series_id: Option<SeriesId>,
    /// The new content. Its steps and actions are matched by series id.
    pub content: ContentDraft,
}

/// The series that an update creates.
#[derive(Clone, Copy, Debug)]
pub struct NewSeries<'a> {
    /// Its id.
    pub id: SeriesId,
    /// Why the schedule cannot follow the update; `None` if it can.
    pub fault: Option<&'a RuleFault>,
}

impl SeriesDraft {
    /// The records that the body refers to; see [`ContentDraft::references`].
    #[must_use]
    pub fn references(&self, limits: &Limits) -> References {
        self.content.references(limits)
    }

    /// `from` and `following` with the new content, in the series `created`. `from` gets the
    /// times of the body. The start of each other execution is shifted by the same difference, and
    /// its duration becomes the same.
    ///
    /// # Errors
    /// `State` when `from` is not PENDING, `Invalid` with the faults of the body.
    pub fn split(
        &self,
        from: &TaskExecution,
        following: &[TaskExecution],
        created: NewSeries<'_>,
        existing: &Existing,
        rules: &Rules,
        ids: &dyn Ids,
    ) -> Result<Vec<TaskExecution>, Refusal> {
        if from.progress.state() != State::Pending {
            return Err(Refusal::State("state".to_owned()));
        }
        let by = MatchedBy::SeriesId;
        let known = KnownIds::of(from, by);
        let allowed = AllowedIds::ChangeOf { known: &known, by, existing };
        let content = Faults::checked(|faults| {
            match self.series_id {
                None => faults.push(&Path::Root.field("seriesId"), Rule::NotNull),
                Some(series) if from.series_id != Some(series) => {
                    faults.push(&Path::Root.field("seriesId"), Rule::Reference);
                }
                Some(_) => {}
            }
            if let Some(fault) = created.fault {
                faults.push(&Path::Root.field("startAt"), Rule::Recurrence(fault.clone()));
            }
            self.content.check(faults, rules, &allowed)
        })?;
        let content = content.with_series_ids(ids);
        let changed: Option<Vec<_>> = std::iter::once(from)
            .chain(following)
            .map(|execution| {
                let content = content.clone().shifted(from, execution)?;
                let mut next = content.merge_into(execution, by, ids);
                next.series_id = Some(created.id);
                Some(next)
            })
            .collect();
        Faults::checked(|faults| {
            if changed.is_none() {
                // A time of an execution would be outside the years 0001 to 9999.
                faults.push(&Path::Root.field("endAt"), Rule::Period);
            }
            changed
        })
    }
}

impl Content {
    /// Gives each new step and action a series id, before the content is copied to all executions.
    fn with_series_ids(mut self, ids: &dyn Ids) -> Self {
        for step in &mut self.steps {
            step.key.get_or_insert_with(|| ids.next());
            for action in &mut step.actions {
                action.key.get_or_insert_with(|| ids.next());
            }
        }
        self
    }

    /// The content with times for `execution`: its start is shifted as much as the start of `from`.
    /// `None` when a time would be outside the years 0001 to 9999.
    fn shifted(mut self, from: &TaskExecution, execution: &TaskExecution) -> Option<Self> {
        let TaskExecution { start_at, end_at, .. } = &mut self.execution;
        let (by, duration) = (start_at.since(from.start_at), end_at.since(*start_at));
        *start_at = execution.start_at.shifted(by)?;
        *end_at = start_at.shifted(duration)?;
        Some(self)
    }
}
