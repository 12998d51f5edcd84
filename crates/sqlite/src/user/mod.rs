//! Users: a row, and one row for each of their locations.

mod removal;
pub(crate) mod texts;

use async_trait::async_trait;
use diesel::{
    prelude::*,
    result::{DatabaseErrorKind, Error},
};
use patrol_domain::{
    EditError, Known, StoreError, Timestamp, UniqueValue, Version, Versioned, all_known,
    data_set::NewUser,
    event::Origin,
    ids::UserId,
    shared::text::fold,
    sign_in::Account,
    user::{BatchEdit, Removal, User, Users},
};
use patrol_stored::{
    schema::{passwords, user_locations, users},
    sign_in,
    sql::{StoredId, id},
    user::{Fixed, Read, Written, is_named},
};

use crate::{
    Store,
    change::{self, Change, Creatable, Editable, Entity, Findable, Found},
    data_set::{Failure, Import, Kind, page},
    engine::{Abort, snapshot},
    reference,
    revision::Aggregate,
    statement::{self, last_insert_rowid},
};

#[async_trait]
impl Users for Store {
    async fn find(&self, employee_no_or_email: &str) -> Result<Vec<User>, StoreError> {
        let wanted = fold(employee_no_or_email);
        let find = move |conn: &mut SqliteConnection| named(conn, &wanted);
        self.read(move |conn| snapshot(conn, find)).await
    }

    async fn update_batch(
        &self,
        edit: BatchEdit,
        by: Origin,
    ) -> Result<Known<Vec<User>>, EditError> {
        self.write(move |conn| {
            let found = edit.ids.iter().map(|id| User::find(conn, *id));
            let places = match all_known(found.collect::<Result<Vec<_>, _>>()?) {
                Ok(places) => places,
                Err(unknown) => return Ok(Err(unknown)),
            };
            let users: Vec<_> = places.iter().map(|place| place.versioned.record.clone()).collect();
            let existing = reference::existing(conn, &edit.references)?;
            let changed = (edit.change)(&users, &existing)?;
            let changing =
                || places.iter().zip(&changed).filter_map(|(old, new)| Some((old, new.as_ref()?)));
            // First clears the values that users give up, so that others in the batch can get them.
            for (old, _) in changing() {
                let none = (
                    users::employee_no_folded.eq(None::<String>),
                    users::email_folded.eq(None::<String>),
                );
                statement::update(users::table, users::row.eq(old.row), none).execute(conn)?;
            }
            for (old, new) in changing() {
                User::replace(conn, old, new)?;
            }
            let changes: Vec<_> =
                changing().map(|(old, new)| Change::Update(&old.versioned.record, new)).collect();
            change::record_changes(conn, &changes, &by)?;
            Ok(Ok(users.into_iter().zip(changed).map(|(old, new)| new.unwrap_or(old)).collect()))
        })
        .await
    }

    async fn remove(&self, removal: Removal, by: Origin) -> Result<(), EditError> {
        self.write(move |conn| removal::remove(conn, &removal, &by)).await
    }
}

impl Entity for User {
    const AGGREGATE: Aggregate = Aggregate::User;
}

/// An account is a user with its password.
impl Entity for Account {
    const AGGREGATE: Aggregate = Aggregate::User;
}

impl Findable for User {
    fn find<E>(conn: &mut SqliteConnection, user: UserId) -> Result<Option<Found<Self>>, Abort<E>> {
        let found: Option<(i64, i64, Read)> = users::table
            .filter(users::id.eq(id(user)))
            .select((users::row, users::version, Read::as_select()))
            .first(conn)
            .optional()?;
        let Some((row, version, read)) = found else { return Ok(None) };
        let record = with_locations(conn, row, read)?;
        Ok(Some(Found { row, versioned: Versioned { record, version: Version(version) } }))
    }

    fn get<E>(conn: &mut SqliteConnection, user: UserId) -> Result<Option<Found<Self>>, Abort<E>> {
        snapshot(conn, |conn| Self::find(conn, user))
    }
}

impl Creatable for User {
    fn insert<E>(conn: &mut SqliteConnection, new: &Self, at: Timestamp) -> Result<(), Abort<E>> {
        let row = insert_row(conn, new, at)?;
        insert_locations(conn, row, new)
    }
}

