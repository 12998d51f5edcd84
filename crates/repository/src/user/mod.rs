//! Users.

mod removal;

use std::{collections::HashMap, slice};

use async_trait::async_trait;
use diesel::{prelude::*, sql_types::BigInt};
use futures_util::FutureExt as _;
use patrol_domain::{
    EditError, Known, References, StoreError, Timestamp, UniqueValue, Versioned, all_known,
    event::Origin,
    ids::{LocationId, UserId},
    shared::text::fold,
    sign_in::Account,
    user::{BatchEdit, Removal, User, Users},
};

use crate::{
    Connection, Creatable, Dialect, Editable, Engine, Entity, Findable, Repository,
    change::record_changes,
    reference,
    stored::{
        Abort,
        event::RecordChange,
        list::{Bind, BuiltStatement, Sql},
        schema::users,
        sign_in,
        sql::{Ids, id, ids},
        statement::{Lock, update, with_lock},
        user::{Stored, UserColumns, all_columns, is_named, versioned},
    },
};

#[async_trait]
impl<S: Engine> Users for Repository<S> {
    async fn find(&self, employee_no_or_email: &str) -> Result<Vec<User>, StoreError> {
        let wanted = fold(employee_no_or_email);
        if wanted.contains('\0') {
            // PostgreSQL refuses U+0000, and no user has it.
            return Ok(Vec::new());
        }
        self.0.read(wanted, |conn, wanted| find(conn, wanted).boxed()).await
    }

    async fn update_batch(
        &self,
        edit: BatchEdit,
        by: Origin,
    ) -> Result<Known<Vec<User>>, EditError> {
        self.0
            .write(None, (edit, by), |conn, (edit, by)| update_batch(conn, edit, by).boxed())
            .await
    }

    async fn remove(&self, removal: Removal, by: Origin) -> Result<(), EditError> {
        let user = removal.at.id.0;
        self.0
            .write(Some(user), (removal, by), |conn, (removal, by)| {
                removal::remove(conn, removal, by).boxed()
            })
            .await
    }
}

/// The users with this number or email address, by id.
async fn find(conn: &impl Connection, wanted: &str) -> Result<Vec<User>, Abort<StoreError>> {
    let named = users::table.filter(is_named(wanted)).order(users::id).select(all_columns());
    let found: Vec<Stored> = conn.load(named).await?;
    Ok(found
        .into_iter()
        .map(|row| Ok(versioned(row)?.record))
        .collect::<Result<_, StoreError>>()?)
}

async fn update_batch(
    conn: &impl Dialect,
    edit: &BatchEdit,
    by: &Origin,
) -> Result<Known<Vec<User>>, Abort<EditError>> {
    conn.lock_users(&edit.ids, edit.references.active_admins).await?;
    let named = users::table.filter(users::id.eq_any(ids(&edit.ids))).select(all_columns());
    let found: Vec<Stored> = conn.load(named).await?;
    let found: Result<Vec<_>, _> = found.into_iter().map(versioned).collect();
    let mut found: HashMap<_, _> = found?.into_iter().map(|user| (user.record.id, user)).collect();
    let versioned = match all_known(edit.ids.iter().map(|id| found.remove(id))) {
        Ok(versioned) => versioned,
        Err(unknown) => return Ok(Err(unknown)),
    };
    let users: Vec<_> = versioned.iter().map(|user| user.record.clone()).collect();
    conn.lock_user_names(new_names(&edit.references, &users)).await?;
    let existing = reference::existing(conn, &edit.references).await?;
    let changed = (edit.change)(&users, &existing)?;
    // First clears all unique values of the changed users, so that users of the batch can
    // exchange values. `replace` then writes the new ones.
    let freed: Vec<_> = changed.iter().flatten().map(|user| user.id).collect();
    free_unique(conn, &freed).await?;
    for (old, new) in versioned.iter().zip(&changed) {
        if let Some(new) = new {
            User::replace(conn, old, new).await?;
        }
    }
    let changes = users.iter().zip(&changed);
    let changes = changes.filter_map(|(old, new)| Some(RecordChange::Update(old, new.as_ref()?)));
    record_changes(conn, &changes.collect::<Vec<_>>(), by).await?;
    Ok(Ok(users.into_iter().zip(changed).map(|(old, new)| new.unwrap_or(old)).collect()))
}

/// The named employee numbers and email addresses.
fn names(named: &References) -> impl Iterator<Item = &str> {
    named.values.get(&UniqueValue::UserName).into_iter().flatten().map(String::as_str)
}

