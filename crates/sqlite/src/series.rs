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
    task_execution::pending,
};

#[async_trait]
impl Series for Store {
    async fn split(&self, split: Split, by: Origin) -> Result<(), EditError> {
        self.write(move |conn| {
            let mut found = vec![change::load(conn, &split.from)?];
            if let [first] = found.as_slice()
                && let Some(series) = first.versioned.record.series_id
            {
                let others = pending(conn, series, first.versioned.record.start_at)?;
                found.extend(
                    others.into_iter().filter(|other| other.versioned.record.id != split.from.id),
                );
            }
            let existing = reference::existing(conn, &split.references)?;
            let changed = split.changes(found, |stored| &stored.versioned.record, &existing)?;
            for (old, new) in &changed {
                TaskExecution::replace(conn, old, new)?;
            }
            let changes =
                changed.iter().map(|(old, new)| Change::Update(&old.versioned.record, new));
            change::record_changes(conn, &changes.collect::<Vec<_>>(), &by)
        })
        .await
    }
}
