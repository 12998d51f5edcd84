//! Series of executions.

use async_trait::async_trait;
use patrol_domain::{
    EditError, References, Version,
    ids::TaskExecutionId,
    series::{Series, Split, split_changes},
    task_execution::TaskExecution,
};

use crate::{
    Store,
    change::{self, Change, Editable},
    engine::{Abort, Connection},
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
    ) -> Result<(), EditError> {
        self.transaction_on(from.0, async |conn| apply(&conn, from, expected, &names, &split).await)
            .await
    }
}

async fn apply(
    conn: &Connection,
    from: TaskExecutionId,
    expected: Option<Version>,
    names: &References,
    split: &Split,
) -> Result<(), Abort<EditError>> {
    let first = change::load::<TaskExecution>(conn, from, expected, names).await?;
    let (series, start_at) = (first.record.series_id, first.record.start_at);
    let mut found = vec![first];
    if let Some(series) = series {
        let others = lock_pending(conn, series, start_at).await?;
        found.extend(others.into_iter().filter(|other| other.record.id != from));
    }
    let records: Vec<_> = found.iter().map(|stored| stored.record.clone()).collect();
    let existing = reference::existing(conn, names).await?;
    let changed = split_changes(split, &records, &existing).map_err(Abort::Refused)?;
    for (at, new) in &changed {
        if let Some(old) = found.get(*at) {
            TaskExecution::replace(conn, old, new).await?;
        }
    }
    let changes: Vec<_> = changed.iter().map(|(_, new)| Change::Update(new)).collect();
    change::note(conn, &changes, ()).await
}
