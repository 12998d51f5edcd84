//! Users over HTTP.

mod batch;
mod patch;
mod roles;
pub(crate) mod store;

use actix_web::{http::header::ContentType, test::TestRequest};
use patrol_domain::{
    access::{Caller, Role},
    ids::{UserId, Uuid},
    user::User,
};
use patrol_record::UserRecord;
use serde_json::{Value, json};

use crate::tests::{TestAnswer, USER, code, detail};
use store::{ADA, EVE, GATE, MISSING_LOCATION, PHOTO, PIN, Store, UNKNOWN, ada, own};

/// PATCH of user `id`.
async fn patch(store: &Store, role: &str, id: &str, body: Value) -> TestAnswer {
    store.server().send(with_body(role, &patching(id), body.to_string())).await
}

/// A batch request.
async fn batch(store: &Store, role: &str, body: Value) -> TestAnswer {
    store.server().send(with_body(role, "POST /v1/users/batch", body.to_string())).await
}

fn patching(id: &str) -> String {
    format!("PATCH /v1/users/{id}")
}

fn with_body(role: &str, what: &str, body: String) -> TestRequest {
    let (method, path) = what.split_once(' ').unwrap();
    let request = TestRequest::with_uri(path).method(method.parse().unwrap());
    let request = request.insert_header(("authorization", role));
    request.insert_header(ContentType::json()).set_payload(body)
}

/// The record of a user for an administrator.
pub(crate) fn record(user: &User) -> UserRecord<'_> {
    UserRecord::new(user, true)
}

#[test]
fn a_pin_is_shown_only_to_permitted_callers() {
    const OTHER: u128 = 99;
    for (caller, is_own, of, shown) in [
        (Role::Admin, false, Role::Admin, true),
        (Role::Admin, false, Role::Employee, true),
        (Role::Manager, false, Role::Admin, false),
        (Role::Manager, false, Role::Manager, true),
        (Role::Manager, true, Role::Manager, true),
        (Role::Manager, false, Role::Employee, true),
        (Role::Employee, false, Role::Admin, false),
        (Role::Employee, false, Role::Employee, false),
        (Role::Employee, true, Role::Employee, true),
    ] {
        let user = User { role: of, employee_pin: Some("0042".to_owned()), ..own() };
        let id = if is_own { user.id } else { UserId(Uuid::from_u128(OTHER)) };
        let record = super::record(&user, Caller { user: id, role: caller, token: None });
        let record = serde_json::to_value(&record).unwrap();
        assert_eq!(!record["employeePin"].is_null(), shown, "{caller:?} {is_own} {of:?}");
    }
}

#[test]
fn the_record_has_the_documented_fields() {
    let written = |user: &User| serde_json::to_string(&record(user)).unwrap();
    let expected = format!(
        "{{\"id\":\"{ADA}\",\"firstName\":\"Ada\",\"middleName\":\"M.\",\"lastName\":\"Guard\",\
         \"employeeNo\":\"N-1\",\"employeePin\":\"{PIN}\",\"email\":\"ada@example.org\",\
         \"phone\":\"+100\",\"language\":\"pt-BR\",\"role\":\"ADMIN\",\"status\":\"ACTIVE\",\
         \"photoId\":\"{PHOTO}\",\"locationIds\":[\"{GATE}\"],\"tags\":[\"north\",\"night\"],\
         \"userLinked\":true}}"
    );
    assert_eq!(written(&ada()), expected);
    let expected = format!(
        "{{\"id\":\"{USER}\",\"firstName\":\"Boris\",\"middleName\":null,\"lastName\":\"Guard\",\
         \"employeeNo\":null,\"employeePin\":null,\"email\":null,\"phone\":null,\
         \"language\":\"en\",\"role\":\"EMPLOYEE\",\"status\":\"ACTIVE\",\"photoId\":null,\
         \"locationIds\":[],\"tags\":[],\"userLinked\":false}}"
    );
    assert_eq!(written(&own()), expected);
}
