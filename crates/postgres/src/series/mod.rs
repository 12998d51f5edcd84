//! Series of executions.

use std::collections::HashMap;

use async_trait::async_trait;
use patrol_domain::{
    EditError, References, StoreError, Version,
    ids::TaskExecutionId,
    series::{Series, Split},
};

use crate::{
    Store,
    engine::{Abort, Connection},
    reference, task_execution,
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
    let Some(from) = task_execution::lock(conn, from).await? else {
        return Err(Abort::Refused(EditError::Missing));
    };
    if expected.is_some_and(|expected| expected != from.version) {
        return Err(Abort::Refused(EditError::Stale));
    }
    let of_series = match from.record.series_id {
        Some(series) => task_execution::lock_pending(conn, series, from.record.start_at).await?,
        None => Vec::new(),
    };
    let first = from.record.id;
    let others = of_series.into_iter().filter(|other| other.record.id != first);
    let (versions, records): (Vec<_>, Vec<_>) =
        std::iter::once(from).chain(others).map(|found| (found.version, found.record)).unzip();
    let Some((from, following)) = records.split_first() else { return Ok(()) };

    let existing = reference::existing(conn, names).await?;
    let changed =
        split(from, following, &existing).map_err(|refusal| Abort::Refused(refusal.into()))?;
    let known: HashMap<_, _> = records
        .iter()
        .zip(versions)
        .map(|(record, version)| (record.id, (record, version)))
        .collect();
    for new in &changed {
        let Some((old, version)) = known.get(&new.id) else {
            let cause = "a split gave back an execution that it was not given";
            return Err(StoreError::Internal(cause.to_owned()).into());
        };
        task_execution::replace(conn, old, new, task_execution::next(*version)).await?;
    }
    Ok(())
}
