//! Issuing, listing and revoking tokens.

use std::sync::Arc;

use patrol_application::{AccessService, Actor, Context, Failure, TokenDraft, rules};
use patrol_domain::{
    EditError, Limits, Path, Refusal, Rule, Timestamp, Versioned,
    access::{Caller, Digest, MockSecretGenerator, MockTokens, Role, Secret, Token, TokenFilter},
    ids::{TokenId, UserId, Uuid},
    list::{Condition, Membership, Query, Test},
    shared::ports::{MockClock, MockIds},
    user::{Identity, MockUsers, User},
};

use crate::OPERATOR;

const ME: UserId = UserId(Uuid::from_u128(1));
const OTHER: UserId = UserId(Uuid::from_u128(2));
const NEW: TokenId = TokenId(Uuid::from_u128(3));

fn now() -> Timestamp {
    Timestamp::from_millis(1_800_000_000_000).unwrap()
}

fn caller(role: Role) -> Actor {
    Caller { user: ME, role, token: None }.into()
}

fn service(tokens: MockTokens, users: MockUsers) -> AccessService {
    let (mut secrets, mut clock, mut ids) =
        (MockSecretGenerator::new(), MockClock::new(), MockIds::new());
    secrets.expect_generate().returning(|| Ok((Secret("ptl_secret".into()), Digest([7; 32]))));
    clock.expect_now().returning(now);
    ids.expect_next().returning(|| NEW.0);
    AccessService::new(
        Arc::new(tokens),
        Arc::new(users),
        Arc::new(secrets),
        Context::new(Arc::new(clock), Arc::new(ids), rules(Limits::default())),
    )
}

pub(crate) fn token_of(user_id: UserId) -> Token {
    Token {
        id: NEW,
        user_id,
        name: "phone".into(),
        created_at: now(),
        expires_at: None,
        last_used_at: None,
    }
}

fn person(id: UserId) -> User {
    User::new(id, "Ada", "Guard", "en", Role::Employee)
}

fn draft(user_id: Option<UserId>) -> TokenDraft {
    TokenDraft { name: Some("phone".into()), user_id, expires_at: None }
}

#[tokio::test]
async fn users_issue_tokens_for_themselves_and_administrators_for_all() {
    for (role, user, allowed) in [
        (Role::Employee, None, true),
        (Role::Employee, Some(ME), true),
        (Role::Employee, Some(OTHER), false),
        (Role::Manager, Some(OTHER), false),
        (Role::Admin, Some(OTHER), true),
    ] {
        let mut tokens = MockTokens::new();
        tokens.expect_create().times(usize::from(allowed)).returning(|_, _| Ok(()));
        let issued = service(tokens, MockUsers::new()).issue(caller(role), draft(user)).await;
        if allowed {
            let issued = issued.unwrap();
            assert_eq!(issued.token, token_of(user.unwrap_or(ME)));
            assert_eq!(issued.secret, Secret("ptl_secret".into()));
        } else {
            assert_eq!(issued, Err(Refusal::Denied.into()));
        }
    }
}

#[tokio::test]
async fn the_store_gets_the_digest_but_not_the_secret() {
    let mut tokens = MockTokens::new();
    tokens.expect_create().times(1).returning(|new, _| {
        assert_eq!(new.digest, Digest([7; 32]));
        assert!(!format!("{new:?}").contains("ptl_secret"));
        Ok(())
    });
    service(tokens, MockUsers::new()).issue(caller(Role::Admin), draft(None)).await.unwrap();
}

#[tokio::test]
async fn nothing_is_stored_for_a_faulty_draft() {
    let service = service(MockTokens::new(), MockUsers::new());
    let bad = TokenDraft { name: None, user_id: None, expires_at: Some(now()) };
    let refused = service.issue(caller(Role::Admin), bad).await.unwrap_err();
    let Failure::Refused(Refusal::Invalid(faults)) = refused else { panic!("{refused:?}") };
    let found: Vec<_> = faults.iter().map(|fault| fault.identifier.as_str()).collect();
    assert_eq!(found, ["name", "expiresAt"]);
}

#[tokio::test]
async fn an_unknown_user_is_reported_with_the_other_faults() {
    for (found, wanted) in
        [(None, vec!["name", "userId", "expiresAt"]), (Some(OTHER), vec!["name", "expiresAt"])]
    {
        let mut users = MockUsers::new();
        users.expect_get().returning(move |_| Ok(found.map(person).map(Versioned::unversioned)));
        let service = service(MockTokens::new(), users);
        let bad = TokenDraft { name: None, user_id: Some(OTHER), expires_at: Some(now()) };
        let refused = service.issue(caller(Role::Admin), bad).await.unwrap_err();
        let Failure::Refused(Refusal::Invalid(faults)) = refused else { panic!("{refused:?}") };
        let found: Vec<_> = faults.iter().map(|fault| fault.identifier.as_str()).collect();
        assert_eq!(found, wanted);
    }
}

