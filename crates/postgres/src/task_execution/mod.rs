//! Task executions.

mod statements;

use async_trait::async_trait;
use patrol_domain::{
    EditError, Existing, Known, Resource, Version, all_known,
    event::Origin,
    task_execution::{Copies, TaskExecution, TaskExecutions},
};

pub(crate) use statements::{insert, lock_assigned, lock_pending};

use crate::{
    Store,
    change::{self, Change, Findable},
    reference,
};

#[async_trait]
impl TaskExecutions for Store {
    async fn copy(&self, copy: Copies, by: Origin) -> Result<Known<TaskExecution>, EditError> {
        self.transaction(async |conn| {
            if reference::find(&conn, Resource::TaskExecution, vec![copy.must_exist.0])
                .await?
                .is_empty()
            {
                return Err(EditError::Missing.into());
            }
            let all = copy.ids.iter().map(|id| id.0).collect();
            let found = reference::find(&conn, Resource::TaskExecution, all).await?;
            let known: Existing = found.into_iter().collect();
            let found = copy.ids.iter().map(|id| known.has(*id).then_some(()));
            if let Err(unknown) = all_known(found) {
                return Ok(Err(unknown));
            }
            let mut answer = None;
            for id in &copy.ids {
                let Some(found) = TaskExecution::find(&conn, *id).await? else {
                    return Err(EditError::Missing.into());
                };
                let new_copy = (copy.make)(&found.record);
                insert(&conn, &[&new_copy], Version::FIRST).await?;
                change::record_changes(&conn, &[Change::Create(&new_copy)], &copy.origin(*id, by))
                    .await?;
                if *id == copy.returned {
                    answer = Some(new_copy);
                }
            }
            answer.map(Ok).ok_or(EditError::Missing.into())
        })
        .await
    }
}
