//! Check-lists and their actions.

mod row;

use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use patrol_domain::{
    EditError,
    check_list::{CheckListAction, CheckListActions},
    ids::CheckListActionId,
    task_execution::Edit,
};

pub(crate) use row::{insert, page};

use crate::{
    Store,
    engine::{Abort, Connection},
    reference,
    schema::check_list_actions,
};

#[async_trait]
impl CheckListActions for Store {
    async fn update(
        &self,
        id: CheckListActionId,
        edit: Edit<CheckListAction>,
    ) -> Result<CheckListAction, EditError> {
        self.transaction_on(id.0, async |conn| update(&conn, id, &edit).await).await
    }

    async fn delete(&self, id: CheckListActionId) -> Result<(), EditError> {
        self.transaction_on(id.0, async |conn| delete(&conn, id).await).await
    }
}

async fn update(
    mut conn: &Connection,
    id: CheckListActionId,
    edit: &Edit<CheckListAction>,
) -> Result<CheckListAction, Abort<EditError>> {
    let Some(action) = row::lock(conn, id).await? else {
        return Err(Abort::Refused(EditError::Missing));
    };
    let existing = reference::existing(conn, &edit.names).await?;
    let changed =
        (edit.change)(&action, &existing).map_err(|refusal| Abort::Refused(refusal.into()))?;
    let Some(changed) = changed else { return Ok(action) };
    diesel::update(check_list_actions::table.find(id.0))
        .set(row::Written::of(&changed))
        .execute(&mut conn)
        .await?;
    Ok(changed)
}

async fn delete(mut conn: &Connection, id: CheckListActionId) -> Result<(), Abort<EditError>> {
    let removed = diesel::delete(check_list_actions::table.find(id.0)).execute(&mut conn).await?;
    if removed == 0 {
        return Err(Abort::Refused(EditError::Missing));
    }
    Ok(())
}