#[tokio::test]
async fn an_unknown_or_inactive_user_is_a_fault_of_the_body() {
    let mut tokens = MockTokens::new();
    tokens.expect_create().returning(|_, _| Err(EditError::Missing));
    let issued =
        service(tokens, MockUsers::new()).issue(caller(Role::Admin), draft(Some(OTHER))).await;
    assert_eq!(issued, Err(Failure::fault(&Path::Root.field("userId"), Rule::Reference)));
}

#[tokio::test]
async fn a_caller_who_was_deleted_is_no_longer_valid() {
    let own = [draft(None), draft(Some(ME)), TokenDraft { name: None, ..draft(Some(ME)) }];
    for draft in own {
        let (mut tokens, mut users) = (MockTokens::new(), MockUsers::new());
        tokens.expect_create().returning(|_, _| Err(EditError::Missing));
        users.expect_get().returning(|_| Ok(None));
        let issued = service(tokens, users).issue(caller(Role::Admin), draft).await;
        assert_eq!(issued, Err(Failure::CallerInvalid));
    }
    let mut users = MockUsers::new();
    users.expect_get().returning(|_| Ok(None));
    let checked = service(MockTokens::new(), users).check_caller(caller(Role::Admin)).await;
    assert_eq!(checked, Err(Failure::CallerInvalid));
}

#[tokio::test]
async fn a_list_contains_the_tokens_of_one_user() {
    let query = || Query::of(Condition::All(Vec::new()), now());
    for (role, user, listed) in [
        (Role::Employee, None, Some(ME)),
        (Role::Manager, Some(ME), Some(ME)),
        (Role::Manager, Some(OTHER), None),
        (Role::Admin, Some(OTHER), Some(OTHER)),
    ] {
        let mut tokens = MockTokens::new();
        if let Some(listed) = listed {
            tokens.expect_list().times(1).returning(move |query| {
                let own = Test::Ids(Membership::Any, vec![listed.into()]);
                assert_eq!(query.condition, Condition::Is(TokenFilter::User, own));
                Box::pin(futures_util::stream::empty())
            });
        }
        let service = service(tokens, MockUsers::new());
        assert_eq!(service.list(caller(role), user, query()).is_ok(), listed.is_some());
    }
}

#[tokio::test]
async fn only_an_administrator_revokes_the_tokens_of_others() {
    for (role, owner, revoked) in [
        (Role::Employee, Some(ME), Ok(())),
        (Role::Manager, Some(OTHER), Err(Refusal::Denied.into())),
        (Role::Admin, Some(OTHER), Ok(())),
        (Role::Admin, None, Err(Failure::NotFound)),
    ] {
        let mut tokens = MockTokens::new();
        tokens.expect_get().returning(move |_| Ok(owner.map(token_of).map(Versioned::unversioned)));
        tokens.expect_delete().times(usize::from(revoked.is_ok())).returning(|_, _| Ok(()));
        let service = service(tokens, MockUsers::new());
        assert_eq!(service.revoke(caller(role), NEW).await, revoked);
    }
}

#[tokio::test]
async fn a_user_is_found_by_id_else_by_number_or_email() {
    let mut users = MockUsers::new();
    users.expect_get().times(1).returning(|_| Ok(None));
    users.expect_find().times(2).returning(|_| Ok(Vec::new()));
    let service = service(MockTokens::new(), users);
    assert_eq!(service.find_user(OPERATOR, &ME.to_string()).await, Ok(Identity::Unknown));
    assert_eq!(service.find_user(OPERATOR, "A1").await, Ok(Identity::Unknown));
}

#[tokio::test]
async fn an_ambiguous_text_finds_no_user_but_an_id_does() {
    let named = |id| User { employee_no: Some("a@b.c".to_owned()), ..person(id) };
    let mut users = MockUsers::new();
    users.expect_get().returning(move |id| Ok(Some(Versioned::unversioned(named(id)))));
    users.expect_find().returning(move |_| Ok(vec![named(ME), named(OTHER)]));
    let service = service(MockTokens::new(), users);
    assert_eq!(
        service.find_user(OPERATOR, "A@b.c").await,
        Ok(Identity::Ambiguous(vec![ME, OTHER]))
    );
    let by_id = service.find_user(OPERATOR, &OTHER.to_string()).await;
    assert_eq!(by_id, Ok(Identity::User(Box::new(named(OTHER)))));
}

#[tokio::test]
async fn a_user_cannot_have_more_than_1000_tokens() {
    let mut tokens = MockTokens::new();
    tokens.expect_create().returning(|new, _| {
        assert_eq!(new.max_tokens, 1_000);
        assert_eq!(new.check_limit(999), Ok(()));
        new.check_limit(1_000).map_err(EditError::from)
    });
    let issued = service(tokens, MockUsers::new()).issue(caller(Role::Employee), draft(None)).await;
    assert_eq!(issued, Err(Refusal::State("userId".to_owned()).into()));
}
