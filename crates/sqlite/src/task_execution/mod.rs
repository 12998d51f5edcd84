//! Task executions.

mod links;
pub(crate) mod search;
mod statements;

use async_trait::async_trait;
use patrol_domain::{
    At, EditError, Known, Version, all_known,
    event::Origin,
    task_execution::{Copies, TaskExecution, TaskExecutions},
};

pub(crate) use links::Later;
pub(crate) use statements::{New, by_row, insert_parts, insert_row, next_row, page, pending};

use crate::{
    Store,
    change::{self, Change},
    engine::Abort,
    reference,
};

#[async_trait]
impl TaskExecutions for Store {
    async fn copy(&self, copy: Copies, by: Origin) -> Result<Known<TaskExecution>, EditError> {
        self.write(move |conn| {
            if !reference::exists(conn, copy.must_exist)? {
                return Err(EditError::Missing.into());
            }
            let mut exists = |id| Ok(reference::exists(conn, id)?.then_some(()));
            let found: Result<Vec<_>, Abort<EditError>> =
                copy.ids.iter().map(|id| exists(*id)).collect();
            if let Err(unknown) = all_known(found?) {
                return Ok(Err(unknown));
            }
            let mut answer = None;
            for id in &copy.ids {
                let old = change::load(conn, &At::<TaskExecution>::any_version(*id))?;
                let new_copy = (copy.make)(&old.versioned.record);
                let (row, new) = (next_row(conn)?, New::of(&new_copy)?);
                insert_row(conn, row, &new, Version::FIRST)?;
                insert_parts(conn, row, &new, &new_copy, None)?;
                change::record_changes(conn, &[Change::Create(&new_copy)], &copy.origin(*id, by))?;
                if *id == copy.returned {
                    answer = Some(new_copy);
                }
            }
            answer.map(Ok).ok_or(EditError::Missing.into())
        })
        .await
    }
}
