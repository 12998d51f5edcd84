//! Task executions.

mod links;
mod list;
mod row;
mod statements;

use async_trait::async_trait;
use diesel::SqliteConnection;
use patrol_domain::{
    EditError, StoreError, Version, Versioned,
    ids::TaskExecutionId,
    list::Listing,
    task_execution::{
        Copies, Edit, ExecutionQuery, ExecutionSummary, TaskExecution, TaskExecutions,
    },
};

pub(crate) use links::Later;
pub(crate) use row::Stored;
pub(crate) use statements::{New, get, insert_parts, insert_row, next_row, page, pending, replace};

use crate::{
    Store,
    engine::Abort,
    reference,
    revision::{self, Aggregate},
};

#[async_trait]
impl TaskExecutions for Store {
    async fn get(
        &self,
        id: TaskExecutionId,
    ) -> Result<Option<Versioned<TaskExecution>>, StoreError> {
        self.read(move |conn| Ok(get(conn, id)?.map(|stored| stored.found))).await
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
        self.write(move |conn| update(conn, id, expected, &edit)).await
    }

    async fn delete(
        &self,
        id: TaskExecutionId,
        expected: Option<Version>,
    ) -> Result<(), EditError> {
        self.write(move |conn| delete(conn, id, expected)).await
    }

    async fn copy(
        &self,
        path: TaskExecutionId,
        ids: Vec<TaskExecutionId>,
        answered: TaskExecutionId,
        copies: Copies,
    ) -> Result<Result<TaskExecution, Vec<usize>>, EditError> {
        self.write(move |conn| copy(conn, path, &ids, answered, &copies)).await
    }
}

fn update(
    conn: &mut SqliteConnection,
    id: TaskExecutionId,
    expected: Option<Version>,
    edit: &Edit<TaskExecution>,
) -> Result<Versioned<TaskExecution>, Abort<EditError>> {
    let Some(Stored { row, found }) = get(conn, id)? else {
        return Err(Abort::Refused(EditError::Missing));
    };
    if expected.is_some_and(|expected| expected != found.version) {
        return Err(Abort::Refused(EditError::Stale));
    }
    let existing = reference::existing(conn, &edit.names)?;
    let changed = (edit.change)(&found.record, &existing)
        .map_err(|refusal| Abort::Refused(refusal.into()))?;
    let Some(record) = changed else { return Ok(found) };
    let version = next(found.version);
    replace(conn, row, &found.record, &record, version)?;
    revision::raise(conn, Aggregate::TaskExecution)?;
    Ok(Versioned { record, version })
}

/// The version of an execution whose id was never used before.
const FIRST: Version = Version(1);

/// The version after `version`.
pub(crate) const fn next(version: Version) -> Version {
    Version(version.0.saturating_add(1))
}

fn delete(
    conn: &mut SqliteConnection,
    id: TaskExecutionId,
    expected: Option<Version>,
) -> Result<(), Abort<EditError>> {
    let Some(removal) = statements::removal(conn, id)? else {
        return Err(Abort::Refused(EditError::Missing));
    };
    if expected.is_some_and(|expected| expected != removal.version()) {
        return Err(Abort::Refused(EditError::Stale));
    }
    removal.carry_out(conn)?;
    revision::raise(conn, Aggregate::TaskExecution)?;
    Ok(())
}

fn copy(
    conn: &mut SqliteConnection,
    path: TaskExecutionId,
    ids: &[TaskExecutionId],
    answered: TaskExecutionId,
    copies: &Copies,
) -> Result<Result<TaskExecution, Vec<usize>>, Abort<EditError>> {
    if !statements::has(conn, path)? {
        return Err(Abort::Refused(EditError::Missing));
    }
    let mut unknown = Vec::new();
    for (at, id) in ids.iter().enumerate() {
        if !statements::has(conn, *id)? {
            unknown.push(at);
        }
    }
    if !unknown.is_empty() {
        return Ok(Err(unknown));
    }
    let mut answer = None;
    for id in ids {
        let Some(Stored { row: _, found }) = get(conn, *id)? else {
            return Err(Abort::Refused(EditError::Missing));
        };
        let copy = copies(&found.record);
        let (row, new) = (next_row(conn)?, New::of(&copy)?);
        insert_row(conn, row, &new, FIRST)?;
        insert_parts(conn, row, &new, &copy, None)?;
        if *id == answered {
            answer = Some(copy);
        }
    }
    revision::raise(conn, Aggregate::TaskExecution)?;
    answer.map(Ok).ok_or(Abort::Refused(EditError::Missing))
}
