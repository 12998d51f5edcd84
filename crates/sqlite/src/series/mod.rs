//! Series of executions.

use std::collections::HashMap;

use async_trait::async_trait;
use diesel::SqliteConnection;
use patrol_domain::{
    EditError, References, StoreError, Version,
    ids::TaskExecutionId,
    series::{Series, Split},
};

use crate::{
    Store,
    engine::Abort,
    reference,
    revision::{self, Aggregate},
    task_execution::{self, Stored},
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
        self.write(move |conn| apply(conn, from, expected, &names, &split)).await
    }
}

fn apply(
    conn: &mut SqliteConnection,
    from: TaskExecutionId,
    expected: Option<Version>,
    names: &References,
    split: &Split,
) -> Result<(), Abort<EditError>> {
    let Some(from) = task_execution::get(conn, from)? else {
        return Err(Abort::Refused(EditError::Missing));
    };
    if expected.is_some_and(|expected| expected != from.found.version) {
        return Err(Abort::Refused(EditError::Stale));
    }
    let of_series = match from.found.record.series_id {
        Some(series) => task_execution::pending(conn, series, from.found.record.start_at)?,
        None => Vec::new(),
    };
    let first = from.found.record.id;
    let others = of_series.into_iter().filter(|stored| stored.found.record.id != first);
    let (places, records): (Vec<_>, Vec<_>) = std::iter::once(from)
        .chain(others)
        .map(|Stored { row, found }| ((row, found.version), found.record))
        .unzip();
    let Some((from, following)) = records.split_first() else { return Ok(()) };

    let existing = reference::existing(conn, names)?;
    let changed =
        split(from, following, &existing).map_err(|refusal| Abort::Refused(refusal.into()))?;
    let known: HashMap<_, _> =
        records.iter().zip(places).map(|(record, place)| (record.id, (record, place))).collect();
    for new in &changed {
        let Some((old, (row, version))) = known.get(&new.id) else {
            let cause = "a split gave back an execution that it was not given";
            return Err(StoreError::Internal(cause.to_owned()).into());
        };
        task_execution::replace(conn, *row, old, new, task_execution::next(*version))?;
    }
    revision::raise(conn, Aggregate::TaskExecution)?;
    Ok(())
}
