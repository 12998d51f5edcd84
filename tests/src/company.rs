//! The company of the tests: users of every role, three locations with points and plans, a
//! check-list, and a scheduled task.

use serde_json::{Value, json};

use crate::data_set::DataSet;

/// An administrator.
pub const ADMIN: &str = "0190a000-0001-7000-8000-000000000001";
/// A manager, ACTIVE.
pub const MANAGER: &str = "0190a000-0001-7000-8000-000000000002";
/// An employee.
pub const EMPLOYEE: &str = "0190a000-0001-7000-8000-000000000003";
/// Another employee.
pub const GUARD: &str = "0190a000-0001-7000-8000-000000000004";
/// An INACTIVE employee.
pub const FORMER: &str = "0190a000-0001-7000-8000-000000000005";
/// A location with the points [`GATE`] and [`PIER`].
pub const PORT: &str = "0190a000-0002-7000-8000-000000000001";
/// A location with the point [`TOWER`].
pub const AIRPORT: &str = "0190a000-0002-7000-8000-000000000002";
/// A location without points.
pub const YARD: &str = "0190a000-0002-7000-8000-000000000003";
/// A point of [`PORT`].
pub const GATE: &str = "0190a000-0003-7000-8000-000000000001";
/// Another point of [`PORT`].
pub const PIER: &str = "0190a000-0003-7000-8000-000000000002";
/// A point of [`AIRPORT`].
pub const TOWER: &str = "0190a000-0003-7000-8000-000000000003";
/// A scheduled task.
pub const ROUND: &str = "0190a000-0004-7000-8000-000000000001";
/// A graphic plan of [`PORT`].
pub const PLAN: &str = "0190a000-0009-7000-8000-000000000001";
/// A graphic plan of [`AIRPORT`].
pub const AIRPORT_PLAN: &str = "0190a000-0009-7000-8000-000000000002";
/// A check-list with the actions [`TEMPERATURE`] and [`LOCKED`].
pub const CHECK_LIST: &str = "0190a000-000a-7000-8000-000000000001";
/// An action of [`CHECK_LIST`]: a NUMBER with bounds.
pub const TEMPERATURE: &str = "0190a000-000b-7000-8000-000000000001";
/// An action of [`CHECK_LIST`]: a BOOLEAN.
pub const LOCKED: &str = "0190a000-000b-7000-8000-000000000002";
/// An id that no record has.
pub const NOBODY: &str = "0190a000-ffff-7000-8000-000000000000";

/// All users, and nothing else.
#[must_use]
pub fn people() -> DataSet {
    DataSet::new([
        user(ADMIN, "ADMIN", "A1"),
        user(MANAGER, "MANAGER", "M1"),
        user(EMPLOYEE, "EMPLOYEE", "E1"),
        user(GUARD, "EMPLOYEE", "E2"),
        crate::with(user(FORMER, "EMPLOYEE", "E3"), json!({ "status": "INACTIVE" })),
    ])
}

/// All records except executions.
#[must_use]
pub fn company() -> DataSet {
    people().and([
        location(PORT, "Порт, склад 3"),
        location(AIRPORT, "Airport"),
        location(YARD, "Yard"),
        plan(PLAN, PORT),
        plan(AIRPORT_PLAN, AIRPORT),
        point(GATE, PORT, "Gate"),
        point(PIER, PORT, "Pier"),
        point(TOWER, AIRPORT, "Tower"),
        json!({ "kind": "scheduledTask", "id": ROUND, "name": "Night round" }),
        check_list(),
    ])
}

/// A user in the form of the data set, with its own employee number and email.
#[must_use]
pub fn user(id: &str, role: &str, number: &str) -> Value {
    json!({
        "kind": "user", "id": id, "firstName": "Ada", "lastName": "Ash", "employeeNo": number,
        "employeePin": "Pin271828", "email": format!("{number}@example.org"), "language": "en",
        "role": role, "status": "ACTIVE",
    })
}

/// A location in the form of the data set.
#[must_use]
pub fn location(id: &str, name: &str) -> Value {
    json!({ "kind": "location", "id": id, "name": name, "address": "1 Quay Rd" })
}

/// A graphic plan of a location in the form of the data set.
#[must_use]
pub fn plan(id: &str, location: &str) -> Value {
    json!({ "kind": "graphicPlan", "id": id, "locationId": location, "name": "Ground floor" })
}

fn check_list() -> Value {
    json!({
        "kind": "checkList", "id": CHECK_LIST, "name": "Cold store",
        "actions": [
            {
                "id": TEMPERATURE, "name": "Temperature", "type": "NUMBER", "order": 0,
                "required": true, "minValue": -25, "maxValue": -15.5,
            },
            { "id": LOCKED, "name": "Locked", "type": "BOOLEAN", "order": 1, "required": false },
        ],
    })
}

/// A point of a location in the form of the data set.
#[must_use]
pub fn point(id: &str, location: &str, name: &str) -> Value {
    json!({
        "kind": "point", "id": id, "locationId": location, "name": name, "type": "VIRTUAL",
        "graphicPlans": [], "tags": [],
    })
}
