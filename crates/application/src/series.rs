//! Series of executions.

use std::sync::Arc;

use patrol_domain::{
    At, Clock, Ids, Rules,
    ids::SeriesId,
    series::{Series, SeriesDraft, Split, SplitChange},
    task_execution::TaskExecution,
};

use crate::{
    failure::Failure,
    permission::{Actor, Operation, permit},
};

/// The use cases of series.
#[derive(Clone)]
pub struct SeriesService {
    series: Arc<dyn Series>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    rules: Rules,
}

/// The result of a series update.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SplitSeries {
    /// The old series. The executions before the change stay in it.
    pub updating: SeriesId,
    /// The new series. It contains the changed executions.
    pub created: SeriesId,
}

impl SeriesService {
    /// Use cases that work with these ports.
    #[must_use]
    pub fn new(
        series: Arc<dyn Series>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
        rules: Rules,
    ) -> Self {
        Self { series, clock, ids, rules }
    }

    /// Splits a series: gives new content and a new series id to the execution `from` and the later
    /// PENDING executions of its series.
    ///
    /// # Errors
    /// `Denied`, `NotFound` when `from` does not exist, `Stale` when it has another version than
    /// the expected one, `Refused`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "series.split", skip_all)]
    pub async fn split(
        &self,
        actor: Actor,
        from: At<TaskExecution>,
        draft: SeriesDraft,
    ) -> Result<SplitSeries, Failure> {
        permit(actor, Operation::Plan)?;
        let created = SeriesId(self.ids.next());
        let updating = draft.series_id;
        let (ids, rules, references) =
            (Arc::clone(&self.ids), self.rules, draft.references(&self.rules.limits));
        let change: SplitChange = Box::new(move |from, following, existing| {
            draft.split(from, following, created, existing, &rules, ids.as_ref())
        });
        let split = Split { from, references, change };
        self.series.split(split, actor.origin_at(self.clock.now())).await?;
        // Not `None`: the change was refused if the body has no seriesId.
        updating.map(|updating| SplitSeries { updating, created }).ok_or(Failure::NotFound)
    }
}
