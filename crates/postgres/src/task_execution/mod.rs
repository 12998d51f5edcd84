//! Task executions.

mod list;
mod row;
mod statements;

use async_trait::async_trait;
use patrol_domain::{
    EditError, StoreError, Version, Versioned,
    ids::TaskExecutionId,
    list::Listing,
    task_execution::{
        Copies, Edit, ExecutionQuery, ExecutionSummary, TaskExecution, TaskExecutions,
    },
};

pub(crate) use statements::{insert, lock, lock_pending, page, replace};

use crate::{
    Store,
    engine::{Abort, Connection},
    reference,
};

#[async_trait]
impl TaskExecutions for Store {
    async fn get(
        &self,
        id: TaskExecutionId,
    ) -> Result<Option<Versioned<TaskExecution>>, StoreError> {
        self.read(async |conn| statements::get(&conn, id).await).await
    }

    fn list(&self, query: ExecutionQuery) -> Listing<ExecutionSummary> {
        self.listing(query)
    }

    async fn update(
        &self,
        id: TaskExecutionId,
        expected: Option<Version>,
        edit: Edit<TaskExecution>,
    ) -> Result<Versioned<TaskExecution>, EditError> {
        self.transaction_on(id.0, async |conn| update(&conn, id, expected, &edit).await).await
    }

    async fn delete(
        &self,
        id: TaskExecutionId,
        expected: Option<Version>,
    ) -> Result<(), EditError> {
        self.transaction_on(id.0, async |conn| delete(&conn, id, expected).await).await
    }

    async fn copy(
        &self,
        path: TaskExecutionId,
        ids: Vec<TaskExecutionId>,
        answered: TaskExecutionId,
        copies: Copies,
    ) -> Result<Result<TaskExecution, Vec<usize>>, EditError> {
        self.transaction(async |conn| copy(&conn, path, &ids, answered, &copies).await).await
    }
}

async fn update(
    conn: &Connection,
    id: TaskExecutionId,
    expected: Option<Version>,
    edit: &Edit<TaskExecution>,
) -> Result<Versioned<TaskExecution>, Abort<EditError>> {
    let Some(found) = lock(conn, id).await? else {
        return Err(Abort::Refused(EditError::Missing));
    };
    if expected.is_some_and(|expected| expected != found.version) {
        return Err(Abort::Refused(EditError::Stale));
    }
    let existing = reference::existing(conn, &edit.names).await?;
    let changed = (edit.change)(&found.record, &existing)
        .map_err(|refusal| Abort::Refused(refusal.into()))?;
    let Some(record) = changed else { return Ok(found) };
    let version = next(found.version);
    replace(conn, &found.record, &record, version).await?;
    Ok(Versioned { record, version })
}

/// The version of an execution whose id was never used before.
const FIRST: Version = Version(1);

/// The version after `version`.
pub(crate) const fn next(version: Version) -> Version {
    Version(version.0.saturating_add(1))
}

async fn delete(
    conn: &Connection,
    id: TaskExecutionId,
    expected: Option<Version>,
) -> Result<(), Abort<EditError>> {
    let Some(version) = statements::lock_version(conn, id).await? else {
        return Err(Abort::Refused(EditError::Missing));
    };
    if expected.is_some_and(|expected| expected != version) {
        return Err(Abort::Refused(EditError::Stale));
    }
    Ok(statements::delete(conn, id).await?)
}

async fn copy(
    conn: &Connection,
    path: TaskExecutionId,
    ids: &[TaskExecutionId],
    answered: TaskExecutionId,
    copies: &Copies,
) -> Result<Result<TaskExecution, Vec<usize>>, Abort<EditError>> {
    if !statements::has(conn, path).await? {
        return Err(Abort::Refused(EditError::Missing));
    }
    let known = statements::known(conn, ids).await?;
    let unknown = |(at, id)| (!known.contains(id)).then_some(at);
    let unknown: Vec<_> = ids.iter().enumerate().filter_map(unknown).collect();
    if !unknown.is_empty() {
        return Ok(Err(unknown));
    }
    let mut answer = None;
    for id in ids {
        let Some(found) = statements::get(conn, *id).await? else {
            return Err(Abort::Refused(EditError::Missing));
        };
        let copy = copies(&found.record);
        insert(conn, &[&copy], FIRST).await?;
        if *id == answered {
            answer = Some(copy);
        }
    }
    answer.map(Ok).ok_or(Abort::Refused(EditError::Missing))
}
