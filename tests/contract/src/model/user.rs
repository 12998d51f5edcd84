//! The list of users.

use patrol_domain::{
    Named,
    access::Role,
    list::Test,
    task_execution::Moment,
    user::{User, UserFilter, UserList, UserSort, UserStatus},
};
use proptest::strategy::{BoxedStrategy, Strategy};

use super::{Key, Modelled, Value};
use crate::{
    arbitrary::{code_tests, id_tests, tag_tests, text_tests},
    sample::{location_id, user_id},
};

impl Modelled for UserList {
    type Record = User;

    const FILTERS: &'static [UserFilter] = &[
        UserFilter::Id,
        UserFilter::Name,
        UserFilter::EmployeeNo,
        UserFilter::Email,
        UserFilter::Role,
        UserFilter::Status,
        UserFilter::Location,
        UserFilter::Tags,
    ];
    fn item(user: &User) -> User {
        user.clone()
    }

    fn value(user: &User, filter: UserFilter) -> Value {
        match filter {
            UserFilter::Id => Value::Ids(vec![user.id.0]),
            UserFilter::Name => {
                let middle = user.middle_name.iter().filter(|name| !name.is_empty());
                let middle: String = middle.map(|name| format!("{name} ")).collect();
                Value::Text(format!("{} {middle}{}", user.first_name, user.last_name))
            }
            UserFilter::EmployeeNo => Value::OptionalText(user.employee_no.clone()),
            UserFilter::Email => Value::OptionalText(user.email.clone()),
            UserFilter::Role => Value::Code(Some(user.role.code())),
            UserFilter::Status => Value::Code(Some(user.status.code())),
            UserFilter::Location => {
                Value::Ids(user.location_ids.iter().map(|location| location.0).collect())
            }
            UserFilter::Tags => Value::Tags(user.tags.clone()),
        }
    }

    fn test(filter: UserFilter) -> BoxedStrategy<Test> {
        match filter {
            UserFilter::Name | UserFilter::EmployeeNo | UserFilter::Email => text_tests().boxed(),
            UserFilter::Id => id_tests(user_id).boxed(),
            UserFilter::Location => id_tests(location_id).boxed(),
            UserFilter::Role => code_tests::<Role>().boxed(),
            UserFilter::Status => code_tests::<UserStatus>().boxed(),
            UserFilter::Tags => tag_tests().boxed(),
        }
    }

    fn searched(user: &User) -> Vec<&str> {
        let optional = [&user.middle_name, &user.employee_no, &user.email, &user.phone];
        let optional = optional.into_iter().filter_map(Option::as_deref);
        let names = [user.first_name.as_str(), user.last_name.as_str()];
        names.into_iter().chain(optional).chain(user.tags.iter().map(String::as_str)).collect()
    }

    fn key(user: &User, sort: UserSort, _: Moment) -> Option<Key> {
        let optional = |text: &Option<String>| text.as_deref().map(Key::text);
        match sort {
            UserSort::Id => Some(Key::Id(user.id.0)),
            UserSort::FirstName => Some(Key::text(&user.first_name)),
            UserSort::MiddleName => optional(&user.middle_name),
            UserSort::LastName => Some(Key::text(&user.last_name)),
            UserSort::EmployeeNo => optional(&user.employee_no),
            UserSort::Email => optional(&user.email),
            UserSort::Phone => optional(&user.phone),
            UserSort::Language => Some(Key::text(&user.language)),
            UserSort::Role => Some(Key::text(user.role.name())),
            UserSort::Status => Some(Key::text(user.status.name())),
            UserSort::PhotoId => user.photo_id.map(|photo| Key::Id(photo.0)),
            UserSort::Linked => Some(Key::Number(user.linked.into())),
        }
    }

    fn ties(user: &User) -> Vec<Key> {
        vec![Key::Id(user.id.0)]
    }
}
