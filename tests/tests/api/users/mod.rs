//! Users, except their photos.

mod at_once;
mod batch;
mod batch_rules;
mod command;
mod create;
mod delete;
mod list;
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

/// An image.
const PICTURE: &[u8] = include_bytes!("../../../../crates/data_set/src/demo/photo.png");

/// The path of the batch.
const BATCH: &str = "/users/batch";

/// The complete record of [`GUARD`].
fn guard() -> Value {
    json!({
        "id": GUARD, "firstName": "Ada", "middleName": null, "lastName": "Ash",
        "employeeNo": "E2", "employeePin": "Pin271828", "email": "E2@example.org", "phone": null,
        "language": "en", "role": "EMPLOYEE", "status": "ACTIVE", "photoId": null,
        "locationIds": [], "tags": [], "userLinked": false,
    })
}

/// A change of every member of PATCH.
fn everything() -> Value {
    json!({
        "firstName": "Анна", "middleName": "М.", "lastName": "Берг 😀", "employeeNo": "Ж-17",
        "employeePin": "0042", "email": "Anna.Berg@example.org", "phone": "+7 900 000-00-00",
        "language": "pt-BR", "role": "MANAGER", "status": "INACTIVE",
        "locationIds": [YARD, PORT], "tags": ["night", "пожар"],
    })
}
