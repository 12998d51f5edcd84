//! Series of executions (interface 4.1, PUT /task-executions/{id}/series).

use std::sync::Arc;

use patrol_domain::{
    Ids, Rules, Version,
    ids::{SeriesId, TaskExecutionId},
    series::{Series, SeriesDraft},
};

use crate::failure::Failure;

/// The use cases of series.
#[derive(Clone)]
pub struct SeriesService {
    series: Arc<dyn Series>,
    ids: Arc<dyn Ids>,
    rules: Rules,
}

/// What became of a series that was updated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SplitSeries {
    /// The series that was updated; what is before the change stays in it.
    pub updating: SeriesId,
    /// The series of what was changed.
    pub created: SeriesId,
}

impl SeriesService {
    /// The use cases over this store.
    #[must_use]
    pub fn new(series: Arc<dyn Series>, ids: Arc<dyn Ids>, rules: Rules) -> Self {
        Self { series, ids, rules }
    }

    /// Gives the execution `from` and the PENDING ones after it in its series new content.
    ///
    /// # Errors
    /// `NotFound` when there is no such execution, `Stale` when its version is not the expected one,
    /// `Refused`, `Store`.
    pub async fn split(
        &self,
        from: TaskExecutionId,
        expected: Option<Version>,
        draft: SeriesDraft,
    ) -> Result<SplitSeries, Failure> {
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
            )
            .await?;
        // A body without seriesId was refused by the split.
        updating.map(|updating| SplitSeries { updating, created }).ok_or(Failure::NotFound)
    }
}
