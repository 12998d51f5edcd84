//! Users.

mod row;

use async_trait::async_trait;
use diesel::prelude::*;
use patrol_domain::{
    EditError, References, StoreError,
    ids::UserId,
    shared::text::fold,
    task_execution::Edit,
    user::{BatchChange, User, Users},
};

pub(crate) use row::{get, insert_locations, insert_password, insert_row, page};

use crate::{
    Store,
    engine::{Abort, snapshot},
    reference,
    revision::{self, Aggregate},
};

#[async_trait]
impl Users for Store {
    async fn get(&self, user: UserId) -> Result<Option<User>, StoreError> {
        let get = move |conn: &mut SqliteConnection| row::get(conn, user);
        let found = self.read(move |conn| snapshot(conn, get)).await?;
        Ok(found.map(|(_, user)| user))
    }

    async fn find(&self, employee_no_or_email: &str) -> Result<Vec<User>, StoreError> {
        let wanted = fold(employee_no_or_email);
        let find = move |conn: &mut SqliteConnection| row::named(conn, &wanted);
        self.read(move |conn| snapshot(conn, find)).await
    }

    async fn update(&self, id: UserId, edit: Edit<User>) -> Result<User, EditError> {
        self.write(move |conn| update(conn, id, &edit)).await
    }

    async fn update_batch(
        &self,
        ids: Vec<UserId>,
        names: References,
        change: BatchChange,
    ) -> Result<Result<Vec<User>, Vec<usize>>, EditError> {
        self.write(move |conn| update_batch(conn, &ids, &names, &change)).await
    }
}

fn update(
    conn: &mut SqliteConnection,
    id: UserId,
    edit: &Edit<User>,
) -> Result<User, Abort<EditError>> {
    let Some((row, user)) = row::get(conn, id)? else {
        return Err(Abort::Refused(EditError::Missing));
    };
    let existing = reference::existing(conn, &edit.names)?;
    let changed =
        (edit.change)(&user, &existing).map_err(|refusal| Abort::Refused(refusal.into()))?;
    let Some(changed) = changed else { return Ok(user) };
    row::replace(conn, row, &user, &changed)?;
    revision::raise(conn, Aggregate::User)?;
    Ok(changed)
}

fn update_batch(
    conn: &mut SqliteConnection,
    ids: &[UserId],
    names: &References,
    change: &BatchChange,
) -> Result<Result<Vec<User>, Vec<usize>>, Abort<EditError>> {
    let (mut rows, mut users, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
    for (at, id) in ids.iter().enumerate() {
        match row::get(conn, *id)? {
            Some((row, user)) => {
                rows.push(row);
                users.push(user);
            }
            None => unknown.push(at),
        }
    }
    if !unknown.is_empty() {
        return Ok(Err(unknown));
    }
    let existing = reference::existing(conn, names)?;
    let changed = change(&users, &existing).map_err(|refusal| Abort::Refused(refusal.into()))?;
    let changes: Vec<_> = rows
        .into_iter()
        .zip(&users)
        .zip(&changed)
        .filter_map(|(place, new)| Some((place, new.as_ref()?)))
        .collect();
    if changes.is_empty() {
        return Ok(Ok(users));
    }
    // What one user gives up another may get: nobody has it meanwhile.
    for ((row, _), _) in &changes {
        row::free_unique(conn, *row)?;
    }
    for ((row, old), new) in changes {
        row::replace(conn, row, old, new)?;
    }
    revision::raise(conn, Aggregate::User)?;
    Ok(Ok(users.into_iter().zip(changed).map(|(old, new)| new.unwrap_or(old)).collect()))
}