/// Those of the named names that are new for at least one of `users`.
fn new_names<'a>(named: &'a References, users: &[User]) -> Vec<&'a str> {
    names(named).filter(|name| !users.iter().all(|user| user.has_name(name))).collect()
}

/// Clears the unique values of these users.
async fn free_unique(conn: &impl Connection, users: &[UserId]) -> QueryResult<()> {
    if users.is_empty() {
        return Ok(());
    }
    let none = None::<&str>;
    let columns = (
        users::employee_no.eq(none),
        users::employee_no_folded.eq(none),
        users::email.eq(none),
        users::email_folded.eq(none),
    );
    let named = users::table.filter(users::id.eq_any(ids(users)));
    conn.execute(diesel::update(named).set(columns)).await.map(drop)
}

impl Entity for User {}

/// An account is a user with its password.
impl Entity for Account {}

impl Findable for User {
    async fn find<C: Dialect, E: Send>(
        conn: &C,
        user: UserId,
        lock: Lock,
    ) -> Result<Option<Versioned<Self>>, Abort<E>> {
        let query = users::table.filter(users::id.eq(id(user))).select(all_columns());
        Ok(conn.first(with_lock(query, lock)).await?.map(versioned).transpose()?)
    }

    async fn lock<C: Dialect>(
        conn: &C,
        id: UserId,
        references: &References,
    ) -> Result<Option<Versioned<Self>>, Abort<EditError>> {
        conn.lock_users(&[id], references.active_admins).await?;
        let Some(found) = Self::find(conn, id, Lock::None).await? else { return Ok(None) };
        conn.lock_user_names(new_names(references, slice::from_ref(&found.record))).await?;
        Ok(Some(found))
    }
}

impl Creatable for User {
    async fn lock_values<C: Dialect>(conn: &C, references: &References) -> QueryResult<()> {
        conn.lock_user_names(names(references).collect()).await
    }

    async fn insert<C: Dialect, E: Send>(
        conn: &C,
        new: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<E>> {
        let rows = new.iter().map(|user| {
            let version = users::version.eq(at.millis());
            let others = (users::photo_id.eq(user.photo_id.map(id)), users::linked.eq(user.linked));
            let columns = (UserColumns::of(user), others, locations::<C>(user), version);
            diesel::insert_into(users::table).values(columns)
        });
        conn.execute_all(rows.collect()).await?;
        for user in new {
            link_locations(conn, &[], user).await?;
        }
        Ok(())
    }
}

impl Editable for User {
    /// Writes all columns except the photo and `linked`, which change only with the photo and the
    /// password. Ends the sessions of the user if its role or its status changes.
    async fn replace<C: Dialect>(
        conn: &C,
        old: &Versioned<Self>,
        new: &Self,
    ) -> Result<(), Abort<EditError>> {
        let version = users::version.eq(old.version.next().0);
        let columns = (UserColumns::of(new), locations::<C>(new), version);
        conn.execute(update(users::table, users::id.eq(id(new.id)), columns)).await?;
        link_locations(conn, &old.record.location_ids, new).await?;
        if old.record.ends_sessions(new) {
            conn.execute(sign_in::end_sessions(new.id, None)).await?;
        }
        Ok(())
    }
}

/// The column with the locations of a user, if the database has one.
fn locations<C: Dialect>(user: &User) -> Option<diesel::dsl::Eq<users::location_ids, Ids>> {
    C::HAS_ARRAYS.then(|| users::location_ids.eq(Ids::new(&user.location_ids)))
}

/// Replaces the rows with the locations of a user, if the database has no column for them.
async fn link_locations<C: Dialect>(conn: &C, old: &[LocationId], new: &User) -> QueryResult<()> {
    if C::HAS_ARRAYS || old == new.location_ids {
        return Ok(());
    }
    if !old.is_empty() {
        let delete =
            "DELETE FROM user_locations WHERE user_row = (SELECT row FROM users WHERE id = ?)";
        let delete = Sql::filled(delete, [Bind::id(new.id)]);
        conn.execute(BuiltStatement::<BigInt>::from(delete)).await?;
    }
    let rows = (0_i64..).zip(&new.location_ids).map(|(position, location)| {
        let insert = "INSERT INTO user_locations (user_row, position, location_id) \
            SELECT row, ?, ? FROM users WHERE id = ?";
        let values = [Bind::Integer(position), Bind::id(*location), Bind::id(new.id)];
        BuiltStatement::<BigInt>::from(Sql::filled(insert, values))
    });
    conn.execute_all(rows.collect()).await.map(drop)
}
