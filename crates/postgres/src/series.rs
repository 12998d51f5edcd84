//! Series of executions.

use async_trait::async_trait;
use patrol_domain::{
    EditError, References, Version,
    event::Origin,
    ids::TaskExecutionId,
    series::{Series, Split, split_changes},
    task_execution::TaskExecution,
};

use crate::{
    Store,
    change::{self, Change, Editable},
    reference,
    task_execution::lock_pending,
};

#[async_trait]
impl Series for Store {
    async fn split(
        &self,
        from: TaskExecutionId,
        expected: Option<Version>,
        names: References,
        split: Split,
        by: Origin,
    ) -> Result<(), EditError> {
        self.transaction_on(from.0, async |conn| {
            let first = change::load::<TaskExecution>(&conn, from, expected, &names).await?;
            let (series, start_at) = (first.record.series_id, first.record.start_at);
            let mut found = vec![first];
            if let Some(series) = series {
                let others = lock_pending(&conn, series, start_at).await?;
                found.extend(others.into_iter().filter(|other| other.record.id != from));
            }
            let records: Vec<_> = found.iter().map(|stored| stored.record.clone()).collect();
            let existing = reference::existing(&conn, &names).await?;
            let changed = split_changes(&split, &records, &existing)?;
            for (at, new) in &changed {
                if let Some(old) = found.get(*at) {
                    TaskExecution::replace(&conn, old, new).await?;
                }
            }
            let changes =
                changed.iter().filter_map(|(at, new)| Some(Change::Update(records.get(*at)?, new)));
            change::note(&conn, &changes.collect::<Vec<_>>(), &by).await
        })
        .await
    }
}
