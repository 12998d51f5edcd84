//! Failures of the store after a request with an `Idempotency-Key`.

use actix_web::{http::Method, test::TestRequest};
use patrol_domain::{
    StoreError,
    idempotency::{KeyState, MockIdempotencyKeys},
};

use crate::{
    features::ROUTES,
    settings::Settings,
    tests::{Ports, TestServer, as_admin, request},
    user::tests::store::{ADA, Store},
};

/// The warning about the key of a request that deletes the photo of a user without one.
async fn warning(unavailable: bool) -> String {
    let failure = || StoreError::Unavailable("the disk is full".to_owned());
    let mut idempotency_keys = MockIdempotencyKeys::new();
    idempotency_keys.expect_begin().returning(|_, _, _| Ok(KeyState::Free));
    idempotency_keys.expect_keep().returning(move |_, _, _| Err(failure()));
    idempotency_keys.expect_hold().returning(move |_, _| Err(failure()));
    let mut ports = Ports { idempotency_keys, ..Store::new().ports() };
    if unavailable {
        ports.users = patrol_domain::user::MockUsers::new();
        ports.users.expect_get().returning(move |_| Err(failure()));
    }
    let request = TestRequest::with_uri(&format!("/v1/users/{ADA}/photo")).method(Method::DELETE);
    let request = as_admin(request).insert_header(("idempotency-key", "one"));
    let (_, log) = TestServer::new(ports).send_logged(request).await;
    let line = log.lines().find(|line| line.contains("an Idempotency-Key")).unwrap();
    assert!(line.contains("WARN") && line.contains("the disk is full"), "{line}");
    line.to_owned()
}

#[actix_web::test]
async fn an_answer_that_is_not_stored_and_a_key_that_is_not_released_have_their_own_warnings() {
    let not_stored = warning(false).await;
    assert!(not_stored.contains("was not stored"), "{not_stored}");
    let not_released = warning(true).await;
    assert!(not_released.contains("was not released"), "{not_released}");
    assert!(not_released.contains("409 for a few seconds"), "{not_released}");
}

/// What is made from a body counts for a part of the budget only, so that the body fits beside its copy
/// for the key.
#[actix_web::test]
async fn a_small_budget_serves_the_largest_body_with_a_key() {
    let mut idempotency_keys = MockIdempotencyKeys::new();
    idempotency_keys.expect_begin().returning(|_, _, _| Ok(KeyState::Free));
    idempotency_keys.expect_keep().returning(|_, _, _| Ok(()));
    let ports = Ports { idempotency_keys, ..Store::new().ports() };
    let limit = 1 << 20;
    let settings = Settings {
        bodies: 3 << 20,
        batch_limit: limit,
        body_limit: limit / 2,
        photo_limit: limit / 2,
        ..Settings::default()
    };
    let body = format!("[{}]", " ".repeat(limit - 2));
    let request = request("POST /users/batch", body).insert_header(("idempotency-key", "one"));
    let answer = TestServer::of(ports, settings, ROUTES).send(request).await;
    assert_eq!((answer.status, answer.body.as_slice()), (200, b"[]".as_slice()));
}
