//! Properties of every route in the real table.

use std::sync::Arc;

use actix_web::{HttpRequest, test::TestRequest};
use patrol_application::permit;
use patrol_domain::{
    Named,
    access::{Caller, Role},
    ids::{UserId, Uuid},
};

use super::*;
use crate::{
    page::{SessionCredential, Site},
    tests::code,
};

/// A request for a route with only what its path needs.
fn request(pattern: &str, route: &RouteEntry) -> TestRequest {
    TestRequest::with_uri(&pattern.replace("{id}", ID)).method(route.method.clone())
}

#[actix_web::test]
async fn every_route_requires_a_valid_token() {
    let server = TestServer::new(Ports::default());
    let mut routes = 0;
    for (pattern, route) in crate::features::table(None).routes() {
        for token in [None, Some("wrong"), Some("Bearer wrong"), Some("Basic admin")] {
            let mut request = request(pattern, route);
            if let Some(token) = token {
                request = request.insert_header(("authorization", token));
            }
            let answer = server.send(request).await;
            let answer = (answer.code().0, answer.code().1, answer.header("www-authenticate"));
            let method = &route.method;
            assert_eq!(answer, (401, "unauthorized".into(), Some("Bearer")), "{method} {pattern}");
        }
        routes += 1;
    }
    assert!(routes >= 20, "the table has lost its routes");
}

#[actix_web::test]
async fn every_route_refuses_roles_without_permission() {
    // No port is set: a handler that runs would fail with 500.
    let server = TestServer::new(Ports::default());
    let mut denied = 0;
    for (pattern, route) in crate::features::table(None).routes() {
        for role in Role::ALL {
            let caller = Caller { user: UserId(Uuid::nil()), role: *role, token: None };
            if permit(caller.into(), route.endpoint.operation).is_ok() {
                continue;
            }
            let token = role.name().to_lowercase();
            let answer =
                server.send(request(pattern, route).insert_header(("authorization", token))).await;
            let method = &route.method;
            assert_eq!(answer.code(), (403, "access.denied".into()), "{role:?} {method} {pattern}");
            denied += 1;
        }
    }
    assert!(denied >= 10, "nothing is forbidden to anybody");
}

#[actix_web::test]
async fn routes_that_change_records_require_more_than_read() {
    // A POST that computes an answer and changes nothing.
    let computed = "/v1/scheduled-tasks/preview";
    for (pattern, route) in crate::features::table(None).routes() {
        if route.endpoint.operation == Operation::Read && pattern != computed {
            assert_eq!(route.method, Method::GET, "{pattern}");
        }
    }
}

#[actix_web::test]
async fn no_route_is_hidden_by_an_earlier_one() {
    let server = TestServer::new(Ports::default());
    let table = crate::features::table(None);
    for (pattern, route) in table.routes() {
        let options = TestRequest::with_uri(&pattern.replace("{id}", ID)).method(Method::OPTIONS);
        let answer = server.send(options).await;
        let allowed: Vec<_> = answer.header("allow").unwrap().split(", ").collect();
        let methods = table.routes().filter(|(other, _)| *other == pattern);
        let methods: Vec<_> = methods.map(|(_, route)| route.method.as_str()).collect();
        assert!(allowed.contains(&route.method.as_str()), "{pattern}");
        assert!(allowed.iter().all(|name| *name == "HEAD" || methods.contains(name)), "{pattern}");
    }
}

/// A site where the header `Cookie` names what the session of a request proves, or its role.
fn site() -> Site {
    let proved = |request: &HttpRequest| {
        let headers = request.headers();
        assert!(!headers.contains_key("authorization"), "the cookie is looked at");
        match headers.get("cookie").map(|value| value.to_str().unwrap()) {
            None | Some("missing") => SessionCredential::Missing,
            Some("ended") => SessionCredential::Ended,
            Some("foreign") => SessionCredential::Foreign { header: "Origin" },
            Some(role) => {
                let role = *Role::ALL.iter().find(|known| known.name() == role).unwrap();
                SessionCredential::Valid(Caller { user: UserId(Uuid::nil()), role, token: None })
            }
        }
    };
    Site {
        resources: Arc::new(Vec::new),
        error_page: Arc::new(|_, _| Box::pin(async { panic!("the API has no pages") })),
        session: Arc::new(move |request| {
            let proved = proved(&request);
            Box::pin(async move { Ok(proved) })
        }),
    }
}

#[actix_web::test]
async fn every_route_but_those_of_tokens_is_open_to_a_session() {
    let server = TestServer::with_site(Ports::default(), site());
    let mut of_tokens = 0;
    for (pattern, route) in crate::features::table(None).routes() {
        let method = &route.method;
        let admin = || request(pattern, route).insert_header(("cookie", "ADMIN"));
        let answer = server.send(admin()).await;
        if route.endpoint.operation == Operation::ManageTokens {
            let keyed = server.send(admin().insert_header(("idempotency-key", "1"))).await;
            for answer in [answer, keyed] {
                assert_eq!(answer.code(), code(403, "access.denied"), "{method} {pattern}");
            }
            of_tokens += 1;
        } else {
            assert!(![401, 403].contains(&answer.status), "{method} {pattern}");
        }
    }
    assert_eq!(of_tokens, 3);
}

#[actix_web::test]
async fn a_session_is_a_credential_only_without_a_token_and_with_a_site() {
    let server = TestServer::with_site(Ports::default(), site());
    let with = |cookie: &'static str| {
        TestRequest::delete().uri(&format!("/v1/locations/{ID}")).insert_header(("cookie", cookie))
    };
    for (cookie, expected) in [
        ("missing", code(401, "unauthorized")),
        ("ended", code(401, "unauthorized")),
        ("foreign", code(403, "access.denied")),
        ("EMPLOYEE", code(403, "access.denied")),
    ] {
        assert_eq!(server.send(with(cookie)).await.code(), expected, "{cookie}");
        let keyed = with(cookie).insert_header(("idempotency-key", "1"));
        if cookie != "EMPLOYEE" {
            assert_eq!(server.send(keyed).await.code(), expected, "{cookie}");
        }
    }
    for token in ["", "Bearer", "wrong", "Basic admin"] {
        let answer = server.send(with("ADMIN").insert_header(("authorization", token))).await;
        assert_eq!(answer.code(), code(401, "unauthorized"), "{token:?}");
    }
    let without = TestServer::new(Ports::default());
    assert_eq!(without.send(with("ADMIN")).await.code(), code(401, "unauthorized"));
}
