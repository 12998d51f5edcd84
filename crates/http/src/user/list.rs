//! Declaration of the list of users: parameters, sorting, items.

use patrol_domain::{
    access::Role,
    user::{User, UserFilter, UserList, UserStatus},
};
use patrol_record::UserRecord;

use crate::list::{Filter, Kind, ListDeclaration, RowContext, Search};

impl ListDeclaration for UserList {
    type Options = ();
    type Row<'a> = UserRecord<'a>;

    const NAME: &'static str = "UserList";
    const HAS_CSV: bool = true;

    const FILTERS: &'static [Filter<UserFilter>] = &[
        Filter::new("id", UserFilter::Id, Kind::Id).about(
            "Ids.",
            "in:0190de30-0004-7000-8000-000000000006,0190de30-0004-7000-8000-000000000007",
        ),
        Filter::new("name", UserFilter::Name, Kind::Text)
            .about("First, middle and last name, joined by one blank.", "greta sommer"),
        Filter::new("employeeNo", UserFilter::EmployeeNo, Kind::Text)
            .about("Employee number.", "eq:E-006"),
        Filter::new("email", UserFilter::Email, Kind::Text)
            .about("Email address.", "like:@patrol.example"),
        Filter::new("role", UserFilter::Role, Kind::of::<Role>()).example("in:ADMIN,MANAGER"),
        Filter::new("status", UserFilter::Status, Kind::of::<UserStatus>()).example("ACTIVE"),
        Filter::new("locationId", UserFilter::Location, Kind::Id)
            .about("Locations linked to the user.", "0190de30-0001-7000-8000-000000000001"),
        Filter::new("tags", UserFilter::Tags, Kind::Tag)
            .about("Tags, compared exactly.", "in:night,first-aid"),
    ];

    const SORT_EXAMPLE: &'static str = "lastName,asc";

    const SEARCH: Option<Search> = Some(Search {
        fields: "firstName, middleName, lastName, employeeNo, email, phone or a tag",
        example: "sommer",
    });

    /// The use case has already removed the PINs that the caller may not see, so the record shows the
    /// remaining ones.
    fn row(item: &User, _: RowContext) -> UserRecord<'_> {
        UserRecord::new(item, true)
    }
}