impl Editable for User {
    /// Writes all columns except the photo and the password. Ends the sessions of the user if
    /// [`User::ends_sessions`] says so.
    fn replace<E>(
        conn: &mut SqliteConnection,
        old: &Found<Self>,
        new: &Self,
    ) -> Result<(), Abort<E>> {
        let row = old.row;
        let version = users::version.eq(old.versioned.version.next().0);
        let columns = (Written::of(new), version);
        statement::update(users::table, users::row.eq(row), columns).execute(conn)?;
        if old.versioned.record.location_ids != new.location_ids {
            diesel::delete(user_locations::table.filter(user_locations::user_row.eq(row)))
                .execute(conn)?;
            insert_locations(conn, row, new)?;
        }
        if old.versioned.record.ends_sessions(new) {
            sign_in::end_sessions(new.id, None).execute(conn)?;
        }
        Ok(())
    }
}

impl Kind for NewUser {
    fn store(&self, conn: &mut SqliteConnection, import: &mut Import<'_>) -> Result<(), Failure> {
        let Self { user, password_hash } = self;
        check_names(conn, user)?;
        let row = insert_row(conn, user, import.at)?;
        insert_locations(conn, row, user).map_err(Failure::beside(row))?;
        if let Some(hash) = password_hash {
            let values = (passwords::user_row.eq(row), passwords::hash.eq(hash));
            diesel::insert_into(passwords::table)
                .values(values)
                .execute(conn)
                .map_err(|error| Failure::beside(row)(error.into()))?;
        }
        Ok(())
    }

    fn page(
        conn: &mut SqliteConnection,
        after: i64,
    ) -> Result<Vec<(i64, Self)>, Abort<StoreError>> {
        page!(conn, after, users, Read, |row, read| with_locations(conn, row, read)
            .map(NewUser::from))
    }
}

/// Refuses a new user whose employee number is the email address of another user, or the other way
/// round, which no unique index can do.
fn check_names<E>(conn: &mut SqliteConnection, user: &User) -> Result<(), Abort<E>> {
    for name in [&user.employee_no, &user.email].into_iter().flatten() {
        if !reference::owners_of(conn, UniqueValue::UserName, &fold(name))?.is_empty() {
            let kind = DatabaseErrorKind::UniqueViolation;
            return Err(Error::DatabaseError(kind, Box::new(String::new())).into());
        }
    }
    Ok(())
}

/// Stores a new user without its locations. Returns the key of the row. The id may have been used
/// before; its versions were lower than the current time in milliseconds.
fn insert_row<E>(conn: &mut SqliteConnection, user: &User, at: Timestamp) -> Result<i64, Abort<E>> {
    let columns = (Fixed::of(user), Written::of(user), users::version.eq(at.millis()));
    diesel::insert_into(users::table).values(columns).execute(conn)?;
    Ok(diesel::select(last_insert_rowid()).get_result(conn)?)
}

/// Stores the locations of a user without any.
fn insert_locations<E>(conn: &mut SqliteConnection, row: i64, user: &User) -> Result<(), Abort<E>> {
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

/// The users with this employee number or email address in folded form, by id.
fn named(conn: &mut SqliteConnection, folded: &str) -> Result<Vec<User>, Abort<StoreError>> {
    let found: Vec<(i64, Read)> = users::table
        .filter(is_named(folded))
        .order(users::id)
        .select((users::row, Read::as_select()))
        .load(conn)?;
    found.into_iter().map(|(row, read)| with_locations(conn, row, read)).collect()
}

/// The user in a row.
fn with_locations<E>(conn: &mut SqliteConnection, row: i64, read: Read) -> Result<User, Abort<E>> {
    let locations: Vec<StoredId> = user_locations::table
        .filter(user_locations::user_row.eq(row))
        .order(user_locations::position)
        .select(user_locations::location_id)
        .load(conn)?;
    let at = read.row("user_locations");
    let locations: Result<_, StoreError> =
        locations.into_iter().map(|id| at.id("location_id", id)).collect();
    Ok(read.user(locations?)?)
}
