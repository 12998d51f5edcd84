//! A user as it is stored: a row, and one for each of its locations.

use diesel::{
    dsl::{AsSelect, Select},
    prelude::*,
    sqlite::Sqlite,
};
use patrol_domain::{Named, StoreError, ids::UserId, shared::text::fold, user::User};
use patrol_stored as stored;

use crate::{
    engine::Abort,
    schema::{passwords, user_locations, users},
    update,
    value::{Row, StoredId, StoredTexts, id, last_insert_rowid, unwritable},
};

/// What a change of a user may change.
#[derive(Insertable, AsChangeset)]
#[diesel(table_name = users, treat_none_as_default_value = false, treat_none_as_null = true)]
struct Written<'a> {
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
    tags: String,
}

fn written(user: &User) -> Result<Written<'_>, StoreError> {
    let User {
        id: _,
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
        location_ids: _,
        tags,
        linked: _,
    } = user;
    Ok(Written {
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
        tags: stored::texts::write(tags).map_err(unwritable)?,
    })
}

/// Stores a new user, but for what refers to its row, which is returned.
pub(crate) fn insert_row<E>(conn: &mut SqliteConnection, user: &User) -> Result<i64, Abort<E>> {
    let fixed = (
        users::id.eq(id(user.id)),
        users::photo_id.eq(user.photo_id.map(id)),
        users::linked.eq(user.linked),
    );
    diesel::insert_into(users::table).values((fixed, written(user)?)).execute(conn)?;
    Ok(diesel::select(last_insert_rowid()).get_result(conn)?)
}

/// Takes the employee number and the email away from a user, so that another one can get them.
pub(super) fn free_unique(conn: &mut SqliteConnection, row: i64) -> QueryResult<()> {
    let none =
        (users::employee_no_folded.eq(None::<String>), users::email_folded.eq(None::<String>));
    update::set(users::table, users::row.eq(row), none).execute(conn)?;
    Ok(())
}

/// Stores `new` where `old` is, but for its photo and its password.
pub(super) fn replace<E>(
    conn: &mut SqliteConnection,
    row: i64,
    old: &User,
    new: &User,
) -> Result<(), Abort<E>> {
    update::set(users::table, users::row.eq(row), written(new)?).execute(conn)?;
    if old.location_ids != new.location_ids {
        diesel::delete(user_locations::table.filter(user_locations::user_row.eq(row)))
            .execute(conn)?;
        insert_locations(conn, row, new)?;
    }
    Ok(())
}

/// Stores the locations of a user that has none.
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

/// The user, or none, with its row.
pub(crate) fn get<E>(
    conn: &mut SqliteConnection,
    user: UserId,
) -> Result<Option<(i64, User)>, Abort<E>> {
    let found = query().filter(users::id.eq(id(user))).first(conn).optional()?;
    found.map(|read| with_locations(conn, read)).transpose()
}

/// The users with this employee number or email address, given in folded form, by id.
pub(super) fn named<E>(conn: &mut SqliteConnection, folded: &str) -> Result<Vec<User>, Abort<E>> {
    let named = users::employee_no_folded.eq(folded).or(users::email_folded.eq(folded));
    let found: Vec<Read> = query().filter(named).order(users::id).load(conn)?;
    let users = found.into_iter().map(|read| with_locations(conn, read).map(|(_, user)| user));
    users.collect()
}

/// At most `limit` users of a row after `after`, by row, each with its row.
pub(crate) fn page<E>(
    conn: &mut SqliteConnection,
    after: i64,
    limit: i64,
) -> Result<Vec<(i64, User)>, Abort<E>> {
    let found: Vec<Read> =
        query().filter(users::row.gt(after)).order(users::row).limit(limit).load(conn)?;
    found.into_iter().map(|read| with_locations(conn, read)).collect()
}

fn with_locations<E>(conn: &mut SqliteConnection, read: Read) -> Result<(i64, User), Abort<E>> {
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
    let user = User {
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
    };
    Ok((row, user))
}
