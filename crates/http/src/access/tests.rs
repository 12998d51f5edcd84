//! Tokens over HTTP.

use actix_web::{http::header::ContentType, test::TestRequest};
use futures_util::stream;
use patrol_domain::{
    EditError, Timestamp, Versioned,
    access::{
        Digest, MockSecretGenerator, MockTokens, Role, Secret, Token, TokenFilter, TokenSort,
    },
    ids::{TokenId, UserId, parse},
    list::{Condition, Direction, Membership, Part, Sort, Test},
    user::{MockUsers, User},
};
use serde_json::{Value, json};

use crate::tests::{NEW_ID, Ports, TestAnswer, TestServer, USER, code};

const OTHER: &str = "0190a000-0000-7000-8000-000000000b01";
const OWN_TOKEN: &str = "0190a000-0000-7000-8000-000000000f01";
const OTHER_TOKEN: &str = "0190a000-0000-7000-8000-000000000f02";

fn user(text: &str) -> UserId {
    UserId(parse(text).unwrap())
}

fn token(id: &str, of: &str) -> Token {
    Token {
        id: TokenId(parse(id).unwrap()),
        user_id: user(of),
        name: "shift planner".to_owned(),
        created_at: Timestamp::parse("2026-01-01T00:00:00Z").unwrap(),
        expires_at: Timestamp::parse("2027-01-01T00:00:00Z"),
        last_used_at: None,
    }
}

/// A test server with one token of [`USER`] and one of [`OTHER`]; a user with an all-zero id does
/// not exist.
pub(crate) fn server() -> TestServer {
    let mut tokens = MockTokens::new();
    tokens.expect_list().returning(|query| {
        let own = query.condition
            == Condition::Is(
                TokenFilter::User,
                Test::Ids(Membership::Any, vec![parse(USER).unwrap()]),
            );
        let row = if own { token(OWN_TOKEN, USER) } else { token(OTHER_TOKEN, OTHER) };
        let by_name = [Sort { property: TokenSort::Name, direction: Direction::Descending }];
        let count = if query.sort == by_name { 11 } else { 1 };
        Box::pin(stream::iter([Ok(Part::Rows(vec![row])), Ok(Part::Total(count))]))
    });
    tokens.expect_get().returning(|id| {
        let all = [token(OWN_TOKEN, USER), token(OTHER_TOKEN, OTHER)];
        Ok(all.into_iter().find(|token| token.id == id).map(Versioned::unversioned))
    });
    tokens.expect_delete().returning(|_, _| Ok(()));
    tokens.expect_create().returning(|new, _| {
        assert_eq!(new.digest, Digest([7; 32]));
        if new.token.user_id.0.is_nil() { Err(EditError::Missing) } else { Ok(()) }
    });
    let mut users = MockUsers::new();
    users.expect_get().returning(|id| {
        let caller = User::new(id, "Ada", "Guard", "en", Role::Employee);
        Ok(Some(Versioned::unversioned(caller)))
    });
    let mut secrets = MockSecretGenerator::new();
    secrets.expect_generate().returning(|| Ok((Secret("ptl_secret".to_owned()), Digest([7; 32]))));
    TestServer::new(Ports { tokens, users, secrets, ..Ports::default() })
}

async fn send(role: &str, request: TestRequest) -> TestAnswer {
    server().send(request.insert_header(("authorization", role))).await
}

async fn issue(role: &str, body: Value) -> TestAnswer {
    let request = TestRequest::post().uri("/v1/tokens").insert_header(ContentType::json());
    send(role, request.set_payload(body.to_string())).await
}

async fn list(role: &str, query: &str) -> TestAnswer {
    send(role, TestRequest::get().uri(&format!("/v1/tokens{query}"))).await
}

async fn revoke(role: &str, id: &str) -> TestAnswer {
    send(role, TestRequest::delete().uri(&format!("/v1/tokens/{id}"))).await
}

#[actix_web::test]
async fn every_role_lists_its_own_tokens() {
    for role in ["employee", "manager", "admin"] {
        let answer = list(role, "").await;
        assert_eq!(answer.status, 200);
        let expected = format!(
            "{{\"data\":[{{\"id\":\"{OWN_TOKEN}\",\"userId\":\"{USER}\",\
             \"name\":\"shift planner\",\"createdAt\":\"2026-01-01T00:00:00.000Z\",\
             \"expiresAt\":\"2027-01-01T00:00:00.000Z\",\"lastUsedAt\":null}}],\
             \"meta\":{{\"offset\":0,\"limit\":2147483647,\"count\":1,\
             \"sort\":[{{\"property\":\"id\",\"direction\":\"asc\"}}]}},\"filter\":[]}}"
        );
        assert_eq!(String::from_utf8(answer.body).unwrap(), expected);
    }
}

#[actix_web::test]
async fn only_an_administrator_lists_tokens_of_others() {
    let answer = list("admin", &format!("?userId={OTHER}&sort=name,desc")).await;
    assert_eq!(answer.json()["data"][0]["userId"], OTHER);
    assert_eq!(answer.json()["meta"]["count"], 11);
    assert_eq!(answer.json()["filter"], json!([{"property": "userId", "value": OTHER}]));
    for role in ["employee", "manager"] {
        let answer = list(role, &format!("?userId={OTHER}")).await;
        assert_eq!(answer.code(), code(403, "access.denied"));
        let answer = list(role, &format!("?userId={USER}")).await;
        assert_eq!((answer.status, &answer.json()["data"][0]["userId"]), (200, &json!(USER)));
    }
}

