//! Series of executions.

use std::sync::Arc;

use patrol_domain::{
    Clock, Ids, Rules, Version,
    ids::{SeriesId, TaskExecutionId},
    series::{Series, SeriesDraft},
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
    /// The old series, which keeps the executions before the change.
    pub updating: SeriesId,
    /// The new series of the changed executions.
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

    /// Gives new content to the execution `from` and the later PENDING ones of its series.
    ///
    /// # Errors
    /// `Denied`, `NotFound` when there is no such execution, `Stale` when its version is not the expected one,
    /// `Refused`, `Store`.
    pub async fn split(
        &self,
        actor: Actor,
        from: TaskExecutionId,
        expected: Option<Version>,
        draft: SeriesDraft,
    ) -> Result<SplitSeries, Failure> {
        permit(actor, Operation::Plan)?;
        let created = SeriesId(self.ids.next());
        let updating = draft.series_id;
        let (ids, rules, names) =
            (Arc::clone(&self.ids), self.rules, draft.references(&self.rules.limits));
        self.series
            .split(
                from,
                expected,
                names,
                Box::new(move |from, following, existing| {
                    draft.split(from, following, created, existing, &rules, ids.as_ref())
                }),
                actor.at(self.clock.now()),
            )
            .await?;
        // Cannot be `None`: the split refuses a body without seriesId.
        updating.map(|updating| SplitSeries { updating, created }).ok_or(Failure::NotFound)
    }
}
