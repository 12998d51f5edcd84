//! Task executions.

mod links;
mod statements;

use async_trait::async_trait;
use patrol_domain::{
    EditError, Version,
    event::Origin,
    ids::TaskExecutionId,
    list::Listing,
    task_execution::{ExecutionQuery, ExecutionSummary, MakeCopy, TaskExecution, TaskExecutions},
};

pub(crate) use links::Later;
pub(crate) use statements::{New, insert_parts, insert_row, next_row, page, pending};

use crate::{
    Store,
    change::{self, Change},
    reference,
};

#[async_trait]
impl TaskExecutions for Store {
    fn list(&self, query: ExecutionQuery) -> Listing<ExecutionSummary> {
        self.listing(query)
    }

    async fn copy(
        &self,
        path: TaskExecutionId,
        ids: Vec<TaskExecutionId>,
        returned: TaskExecutionId,
        make_copy: MakeCopy,
        by: Origin,
    ) -> Result<Result<TaskExecution, Vec<usize>>, EditError> {
        self.write(move |conn| {
            if !reference::exists(conn, path)? {
                return Err(EditError::Missing.into());
            }
            let mut unknown = Vec::new();
            for (at, id) in ids.iter().enumerate() {
                if !reference::exists(conn, *id)? {
                    unknown.push(at);
                }
            }
            if !unknown.is_empty() {
                return Ok(Err(unknown));
            }
            let mut answer = None;
            for id in &ids {
                let copy = make_copy(&change::load::<TaskExecution>(conn, *id, None)?.found.record);
                let (row, new) = (next_row(conn)?, New::of(&copy)?);
                insert_row(conn, row, &new, Version::FIRST)?;
                insert_parts(conn, row, &new, &copy, None)?;
                change::note(conn, &[Change::Create(&copy)], &by)?;
                if *id == returned {
                    answer = Some(copy);
                }
            }
            answer.map(Ok).ok_or(EditError::Missing.into())
        })
        .await
    }
}