#[actix_web::test]
async fn invalid_list_parameters_are_invalid_input() {
    for (query, fault, identifier, args) in [
        ("?userId=x", "data.type.invalid", "userId", "UUID"),
        ("?userId=in:x", "data.type.invalid", "userId", "UUID"),
        (&*format!("?userId={USER}&userId={USER}"), "validation.unique.failed", "userId", ""),
        (
            "?sort=token",
            "validation.enum.failed",
            "sort",
            "id,userId,name,createdAt,expiresAt,lastUsedAt",
        ),
    ] {
        let answer = list("admin", query).await;
        assert_eq!(answer.code(), code(400, "input.data.invalid"), "{query}");
        assert_eq!(answer.details(), [(fault.into(), identifier.into(), args.into())], "{query}");
    }
    // This list has no quick search, so `q` is unknown and ignored.
    assert_eq!(list("admin", "?q=a&q=b").await.status, 200);
}

#[actix_web::test]
async fn an_issued_token_is_returned_with_its_record() {
    let answer =
        issue("employee", json!({"name": "own", "expiresAt": "2026-02-01T00:00:00Z"})).await;
    assert_eq!((answer.status, answer.header("cache-control")), (201, Some("no-store")));
    let expected = format!(
        "{{\"id\":\"{NEW_ID}\",\"userId\":\"{USER}\",\"name\":\"own\",\
         \"createdAt\":\"2026-01-31T08:00:00.000Z\",\"expiresAt\":\"2026-02-01T00:00:00.000Z\",\
         \"lastUsedAt\":null,\"token\":\"ptl_secret\"}}"
    );
    assert_eq!(String::from_utf8(answer.body).unwrap(), expected);
}

#[actix_web::test]
async fn only_an_administrator_issues_tokens_to_others() {
    let body = || json!({"name": "theirs", "userId": OTHER});
    let answer = issue("admin", body()).await;
    assert_eq!((answer.status, &answer.json()["userId"]), (201, &json!(OTHER)));
    assert_eq!(answer.json()["expiresAt"], Value::Null);
    for role in ["employee", "manager"] {
        assert_eq!(issue(role, body()).await.code(), code(403, "access.denied"), "{role}");
    }
}

#[actix_web::test]
async fn the_owner_is_checked_before_the_types() {
    for user in [json!(OTHER), json!(5), json!("nobody"), json!([USER])] {
        let body = json!({"name": 1, "userId": user, "expiresAt": 5});
        for role in ["employee", "manager"] {
            let answer = issue(role, body.clone()).await;
            assert_eq!(answer.code(), code(403, "access.denied"), "{role} {body}");
        }
        assert_eq!(issue("admin", body).await.code(), code(400, "input.data.invalid"));
    }
    let own = json!({"userId": USER.to_uppercase(), "expiresAt": 5});
    assert_eq!(issue("employee", own).await.code(), code(400, "input.data.invalid"));
    assert_eq!(issue("employee", json!([OTHER])).await.code(), code(400, "input.data.invalid"));
}

#[actix_web::test]
async fn the_body_of_a_token_is_checked() {
    for (body, top, fault, identifier, args) in [
        (json!({}), "validation.failed", "validation.notnull.failed", "name", ""),
        (json!({"name": ""}), "validation.failed", "validation.length.failed", "name", "1,255"),
        (
            json!({"name": "a", "userId": "00000000-0000-0000-0000-000000000000"}),
            "validation.failed",
            "validation.reference.failed",
            "userId",
            "",
        ),
        (
            json!({"name": "a", "expiresAt": "2026-01-31T08:00:00Z"}),
            "validation.failed",
            "validation.period.failed",
            "expiresAt",
            "",
        ),
        (
            json!({"name": "a", "expiresAt": "soon"}),
            "input.data.invalid",
            "data.type.invalid",
            "expiresAt",
            "TIMESTAMP",
        ),
        (json!([]), "input.data.invalid", "data.type.invalid", "", "OBJECT"),
    ] {
        let answer = issue("admin", body).await;
        assert_eq!(answer.code(), code(400, top));
        assert_eq!(answer.details(), [(fault.into(), identifier.into(), args.into())]);
    }
}

#[actix_web::test]
async fn a_token_is_revoked_by_its_user_or_an_administrator() {
    for role in ["employee", "manager", "admin"] {
        let answer = revoke(role, OWN_TOKEN).await;
        assert_eq!((answer.status, answer.body.as_slice()), (204, b"".as_slice()), "{role}");
        assert_eq!(revoke(role, NEW_ID).await.code(), code(404, "not.found"), "{role}");
    }
    assert_eq!(revoke("admin", OTHER_TOKEN).await.status, 204);
    for role in ["employee", "manager"] {
        assert_eq!(revoke(role, OTHER_TOKEN).await.code(), code(403, "access.denied"), "{role}");
    }
    let answer = revoke("admin", "f01").await;
    assert_eq!(answer.code(), code(400, "input.data.invalid"));
    assert_eq!(answer.details(), [("data.type.invalid".into(), "id".into(), "UUID".into())]);
}
