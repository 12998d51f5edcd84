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
    task_execution::pending,
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
        self.write(move |conn| {
            let mut found = vec![change::load::<TaskExecution>(conn, from, expected)?];
            if let [first] = found.as_slice()
                && let Some(series) = first.found.record.series_id
            {
                let others = pending(conn, series, first.found.record.start_at)?;
                found.extend(others.into_iter().filter(|other| other.found.record.id != from));
            }
            let records: Vec<_> = found.iter().map(|stored| stored.found.record.clone()).collect();
            let existing = reference::existing(conn, &names)?;
            let changed = split_changes(&split, &records, &existing)?;
            for (at, new) in &changed {
                if let Some(old) = found.get(*at) {
                    TaskExecution::replace(conn, old, new)?;
                }
            }
            let changes =
                changed.iter().filter_map(|(at, new)| Some(Change::Update(records.get(*at)?, new)));
            change::note(conn, &changes.collect::<Vec<_>>(), &by)
        })
        .await
    }
}
