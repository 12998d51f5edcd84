//! A user as it is stored: one row.

use diesel::{
    dsl::{AsSelect, Select},
    pg::Pg,
    prelude::*,
};
use diesel_async::RunQueryDsl;
use patrol_domain::{
    Named, StoreError,
    access::Role,
    ids::{UserId, Uuid},
    shared::text::fold,
    user::{User, UserStatus},
};

use crate::{
    engine::{Abort, Connection},
    schema::{passwords, users},
    value::{Row, ids, uuids},
};

/// The columns that hold a user, but for its photo.
#[derive(Insertable, AsChangeset)]
#[diesel(table_name = users)]
#[diesel(treat_none_as_default_value = false, treat_none_as_null = true)]
struct Written<'a> {
    id: Uuid,
    first_name: &'a str,
    middle_name: Option<&'a str>,
    last_name: &'a str,
    employee_no: Option<&'a str>,
    employee_no_folded: Option<String>,
    employee_pin: Option<&'a str>,
    email: Option<&'a str>,
    email_folded: Option<String>,
    phone: Option<&'a str>,
    language: &'a str,
    role: i16,
    status: i16,
    location_ids: Vec<Uuid>,
    tags: &'a [String],
    linked: bool,
}

impl<'a> Written<'a> {
    fn of(user: &'a User) -> Self {
        let User {
            id,
            first_name,
            middle_name,
            last_name,
            employee_no,
            employee_pin,
            email,
            phone,
            language,
            role,
            status,
            photo_id: _,
            location_ids,
            tags,
            linked,
        } = user;
        Self {
            id: id.0,
            first_name,
            middle_name: middle_name.as_deref(),
            last_name,
            employee_no: employee_no.as_deref(),
            employee_no_folded: employee_no.as_deref().map(fold),
            employee_pin: employee_pin.as_deref(),
            email: email.as_deref(),
            email_folded: email.as_deref().map(fold),
            phone: phone.as_deref(),
            language,
            role: role.code(),
            status: status.code(),
            location_ids: uuids(location_ids),
            tags,
            linked: *linked,
        }
    }
}

/// Stores new users.
pub(crate) async fn insert(mut conn: &Connection, users: &[&User]) -> QueryResult<()> {
    let written: Vec<_> = users
        .iter()
        .map(|user| (Written::of(user), users::photo_id.eq(user.photo_id.map(|id| id.0))))
        .collect();
    diesel::insert_into(users::table).values(written).execute(&mut conn).await?;
    Ok(())
}

/// Stores the hashes of new users' passwords.
pub(crate) async fn insert_passwords(
    mut conn: &Connection,
    hashes: &[(UserId, &str)],
) -> QueryResult<()> {
    let written: Vec<_> = hashes
        .iter()
        .map(|(user, hash)| (passwords::user_id.eq(user.0), passwords::hash.eq(*hash)))
        .collect();
    diesel::insert_into(passwords::table).values(written).execute(&mut conn).await?;
    Ok(())
}

/// Stores `user` where it is, but for its photo.
pub(super) async fn replace(mut conn: &Connection, user: &User) -> QueryResult<()> {
    let place = users::table.find(user.id.0);
    diesel::update(place).set(Written::of(user)).execute(&mut conn).await?;
    Ok(())
}

/// Takes the values that only one user may have from these users.
pub(super) async fn free_unique(mut conn: &Connection, users: &[Uuid]) -> QueryResult<()> {
    let none = None::<&str>;
    diesel::update(users::table.filter(users::id.eq_any(users)))
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

/// Keeps others from changing these users until the transaction ends, and with `admins` all active
/// administrators as well, so that of two changes that would leave none together only one can. All
/// are locked in the order of their ids, so that no two changes wait for each other. What refers to
/// a user need not wait.
pub(crate) async fn lock(mut conn: &Connection, ids: &[Uuid], admins: bool) -> QueryResult<()> {
    let named = users::id.eq_any(ids);
    let is_admin =
        users::role.eq(Role::Admin.code()).and(users::status.eq(UserStatus::Active.code()));
    let locked = users::table.select(users::id).order(users::id);
    let locked: Vec<Uuid> = if admins {
        locked.filter(named.or(is_admin)).for_no_key_update().load(&mut conn).await?
    } else {
        locked.filter(named).for_no_key_update().load(&mut conn).await?
    };
    drop(locked);
    Ok(())
}

/// The columns that a user is read from.
#[derive(Queryable, Selectable)]
#[diesel(table_name = users, check_for_backend(Pg))]
pub(crate) struct Read {
    id: Uuid,
    first_name: String,
    middle_name: Option<String>,
    last_name: String,
    employee_no: Option<String>,
    employee_pin: Option<String>,
    email: Option<String>,
    phone: Option<String>,
    language: String,
    role: i16,
    status: i16,
    photo_id: Option<Uuid>,
    location_ids: Vec<Uuid>,
    tags: Vec<String>,
    linked: bool,
}

/// Users.
pub(super) fn query() -> Select<users::table, AsSelect<Read, Pg>> {
    users::table.select(Read::as_select())
}

/// The user, or none.
pub(crate) async fn get<E>(mut conn: &Connection, id: UserId) -> Result<Option<User>, Abort<E>> {
    let found = query().filter(users::id.eq(id.0)).first(&mut conn).await.optional()?;
    Ok(found.map(read).transpose()?)
}

/// Those of `ids` that exist, in any order.
pub(super) async fn get_all<E>(mut conn: &Connection, ids: &[Uuid]) -> Result<Vec<User>, Abort<E>> {
    let found: Vec<Read> = query().filter(users::id.eq_any(ids)).load(&mut conn).await?;
    Ok(found.into_iter().map(read).collect::<Result<_, _>>()?)
}

/// At most `limit` users by id, those after `after`.
pub(crate) async fn page<E>(
    mut conn: &Connection,
    after: Option<Uuid>,
    limit: i64,
) -> Result<Vec<User>, Abort<E>> {
    let mut page = query().order(users::id).limit(limit).into_boxed();
    if let Some(after) = after {
        page = page.filter(users::id.gt(after));
    }
    let found: Vec<Read> = page.load(&mut conn).await?;
    Ok(found.into_iter().map(read).collect::<Result<_, _>>()?)
}

/// The user that a row holds.
pub(super) fn read(read: Read) -> Result<User, StoreError> {
    let Read {
        id,
        first_name,
        middle_name,
        last_name,
        employee_no,
        employee_pin,
        email,
        phone,
        language,
        role,
        status,
        photo_id,
        location_ids,
        tags,
        linked,
    } = read;
    let at = Row::new("users", id);
    Ok(User {
        id: id.into(),
        first_name,
        middle_name,
        last_name,
        employee_no,
        employee_pin,
        email,
        phone,
        language,
        role: at.named("role", role)?,
        status: at.named("status", status)?,
        photo_id: photo_id.map(Into::into),
        location_ids: ids(location_ids),
        tags,
        linked,
    })
}
