//! Users but for their photos (interface 4.2, decisions 6).

mod at_once;
mod batch;
mod batch_rules;
pub(crate) mod names;
mod patch;
mod patch_rules;
mod roles;

use patrol_tests::company::{GUARD, PORT, YARD};
use serde_json::{Value, json};

/// The path of a user.
fn path(id: &str) -> String {
    format!("/users/{id}")
}

/// The path of the batch.
const BATCH: &str = "/users/batch";

/// What the full record of [`GUARD`] says, and all of it.
fn guard() -> Value {
    json!({
        "id": GUARD, "firstName": "Ada", "middleName": null, "lastName": "Ash",
        "employeeNo": "E2", "employeePin": "Pin271828", "email": "E2@example.org", "phone": null,
        "language": "en", "role": "EMPLOYEE", "status": "ACTIVE", "photoId": null,
        "locationIds": [], "tags": [], "userLinked": false,
    })
}

/// A change of everything that PATCH takes.
fn everything() -> Value {
    json!({
        "firstName": "Анна", "middleName": "М.", "lastName": "Берг 😀", "employeeNo": "Ж-17",
        "employeePin": "0042", "email": "Anna.Berg@example.org", "phone": "+7 900 000-00-00",
        "language": "pt-BR", "role": "MANAGER", "status": "INACTIVE",
        "locationIds": [YARD, PORT], "tags": ["night", "пожар"],
    })
}
