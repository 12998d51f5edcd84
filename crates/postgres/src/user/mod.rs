//! Users.

mod names;
mod row;

use std::{collections::HashMap, slice};

use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use patrol_domain::{
    EditError, References, StoreError,
    ids::UserId,
    shared::text::fold,
    task_execution::Edit,
    user::{BatchChange, User, Users},
};

pub(crate) use names::lock_and_find_clash;
pub(crate) use row::{get, insert, insert_passwords, lock, page};

use crate::{
    Store,
    engine::{Abort, Connection},
    reference,
    schema::users,
    value::uuids,
};

#[async_trait]
impl Users for Store {
    async fn get(&self, id: UserId) -> Result<Option<User>, StoreError> {
        self.read(async |conn| row::get(&conn, id).await).await
    }

    async fn find(&self, employee_no_or_email: &str) -> Result<Vec<User>, StoreError> {
        let wanted = fold(employee_no_or_email);
        if wanted.contains('\0') {
            // PostgreSQL does not take it, and no user has it.
            return Ok(Vec::new());
        }
        self.read(async |conn| find(&conn, &wanted).await).await
    }

    async fn update(&self, id: UserId, edit: Edit<User>) -> Result<User, EditError> {
        self.transaction_on(id.0, async |conn| update(&conn, id, &edit).await).await
    }

    async fn update_batch(
        &self,
        ids: Vec<UserId>,
        names: References,
        change: BatchChange,
    ) -> Result<Result<Vec<User>, Vec<usize>>, EditError> {
        self.transaction(async |conn| update_batch(&conn, &ids, &names, &change).await).await
    }
}

/// The users with this number or this email address, by id.
async fn find(mut conn: &Connection, wanted: &str) -> Result<Vec<User>, Abort<StoreError>> {
    let found: Vec<row::Read> = row::query()
        .filter(users::employee_no_folded.eq(wanted).or(users::email_folded.eq(wanted)))
        .order(users::id)
        .load(&mut conn)
        .await?;
    Ok(found.into_iter().map(row::read).collect::<Result<_, _>>()?)
}

async fn update(
    conn: &Connection,
    id: UserId,
    edit: &Edit<User>,
) -> Result<User, Abort<EditError>> {
    lock(conn, &[id.0], edit.names.active_admins).await?;
    let Some(user) = row::get(conn, id).await? else {
        return Err(Abort::Refused(EditError::Missing));
    };
    names::lock_new(conn, &edit.names, slice::from_ref(&user)).await?;
    let existing = reference::existing(conn, &edit.names).await?;
    let changed =
        (edit.change)(&user, &existing).map_err(|refusal| Abort::Refused(refusal.into()))?;
    let Some(changed) = changed else { return Ok(user) };
    row::replace(conn, &changed).await?;
    Ok(changed)
}

async fn update_batch(
    conn: &Connection,
    ids: &[UserId],
    names: &References,
    change: &BatchChange,
) -> Result<Result<Vec<User>, Vec<usize>>, Abort<EditError>> {
    let wanted = uuids(ids);
    lock(conn, &wanted, names.active_admins).await?;
    let found = row::get_all(conn, &wanted).await?;
    let mut found: HashMap<_, _> = found.into_iter().map(|user| (user.id, user)).collect();
    let (mut users, mut unknown) = (Vec::new(), Vec::new());
    for (at, id) in ids.iter().enumerate() {
        match found.remove(id) {
            Some(user) => users.push(user),
            None => unknown.push(at),
        }
    }
    if !unknown.is_empty() {
        return Ok(Err(unknown));
    }
    names::lock_new(conn, names, &users).await?;
    let existing = reference::existing(conn, names).await?;
    let changed = change(&users, &existing).map_err(|refusal| Abort::Refused(refusal.into()))?;
    let changing: Vec<_> = changed.iter().flatten().collect();
    // What one user gives up another may get: nobody has it meanwhile.
    let freed: Vec<_> = changing.iter().map(|user| user.id.0).collect();
    row::free_unique(conn, &freed).await?;
    for user in changing {
        row::replace(conn, user).await?;
    }
    Ok(Ok(users.into_iter().zip(changed).map(|(old, new)| new.unwrap_or(old)).collect()))
}
