//! A user as it is stored: a row, and one for each of its locations.

use diesel::{
    dsl::{AsSelect, Select},
    prelude::*,
    sqlite::Sqlite,
};
use patrol_domain::{Named, StoreError, shared::text::fold, user::User};
use patrol_stored as stored;

use crate::{
    engine::Abort,
    schema::{passwords, user_locations, users},
    value::{Id, Row, StoredId, StoredTexts, id, last_insert_rowid, unwritable},
};

#[derive(Insertable)]
#[diesel(table_name = users, treat_none_as_default_value = false)]
struct Written<'a> {
    id: Id,
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
    photo_id: Option<Id>,
    tags: String,
    linked: bool,
}

/// Stores a new user, but for what refers to its row, which is returned.
pub(crate) fn insert_row<E>(conn: &mut SqliteConnection, user: &User) -> Result<i64, Abort<E>> {
    let User {
        id: user_id,
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
        location_ids: _,
        tags,
        linked,
    } = user;
    let written = Written {
        id: id(*user_id),
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
        role: role.rank(),
        status: status.rank(),
        photo_id: photo_id.map(id),
        tags: stored::texts::write(tags).map_err(unwritable)?,
        linked: *linked,
    };
    diesel::insert_into(users::table).values(written).execute(conn)?;
    Ok(diesel::select(last_insert_rowid()).get_result(conn)?)
}

/// Stores the locations of a new user.
pub(crate) fn insert_locations<E>(
    conn: &mut SqliteConnection,
    row: i64,
    user: &User,
) -> Result<(), Abort<E>> {
    for (position, location) in (0_i32..).zip(&user.location_ids) {
        diesel::insert_into(user_locations::table)
            .values((
                user_locations::user_row.eq(row),
                user_locations::position.eq(position),
                user_locations::location_id.eq(id(*location)),
            ))
            .execute(conn)?;
    }
    Ok(())
}

/// Stores the hash of a new user's password.
pub(crate) fn insert_password<E>(
    conn: &mut SqliteConnection,
    row: i64,
    hash: &str,
) -> Result<(), Abort<E>> {
    diesel::insert_into(passwords::table)
        .values((passwords::user_row.eq(row), passwords::hash.eq(hash)))
        .execute(conn)?;
    Ok(())
}

/// The columns that a user is read from.
#[derive(Queryable, Selectable)]
#[diesel(table_name = users, check_for_backend(Sqlite))]
pub(super) struct Read {
    row: i64,
    id: StoredId,
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
    photo_id: Option<StoredId>,
    tags: StoredTexts,
    linked: bool,
}

/// Users without their locations.
pub(super) fn query() -> Select<users::table, AsSelect<Read, Sqlite>> {
    users::table.select(Read::as_select())
}

/// The user that was found, with its locations.
pub(super) fn complete<E>(
    conn: &mut SqliteConnection,
    found: Option<Read>,
) -> Result<Option<User>, Abort<E>> {
    found.map(|read| with_locations(conn, read)).transpose()
}

/// At most `limit` users of a row after `after`, by row, each with its row.
pub(crate) fn page<E>(
    conn: &mut SqliteConnection,
    after: i64,
    limit: i64,
) -> Result<Vec<(i64, User)>, Abort<E>> {
    let found: Vec<Read> =
        query().filter(users::row.gt(after)).order(users::row).limit(limit).load(conn)?;
    found.into_iter().map(|read| Ok((read.row, with_locations(conn, read)?))).collect()
}

fn with_locations<E>(conn: &mut SqliteConnection, read: Read) -> Result<User, Abort<E>> {
    let Read {
        row,
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
        tags,
        linked,
    } = read;
    let at = Row::new("users", id);
    let locations: Vec<StoredId> = user_locations::table
        .filter(user_locations::user_row.eq(row))
        .order(user_locations::position)
        .select(user_locations::location_id)
        .load(conn)?;
    let of_locations = Row::new("user_locations", id);
    let location_ids: Result<_, StoreError> =
        locations.into_iter().map(|id| of_locations.id("location_id", id)).collect();
    Ok(User {
        id: at.id("id", id)?,
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
        photo_id: photo_id.map(|id| at.id("photo_id", id)).transpose()?,
        location_ids: location_ids?,
        tags: at.texts("tags", tags)?,
        linked,
    })
}
