//! The list of users.

use std::sync::LazyLock;

use diesel::{dsl::SqlTypeOf, pg::Pg, prelude::*};
use patrol_domain::{
    Resource, StoreError,
    access::Role,
    user::{User, UserFilter, UserList, UserSort, UserStatus},
};

use super::UserRow;
use crate::stored::{
    list::{Column, ListTable, SortKey, Text, Trigrams, by_name, by_order},
    sql::{Ids, types},
};

static ROLE: LazyLock<String> = LazyLock::new(|| by_name::<Role>("role"));
static STATUS: LazyLock<String> = LazyLock::new(|| by_order::<UserStatus>("status"));

/// The columns of [`UserRow`].
macro_rules! columns {
    () => {
        "id, first_name, middle_name, last_name, employee_no, employee_pin, email, phone, \
        language, role, status, photo_id, tags, linked"
    };
}

impl ListTable for UserList {
    const KEY: &'static str = "users.row";
    const SEARCH: &'static [&'static str] = &[
        "first_name_folded",
        "middle_name_folded",
        "last_name_folded",
        "employee_no_folded",
        "email_folded",
        "phone_folded",
        "tags_folded",
    ];
    const TRIGRAMS: Option<Trigrams> = Some(Trigrams::of("user_texts"));
    const FROM: &'static str = "users";
    const COLUMNS: Text = Text {
        sqlite: concat!(columns!(), ", ", location_ids!(sqlite)),
        postgres: concat!(columns!(), ", ", location_ids!(postgres)),
    };
    const KIND: Resource = Resource::User;

    type SqlType = (SqlTypeOf<<UserRow as Selectable<Pg>>::SelectExpression>, types::Ids);
    type Row = (UserRow, Ids);

    fn column(filter: UserFilter) -> Column {
        match filter {
            UserFilter::Id => Column::Plain("id"),
            UserFilter::Name => Column::Plain("name_folded"),
            UserFilter::EmployeeNo => Column::Plain("employee_no_folded"),
            UserFilter::Email => Column::Plain("email_folded"),
            UserFilter::Role => Column::LowCardinality { column: "role", then: &["id"] },
            UserFilter::Status => Column::LowCardinality { column: "status", then: &["id"] },
            UserFilter::Location => Column::Set {
                table: "(SELECT location_id AS value, user_row AS row FROM user_locations)",
                array: "location_ids",
                or: None,
            },
            UserFilter::Tags => Column::Set { table: "user_tags", array: "tags", or: None },
        }
    }

    fn item((read, locations): (UserRow, Ids)) -> Result<User, StoreError> {
        let locations = read.row("user_locations").ids("location_id", locations)?;
        read.user(locations)
    }

    fn sort(sort: UserSort) -> SortKey {
        match sort {
            UserSort::Id => SortKey::of("id"),
            UserSort::FirstName => SortKey::of("first_name_folded"),
            UserSort::MiddleName => SortKey::nullable("middle_name_folded"),
            UserSort::LastName => SortKey::of("last_name_folded"),
            UserSort::EmployeeNo => SortKey::nullable("employee_no_folded"),
            UserSort::Email => SortKey::nullable("email_folded"),
            UserSort::Phone => SortKey::nullable("phone_folded"),
            UserSort::Language => SortKey::of("language_folded"),
            UserSort::Role => SortKey::of(&ROLE),
            UserSort::Status => SortKey::of(&STATUS),
            UserSort::PhotoId => SortKey::nullable("photo_id"),
            UserSort::Linked => SortKey::of("linked"),
        }
    }
}
