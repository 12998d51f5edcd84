//! Series of executions.

use async_trait::async_trait;
use patrol_domain::{
    EditError,
    event::Origin,
    series::{Series, Split},
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
    async fn split(&self, split: Split, by: Origin) -> Result<(), EditError> {
        self.transaction_on(split.from.id.0, async |conn| {
            let first = change::load(&conn, &split.from, &split.references).await?;
            let (series, start_at) = (first.record.series_id, first.record.start_at);
            let mut found = vec![first];
            if let Some(series) = series {
                let others = lock_pending(&conn, series, start_at).await?;
                found.extend(others.into_iter().filter(|other| other.record.id != split.from.id));
            }
            let existing = reference::existing(&conn, &split.references).await?;
            let changed = split.changes(found, |stored| &stored.record, &existing)?;
            for (old, new) in &changed {
                TaskExecution::replace(&conn, old, new).await?;
            }
            let changes = changed.iter().map(|(old, new)| Change::Update(&old.record, new));
            change::record_changes(&conn, &changes.collect::<Vec<_>>(), &by).await
        })
        .await
    }
}
