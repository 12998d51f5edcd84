//! Users.

mod names;
mod removal;
pub(crate) mod texts;

use std::{collections::HashMap, slice};

use async_trait::async_trait;
use diesel::{
    dsl::{AsSelect, Select},
    pg::Pg,
    prelude::*,
};
use diesel_async::RunQueryDsl;
use patrol_domain::{
    EditError, Known, Named, References, StoreError, Timestamp, Version, Versioned,
    access::Role,
    all_known,
    data_set::{ImportError, NewUser},
    event::Origin,
    ids::{UserId, Uuid},
    shared::text::fold,
    sign_in::Account,
    user::{BatchEdit, Removal, User, UserStatus, Users},
};
use patrol_stored::{
    schema::{passwords, users},
    sign_in,
    sql::{Ids, StoredId, StoredIds, id, ids},
    user::{Fixed, Read, Written, is_named},
};

use crate::{
    Store,
    change::{self, Change, Creatable, Editable, Entity, Findable},
    data_set::{Kind, page},
    engine::{Abort, Connection},
    reference,
};

#[async_trait]
impl Users for Store {
    async fn find(&self, employee_no_or_email: &str) -> Result<Vec<User>, StoreError> {
        let wanted = fold(employee_no_or_email);
        if wanted.contains('\0') {
            // PostgreSQL refuses U+0000, and no user has it.
            return Ok(Vec::new());
        }
        self.read(async |conn| find(&conn, &wanted).await).await
    }

    async fn update_batch(
        &self,
        edit: BatchEdit,
        by: Origin,
    ) -> Result<Known<Vec<User>>, EditError> {
        self.transaction(async |conn| {
            lock(&conn, &edit.ids, edit.references.active_admins).await?;
            let found =
                query().filter(users::id.eq_any(ids(&edit.ids))).load(&mut conn.as_ref()).await?;
            let found: Result<Vec<_>, _> = found.into_iter().map(read).collect();
            let mut found: HashMap<_, _> =
                found?.into_iter().map(|user| (user.record.id, user)).collect();
            let versioned = match all_known(edit.ids.iter().map(|id| found.remove(id))) {
                Ok(versioned) => versioned,
                Err(unknown) => return Ok(Err(unknown)),
            };
            let users: Vec<_> = versioned.iter().map(|user| user.record.clone()).collect();
            names::lock_new(&conn, &edit.references, &users).await?;
            let existing = reference::existing(&conn, &edit.references).await?;
            let changed = (edit.change)(&users, &existing)?;
            // First clears the values that users give up, so that others in the batch can get them.
            let freed: Vec<_> = changed.iter().flatten().map(|user| user.id).collect();
            free_unique(&conn, &freed).await?;
            for (old, new) in versioned.iter().zip(&changed) {
                if let Some(new) = new {
                    User::replace(&conn, old, new).await?;
                }
            }
            let changes = users.iter().zip(&changed);
            let changes = changes.filter_map(|(old, new)| Some(Change::Update(old, new.as_ref()?)));
            change::record_changes(&conn, &changes.collect::<Vec<_>>(), &by).await?;
            Ok(Ok(users.into_iter().zip(changed).map(|(old, new)| new.unwrap_or(old)).collect()))
        })
        .await
    }

    async fn remove(&self, removal: Removal, by: Origin) -> Result<(), EditError> {
        self.transaction_on(removal.at.id.into(), async |conn| {
            removal::remove(&conn, &removal, &by).await
        })
        .await
    }
}

/// The columns of a user.
type Columns = (AsSelect<Read, Pg>, users::location_ids, users::version);

/// Selects users with all columns.
fn query() -> Select<users::table, Columns> {
    users::table.select((Read::as_select(), users::location_ids, users::version))
}

/// The user in a row.
fn read(
    (read, location_ids, version): (Read, StoredIds, i64),
) -> Result<Versioned<User>, StoreError> {
    let location_ids = read.row("users").ids("location_ids", location_ids)?;
    Ok(Versioned { record: read.user(location_ids)?, version: Version(version) })
}

/// The user in a row, without the version.
fn read_user(row: (Read, StoredIds, i64)) -> Result<User, StoreError> {
    Ok(read(row)?.record)
}

/// The users with this number or email address, by id.
async fn find(mut conn: &Connection, wanted: &str) -> Result<Vec<User>, Abort<StoreError>> {
    let found = query().filter(is_named(wanted)).order(users::id).load(&mut conn).await?;
    Ok(found.into_iter().map(read_user).collect::<Result<_, _>>()?)
}

impl Entity for User {}

/// An account is a user with its password.
impl Entity for Account {}

