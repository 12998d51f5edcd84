//! The use cases of tokens.

use std::sync::Arc;

use patrol_application::{AccessService, Actor, Context, Failure, TokenDraft, rules};
use patrol_domain::{
    Limits, Versioned,
    access::{MockSecretGenerator, MockTokens},
    ids::{TokenId, UserId},
};

use crate::{access::token_of, clock};

use super::{
    OTHER, OWN,
    ports::{down, everything, ids, users},
    uuid,
};

pub(super) const PERMISSIONS: &[(&str, [bool; 3])] = &[
    ("issue own", [true, true, true]),
    ("issue other", [true, false, false]),
    ("check_caller", [true, true, true]),
    ("list own", [true, true, true]),
    ("list other", [true, false, false]),
    ("list_all", [true, false, false]),
    ("get own", [true, true, true]),
    ("get other", [true, false, false]),
    ("revoke own", [true, true, true]),
    ("revoke other", [true, false, false]),
];

pub(super) async fn call(actor: Actor, what: &str) -> Result<(), Failure> {
    let (mut tokens, mut secrets) = (MockTokens::new(), MockSecretGenerator::new());
    let owner = if what.ends_with("own") { OWN } else { OTHER };
    tokens.expect_get().returning(move |_| {
        let token = token_of(UserId(uuid(owner)));
        Ok(Some(Versioned::unversioned(token)))
    });
    tokens.expect_list().returning(|_| Box::pin(futures_util::stream::empty()));
    tokens.expect_delete().returning(|_, _| Err(down().into()));
    secrets.expect_generate().returning(|| Err(down()));
    let service = AccessService::new(
        Arc::new(tokens),
        Arc::new(users()),
        Arc::new(secrets),
        Context::new(clock(), ids(), rules(Limits::default())),
    );
    let user_id = Some(UserId(uuid(owner)));
    let draft = TokenDraft { name: Some("x".to_owned()), user_id, expires_at: None };
    match what.split(' ').next().unwrap() {
        "issue" => service.issue(actor, draft).await.map(drop),
        "check_caller" => service.check_caller(actor).await,
        "list" => service.list(actor, user_id, everything()).map(drop),
        "list_all" => service.list_all(actor, everything()).map(drop),
        "get" => service.get(actor, TokenId(uuid(1))).await.map(drop),
        "revoke" => service.revoke(actor, TokenId(uuid(1))).await,
        other => panic!("{other}"),
    }
}
