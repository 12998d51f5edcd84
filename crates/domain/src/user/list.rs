//! The list of users: its filters and its sort properties.

use super::User;
use crate::list::{Listed, Query, sort_properties};

/// The list of users.
#[derive(Debug, Clone, Copy)]
pub struct UserList;

/// A query of the list of users.
pub type UserQuery = Query<UserList>;

impl Listed for UserList {
    type Filter = UserFilter;
    type Sort = UserSort;
    type Item = User;

    fn bytes(item: &User) -> usize {
        size_of_val(item) + item.heap_bytes()
    }
}

/// Properties by which users can be filtered, with the tests that each accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserFilter {
    /// The id: [`crate::list::Test::Ids`].
    Id,
    /// [`User::full_name`]: [`crate::list::Test::Contains`], [`crate::list::Test::Text`].
    Name,
    /// The employee number: [`crate::list::Test::Contains`], [`crate::list::Test::Text`].
    EmployeeNo,
    /// The email address: [`crate::list::Test::Contains`], [`crate::list::Test::Text`].
    Email,
    /// The role: [`crate::list::Test::Codes`].
    Role,
    /// The status: [`crate::list::Test::Codes`].
    Status,
    /// The locations linked to the user, as a set: [`crate::list::Test::Ids`].
    Location,
    /// The tags, as a set: [`crate::list::Test::Tags`].
    Tags,
}

sort_properties! {
    /// Properties by which users can be sorted: every scalar field except the PIN. Roles compare by
    /// name.
    UserSort {
        Id = "id";
        FirstName = "firstName";
        MiddleName = "middleName";
        LastName = "lastName";
        EmployeeNo = "employeeNo";
        Email = "email";
        Phone = "phone";
        Language = "language";
        Role = "role";
        Status = "status";
        PhotoId = "photoId";
        Linked = "userLinked";
    }
}