impl Findable for User {
    async fn find<E: Send>(
        mut conn: &Connection,
        user: UserId,
    ) -> Result<Option<Versioned<Self>>, Abort<E>> {
        let found = query().filter(users::id.eq(id(user))).first(&mut conn).await.optional()?;
        Ok(found.map(read).transpose()?)
    }

    async fn lock(
        conn: &Connection,
        id: UserId,
        references: &References,
    ) -> Result<Option<Versioned<Self>>, Abort<EditError>> {
        lock(conn, &[id], references.active_admins).await?;
        let Some(found) = Self::find(conn, id).await? else { return Ok(None) };
        names::lock_new(conn, references, slice::from_ref(&found.record)).await?;
        Ok(Some(found))
    }
}

impl Creatable for User {
    async fn lock(conn: &Connection, references: &References) -> QueryResult<()> {
        names::lock_all(conn, references).await
    }

    async fn insert<E: Send>(
        conn: &Connection,
        new: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<E>> {
        insert(conn, new.iter().copied(), at).await
    }
}

impl Editable for User {
    /// All columns except the photo and the password. Ends the sessions of the user if the change
    /// does.
    async fn replace(
        mut conn: &Connection,
        old: &Versioned<Self>,
        new: &Self,
    ) -> Result<(), Abort<EditError>> {
        let locations = users::location_ids.eq(Ids::new(&new.location_ids));
        diesel::update(users::table.find(id(old.record.id)))
            .set((Written::of(new), locations, users::version.eq(old.version.next().0)))
            .execute(&mut conn)
            .await?;
        if old.record.ends_sessions(new) {
            sign_in::end_sessions(new.id, None).execute(&mut conn).await?;
        }
        Ok(())
    }
}

/// Stores new users. An id may have been used before; its versions were lower than the current time
/// in milliseconds.
async fn insert<E>(
    mut conn: &Connection,
    new: impl Iterator<Item = &User>,
    at: Timestamp,
) -> Result<(), Abort<E>> {
    let written = new.map(|user| {
        let locations = users::location_ids.eq(Ids::new(&user.location_ids));
        (Fixed::of(user), Written::of(user), locations, users::version.eq(at.millis()))
    });
    let written: Vec<_> = written.collect();
    diesel::insert_into(users::table).values(written).execute(&mut conn).await?;
    Ok(())
}

/// Clears the unique values of these users.
async fn free_unique(mut conn: &Connection, of: &[UserId]) -> QueryResult<()> {
    let none = None::<&str>;
    diesel::update(users::table.filter(users::id.eq_any(ids(of))))
        .set((
            users::employee_no.eq(none),
            users::employee_no_folded.eq(none),
            users::email.eq(none),
            users::email_folded.eq(none),
        ))
        .execute(&mut conn)
        .await?;
    Ok(())
}

/// Locks these users until the end of the transaction; with `admins` also all active
/// administrators, so that of two changes that together would leave none only one succeeds. Locks
/// are taken in order of id, so that two changes cannot deadlock. Records that refer to a user need
/// not wait.
async fn lock(mut conn: &Connection, of: &[UserId], admins: bool) -> QueryResult<()> {
    let named = users::id.eq_any(ids(of));
    let is_admin =
        users::role.eq(Role::Admin.code()).and(users::status.eq(UserStatus::Active.code()));
    let locked = users::table.select(users::id).order(users::id);
    let locked: Vec<StoredId> = if admins {
        locked.filter(named.or(is_admin)).for_no_key_update().load(&mut conn).await?
    } else {
        locked.filter(named).for_no_key_update().load(&mut conn).await?
    };
    drop(locked);
    Ok(())
}

impl Kind for NewUser {
    async fn lock_and_find_clash(conn: &Connection, users: &[&Self]) -> QueryResult<bool> {
        let users: Vec<_> = users.iter().map(|new| &new.user).collect();
        names::lock_and_find_clash(conn, &users).await
    }

    async fn store(
        mut conn: &Connection,
        new: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<ImportError>> {
        insert(conn, new.iter().map(|NewUser { user, .. }| user), at).await?;
        let hashes = new.iter().filter_map(|NewUser { user, password_hash }| {
            Some((passwords::user_id.eq(id(user.id)), passwords::hash.eq(password_hash.as_ref()?)))
        });
        let hashes: Vec<_> = hashes.collect();
        diesel::insert_into(passwords::table).values(hashes).execute(&mut conn).await?;
        Ok(())
    }

    async fn page(conn: &Connection, after: Option<Uuid>) -> Result<Vec<Self>, Abort<StoreError>> {
        let rows: Vec<_> = page!(conn, after, users, query());
        let users = rows.into_iter().map(|row| read_user(row).map(NewUser::from));
        Ok(users.collect::<Result<_, _>>()?)
    }
}
