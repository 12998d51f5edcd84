//! The company that the tests are about: people of every role, three locations with their points,
//! and a task to carry out.

use serde_json::{Value, json};

use crate::data_set::DataSet;

/// An administrator.
pub const ADMIN: &str = "0190a000-0001-7000-8000-000000000001";
/// A manager.
pub const MANAGER: &str = "0190a000-0001-7000-8000-000000000002";
/// An employee.
pub const EMPLOYEE: &str = "0190a000-0001-7000-8000-000000000003";
/// Another employee.
pub const GUARD: &str = "0190a000-0001-7000-8000-000000000004";
/// An employee who has left.
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
/// A task that executions are runs of.
pub const ROUND: &str = "0190a000-0004-7000-8000-000000000001";
/// An id that no record has.
pub const NOBODY: &str = "0190a000-ffff-7000-8000-000000000000";

/// Everybody and everything but executions.
#[must_use]
pub fn company() -> DataSet {
    DataSet::new([
        user(ADMIN, "ADMIN", "A1"),
        user(MANAGER, "MANAGER", "M1"),
        user(EMPLOYEE, "EMPLOYEE", "E1"),
        user(GUARD, "EMPLOYEE", "E2"),
        crate::with(user(FORMER, "EMPLOYEE", "E3"), json!({ "status": "INACTIVE" })),
        location(PORT, "Порт, склад 3"),
        location(AIRPORT, "Airport"),
        location(YARD, "Yard"),
        point(GATE, PORT, "Gate"),
        point(PIER, PORT, "Pier"),
        point(TOWER, AIRPORT, "Tower"),
        json!({ "kind": "scheduledTask", "id": ROUND, "name": "Night round" }),
    ])
}

fn user(id: &str, role: &str, number: &str) -> Value {
    json!({
        "kind": "user", "id": id, "firstName": "Ada", "lastName": "Ash", "employeeNo": number,
        "employeePin": "271828", "email": format!("{number}@example.org"), "language": "en",
        "role": role, "status": "ACTIVE",
    })
}

fn location(id: &str, name: &str) -> Value {
    json!({ "kind": "location", "id": id, "name": name, "address": "1 Quay Rd" })
}

fn point(id: &str, location: &str, name: &str) -> Value {
    json!({
        "kind": "point", "id": id, "locationId": location, "name": name, "type": "VIRTUAL",
        "graphicPlans": [], "tags": [],
    })
}
