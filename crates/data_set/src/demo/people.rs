//! The users of the demo company.

use patrol_domain::{
    access::Role,
    data_set::Record,
    ids::UserId,
    user::{User, UserStatus},
};

use super::{
    company::location_id,
    ids::{Kind, id},
};

/// First name, last name and language of each user: one administrator, four managers, 20 employees.
const PEOPLE: [(&str, &str, &str); 25] = [
    ("Alma", "Grove", "en"),
    ("Boris", "Северов", "ru"),
    ("Clara", "Winterfeld", "de"),
    ("Dace", "Kalniņa", "lv"),
    ("Edgar", "Moss", "en"),
    ("Фёдор", "Лесной", "ru"),
    ("Greta", "Sommer", "de"),
    ("Harijs", "Upītis", "lv"),
    ("Iris", "Field", "en"),
    ("Яна", "Полева", "ru"),
    ("Jonas", "Brückner", "de"),
    ("Kristīne", "Ozola", "lv"),
    ("Liam", "Harbour", "en"),
    ("Мария", "Речная", "ru"),
    ("Nils", "Eichberg", "de"),
    ("Oskars", "Bērziņš", "lv"),
    ("Pearl", "Stone", "en"),
    ("Роман", "Горин", "ru"),
    ("Sabine", "Feldmann", "de"),
    ("Toms", "Liepa", "lv"),
    ("Una", "Bridge", "en"),
    ("Виктор", "Озёрный", "ru"),
    ("Wanda", "Steinbach", "de"),
    ("Zane", "Egle", "lv"),
    ("Quentin", "Hale", "en"),
];

/// The number of the first employee.
const FIRST_EMPLOYEE: u64 = 6;
const ACTIVE_EMPLOYEES: u64 = 19;

const fn user_id(number: u64) -> UserId {
    UserId(id(Kind::User, number))
}

/// An active employee; consecutive numbers go through all of them.
pub(super) const fn employee(number: u64) -> UserId {
    user_id(FIRST_EMPLOYEE + number % ACTIVE_EMPLOYEES)
}

/// All users.
pub(super) fn users() -> Vec<Record> {
    (1..).zip(PEOPLE).map(|(number, person)| user(number, person)).collect()
}

fn user(number: u64, (first_name, last_name, language): (&str, &str, &str)) -> Record {
    let (role, letter) = match number {
        1 => (Role::Admin, 'A'),
        2..FIRST_EMPLOYEE => (Role::Manager, 'M'),
        _ => (Role::Employee, 'E'),
    };
    // The last employee has left the company.
    let active = number < FIRST_EMPLOYEE + ACTIVE_EMPLOYEES;
    let locations = match role {
        Role::Admin => Vec::new(),
        Role::Manager | Role::Employee => {
            vec![location_id(number % 12), location_id((number + 5) % 12)]
        }
    };
    let user = User {
        employee_no: Some(format!("{letter}-{number:03}")),
        employee_pin: Some(format!("{:04}", number * 389 % 10_000)),
        email: Some(match role {
            Role::Admin => "admin@patrol.example".to_owned(),
            Role::Manager => format!("manager{number}@patrol.example"),
            Role::Employee => format!("guard{number}@patrol.example"),
        }),
        phone: (!number.is_multiple_of(4)).then(|| format!("+371 2000 {number:04}")),
        status: if active { UserStatus::Active } else { UserStatus::Inactive },
        location_ids: locations,
        tags: if number.is_multiple_of(3) { vec!["first-aid".to_owned()] } else { Vec::new() },
        ..User::new(user_id(number), first_name, last_name, language, role)
    };
    Record::User(Box::new(user.into()))
}
