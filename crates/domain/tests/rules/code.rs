//! The stored codes of enumerations. Stored records contain them, so they must never change.

use patrol_domain::{
    Named,
    access::Role,
    point::{Operation, PointType},
    task_execution::{ActionType, Priority, State, Status},
    user::UserStatus,
};

fn codes<T: Named>() -> Vec<(&'static str, i16)> {
    T::ALL.iter().map(|value| (value.name(), value.code())).collect()
}

#[test]
fn stored_codes_never_change() {
    assert_eq!(codes::<State>(), [("PENDING", 0), ("IN_PROGRESS", 1), ("COMPLETED", 2)]);
    assert_eq!(codes::<Status>(), [("SUCCESS", 0), ("WARNING", 1), ("ERROR", 2)]);
    let priorities = [("MINOR", 0), ("NORMAL", 1), ("MAJOR", 2), ("CRITICAL", 3)];
    assert_eq!(codes::<Priority>(), priorities);
    let actions = [("BOOLEAN", 0), ("MEDIA", 1), ("NUMBER", 2), ("TEXT", 3)];
    assert_eq!(codes::<ActionType>(), actions);
    let points = [("VIRTUAL", 0), ("QR", 1), ("RFID", 2), ("NFC", 3), ("BLE", 4)];
    assert_eq!(codes::<PointType>(), points);
    assert_eq!(codes::<Operation>(), [("CREATE", 0), ("UPDATE", 1), ("DELETE", 2)]);
    assert_eq!(codes::<Role>(), [("EMPLOYEE", 0), ("MANAGER", 1), ("ADMIN", 2)]);
    assert_eq!(codes::<UserStatus>(), [("ACTIVE", 0), ("INACTIVE", 1)]);
}

fn assert_codes_are_unique<T: Named + std::fmt::Debug>() {
    for value in T::ALL {
        assert_eq!(T::from_code(value.code()), Some(*value));
        assert_eq!(T::from_name(value.name()), Some(*value));
    }
    assert_eq!(T::from_code(-1), None);
    assert_eq!(T::ALL.len(), T::NAMES.len());
    assert_eq!(T::ALL.len(), T::CODES.len());
}

#[test]
fn each_code_and_each_name_belongs_to_one_value() {
    assert_codes_are_unique::<State>();
    assert_codes_are_unique::<Status>();
    assert_codes_are_unique::<Priority>();
    assert_codes_are_unique::<ActionType>();
    assert_codes_are_unique::<PointType>();
    assert_codes_are_unique::<Operation>();
    assert_codes_are_unique::<Role>();
    assert_codes_are_unique::<UserStatus>();
}
