//! The row of a user. Its locations are separate rows on SQLite and an array on PostgreSQL.

/// The ids of the locations of a user, in order. SQLite joins them into one blob, as in other tables.
macro_rules! location_ids {
    (sqlite) => {
        "coalesce((SELECT unhex(group_concat(hex(location_id), '' ORDER BY position)) \
        FROM user_locations WHERE user_row = users.row), x'')"
    };
    (postgres) => {
        "users.location_ids"
    };
}

mod list;

use diesel::{dsl, pg::Pg, prelude::*, sqlite::Sqlite};
use patrol_domain::{
    Named, StoreError, Version, Versioned,
    access::Role,
    ids::{LocationId, UserId},
    shared::text::fold,
    user::{MAX_BATCH_USERS, User, UserStatus, full_name},
};

use crate::stored::{
    computed_text,
    row::Row,
    schema::users,
    sql::{Id, Ids, Texts, columns, id, types},
    statement::{Computed, computed},
    texts::folded_tags,
};

/// The columns of a user that a change may write.
#[derive(Insertable, AsChangeset)]
#[diesel(table_name = users, treat_none_as_default_value = false, treat_none_as_null = true)]
pub struct UserColumns<'a> {
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
    tags: Texts,
    #[diesel(embed)]
    folded: Folded,
}

/// The texts that lists compare, in folded form.
#[derive(Insertable, AsChangeset, Queryable, Selectable, Clone, PartialEq, Eq)]
#[diesel(table_name = users, check_for_backend(Sqlite, Pg))]
#[diesel(treat_none_as_default_value = false, treat_none_as_null = true)]
pub struct Folded {
    first_name_folded: Option<String>,
    middle_name_folded: Option<String>,
    last_name_folded: Option<String>,
    name_folded: Option<String>,
    phone_folded: Option<String>,
    language_folded: Option<String>,
    tags_folded: Option<String>,
}

impl Folded {
    /// The texts of `user`.
    #[must_use]
    pub fn of(user: &User) -> Self {
        Self {
            first_name_folded: Some(fold(&user.first_name)),
            middle_name_folded: user.middle_name.as_deref().map(fold),
            last_name_folded: Some(fold(&user.last_name)),
            name_folded: Some(fold(&user.full_name())),
            phone_folded: user.phone.as_deref().map(fold),
            language_folded: Some(fold(&user.language)),
            tags_folded: Some(folded_tags(&user.tags)),
        }
    }
}

/// The right folded texts of a row, if those of the row are missing or outdated. An older version of the
/// program does not write them, and another version of Unicode folds other letters. `None` for a row that
/// cannot be read.
#[must_use]
pub fn outdated((read, stored): (UserRow, Folded)) -> Option<Folded> {
    let folded = Folded::of(&read.user(Vec::new()).ok()?);
    (folded != stored).then_some(folded)
}

impl<'a> UserColumns<'a> {
    /// The columns of `user`.
    #[must_use]
    pub fn of(user: &'a User) -> Self {
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
            photo_id: _,
            location_ids: _,
            tags,
            linked: _,
        } = user;
        Self {
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
            role: role.code(),
            status: status.code(),
            tags: Texts(Ok(tags.clone())),
            folded: Folded::of(user),
        }
    }
}

/// The columns of a user, as read, without its locations.
#[derive(Queryable, Selectable)]
#[diesel(table_name = users, check_for_backend(Sqlite, Pg))]
pub struct UserRow {
    id: Id,
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
    photo_id: Option<Id>,
    tags: Texts,
    linked: bool,
}

impl UserRow {
    /// The id of the user, if it can be read.
    #[must_use]
    pub fn id(&self) -> Option<UserId> {
        self.id.get()
    }

    /// Identifies the row of `table` that belongs to the user.
    #[must_use]
    pub const fn row(&self, table: &'static str) -> Row {
        Row::new(table, self.id)
    }

    /// The user with these locations.
    ///
    /// # Errors
    /// `Corrupt` when a column cannot be read.
    pub fn user(self, location_ids: Vec<LocationId>) -> Result<User, StoreError> {
        let at = self.row("users");
        Ok(User {
            id: at.id("id", self.id)?,
            first_name: self.first_name,
            middle_name: self.middle_name,
            last_name: self.last_name,
            employee_no: self.employee_no,
            employee_pin: self.employee_pin,
            email: self.email,
            phone: self.phone,
            language: self.language,
            role: at.named("role", self.role)?,
            status: at.named("status", self.status)?,
            photo_id: self.photo_id.map(|id| at.id("photo_id", id)).transpose()?,
            location_ids,
            tags: at.texts("tags", self.tags)?,
            linked: self.linked,
        })
    }
}

computed_text!(
    LocationIds: types::Ids,
    sqlite: location_ids!(sqlite),
    postgres: location_ids!(postgres)
);

/// All columns of a user.
pub type Columns =
    (<UserRow as Selectable<Pg>>::SelectExpression, Computed<LocationIds>, users::version);

/// The columns of a user with its locations and its version; read them with [`versioned`].
#[must_use]
pub fn all_columns() -> Columns {
    (columns::<UserRow>(), computed(), users::version)
}

/// A row of [`all_columns`].
pub type Stored = (UserRow, Ids, i64);

/// Decodes a row of [`all_columns`].
///
/// # Errors
/// `Corrupt` when a column cannot be read.
pub fn versioned((read, locations, version): Stored) -> Result<Versioned<User>, StoreError> {
    let locations = read.row("users").ids("location_ids", locations)?;
    Ok(Versioned { record: read.user(locations)?, version: Version(version) })
}

/// The active administrators, at most one more than a change can name; read them with [`ids`].
#[dsl::auto_type(no_type_alias)]
pub fn active_admins() -> _ {
    let admin: i16 = Role::Admin.code();
    let active: i16 = UserStatus::Active.code();
    let enough: i64 = i64::try_from(MAX_BATCH_USERS).unwrap_or(i64::MAX).saturating_add(1);
    users::table
        .filter(users::role.eq(admin))
        .filter(users::status.eq(active))
        .select(users::id)
        .limit(enough)
}

/// Decodes ids of users.
///
/// # Errors
/// `Corrupt` when one cannot be read.
pub fn ids<C: FromIterator<UserId>>(found: Vec<Id>) -> Result<C, StoreError> {
    found.into_iter().map(|found| Row::new("users", found).id("id", found)).collect()
}

/// Whether a user has this employee number or email address, in folded form.
#[dsl::auto_type(no_type_alias)]
pub fn is_named<'a>(folded: &'a str) -> _ {
    users::employee_no_folded.eq(folded).or(users::email_folded.eq(folded))
}

/// The names of a user.
#[derive(Queryable, Selectable)]
#[diesel(table_name = users, check_for_backend(Sqlite, Pg))]
pub struct NameRow {
    id: Id,
    first_name: String,
    middle_name: Option<String>,
    last_name: String,
}

impl NameRow {
    /// The user and its full name.
    #[must_use]
    pub fn full_name(self) -> (Id, String) {
        let Self { id, first_name, middle_name, last_name } = self;
        (id, full_name(&first_name, middle_name.as_deref(), &last_name))
    }
}
