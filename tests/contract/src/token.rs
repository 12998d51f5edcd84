//! [`Tokens`](patrol_domain::access::Tokens).

use patrol_domain::{
    EditError, Refusal, Target,
    access::{Digest, NewToken, Role, Token, TokenFilter, TokenOwner, TokenSort},
    ids::TokenId,
    list::{Condition, Direction, Membership, Query, Sort, Test},
    user::{User, UserStatus},
};

use crate::{
    Adapter, Ports,
    listing::{everything, meeting, read},
    records::found,
    sample::{by, fill, id, import, of_user, time, user, user_id},
};

fn token_id(number: u128) -> TokenId {
    id(20, number)
}

fn token(number: u128, user: u128) -> Token {
    Token {
        id: token_id(number),
        user_id: user_id(user),
        name: format!("token {number}"),
        created_at: time(1_000),
        expires_at: None,
        last_used_at: None,
    }
}

fn digest(number: u8) -> Digest {
    Digest([number; 32])
}

async fn create(ports: &Ports, token: Token, digest: Digest) -> Result<(), EditError> {
    create_of(ports, token, digest, usize::MAX).await
}

async fn create_of(
    ports: &Ports,
    token: Token,
    digest: Digest,
    most: usize,
) -> Result<(), EditError> {
    ports.tokens.create(NewToken { token, digest, max_tokens: most }, by()).await
}

/// A stored token is found by its digest, with its user, the user's role and the expiry.
pub async fn a_token_speaks_for_its_user<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    import(&ports, vec![of_user(User { role: Role::Manager, ..user(1) })]).await.unwrap();
    let expiring = Token { expires_at: Some(time(5)), ..token(1, 1) };
    create(&ports, expiring.clone(), digest(1)).await.unwrap();
    create(&ports, token(2, 1), digest(2)).await.unwrap();
    let owner = |number, expires_at| TokenOwner {
        token: token_id(number),
        user: user_id(1),
        role: Role::Manager,
        status: UserStatus::Active,
        expires_at,
    };
    assert_eq!(ports.tokens.owner(digest(1)).await, Ok(Some(owner(1, Some(time(5))))));
    assert_eq!(ports.tokens.owner(digest(2)).await, Ok(Some(owner(2, None))));
    assert_eq!(found::<Token>(&ports, token_id(1)).await, Some(expiring));
    assert_eq!(found::<Token>(&ports, token_id(3)).await, None);
}

/// `Missing` when the user does not exist or is not ACTIVE; nothing is stored.
pub async fn only_active_users_get_tokens<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let inactive = User { status: UserStatus::Inactive, ..user(1) };
    import(&ports, vec![of_user(inactive)]).await.unwrap();
    for user in [1, 2] {
        assert_eq!(create(&ports, token(1, user), digest(1)).await, Err(EditError::Missing));
    }
    assert_eq!(ports.tokens.owner(digest(1)).await, Ok(None));
    assert_eq!(found::<Token>(&ports, token_id(1)).await, None);
}

/// A user has at most this many tokens, expired ones included; revoking one allows another.
pub async fn a_user_has_no_more_tokens_than_admitted<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    fill(&ports, &[]).await;
    let refused = || Err(EditError::Refused(Refusal::State("userId".to_owned())));
    let expired = Token { expires_at: Some(time(1)), ..token(1, 1) };
    create_of(&ports, expired, digest(1), 2).await.unwrap();
    create_of(&ports, token(2, 1), digest(2), 2).await.unwrap();
    assert_eq!(create_of(&ports, token(3, 1), digest(3), 2).await, refused());
    assert_eq!(found::<Token>(&ports, token_id(3)).await, None);
    // The tokens of another user do not count.
    create_of(&ports, token(4, 2), digest(4), 1).await.unwrap();
    ports.tokens.delete(Target::any_version(token_id(1)), by()).await.unwrap();
    create_of(&ports, token(3, 1), digest(3), 2).await.unwrap();
    assert_eq!(create_of(&ports, token(5, 1), digest(5), 2).await, refused());
}

/// Concurrently created tokens never exceed the limit of the user.
pub async fn tokens_created_at_once_count_each_other<A: Adapter>(adapter: &A) {
    const MAX: usize = 5;
    let ports = adapter.fresh().await;
    fill(&ports, &[]).await;
    let creations = (1..=30_u8).map(|number| {
        let tokens = ports.tokens.clone();
        let token = token(number.into(), 1);
        let new = NewToken { token, digest: digest(number), max_tokens: MAX };
        tokio::spawn(async move { tokens.create(new, by()).await })
    });
    let mut stored = 0;
    for creation in creations.collect::<Vec<_>>() {
        match creation.await.expect("a creation") {
            Ok(()) => stored += 1,
            Err(error) => {
                let refusal = Refusal::State("userId".to_owned());
                assert_eq!(error, EditError::Refused(refusal));
            }
        }
    }
    assert_eq!(stored, MAX);
    assert_eq!(read(ports.tokens.list(everything())).await.0.len(), MAX);
}

/// An unknown digest is `None`.
pub async fn an_unknown_digest_speaks_for_nobody<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    fill(&ports, &[]).await;
    create(&ports, token(1, 1), digest(1)).await.unwrap();
    assert_eq!(ports.tokens.owner(digest(2)).await, Ok(None));
}

/// The list has every field, filters by user and sorts by each property.
pub async fn tokens_are_listed_by_user_and_sorted<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    fill(&ports, &[]).await;
    let one = Token { name: "Ё".to_owned(), expires_at: Some(time(9)), ..token(1, 2) };
    let two = Token { name: "а".to_owned(), created_at: time(3), ..token(2, 1) };
    let three = Token { name: "Б".to_owned(), last_used_at: Some(time(4)), ..token(3, 2) };
    for (number, token) in (1..).zip([&one, &two, &three]) {
        create(&ports, token.clone(), digest(number)).await.unwrap();
    }
    let list = |query| read(ports.tokens.list(query));
    assert_eq!(list(everything()).await, (vec![one.clone(), two.clone(), three.clone()], 3));
    let of_user = |user| {
        let ids = Test::Ids(Membership::Any, vec![user_id(user).0]);
        meeting(Condition::Is(TokenFilter::User, ids))
    };
    assert_eq!(list(of_user(2)).await, (vec![one.clone(), three.clone()], 2));
    assert_eq!(list(of_user(3)).await, (Vec::new(), 0));
    let direction = Direction::Descending;
    for (property, order) in [
        (TokenSort::Id, [&three, &two, &one]),
        (TokenSort::UserId, [&one, &three, &two]),
        (TokenSort::Name, [&one, &three, &two]),
        (TokenSort::CreatedAt, [&one, &three, &two]),
        (TokenSort::ExpiresAt, [&one, &two, &three]),
        (TokenSort::LastUsedAt, [&three, &one, &two]),
    ] {
        let sort = vec![Sort { property, direction }];
        let (items, _) = list(Query { sort, ..everything() }).await;
        assert_eq!(items.iter().collect::<Vec<_>>(), order, "{property:?}");
    }
}

/// A revoked token is gone; `Missing` when the token does not exist.
pub async fn a_revoked_token_is_gone<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    fill(&ports, &[]).await;
    create(&ports, token(1, 1), digest(1)).await.unwrap();
    create(&ports, token(2, 1), digest(2)).await.unwrap();
    assert_eq!(ports.tokens.delete(Target::any_version(token_id(1)), by()).await, Ok(()));
    assert_eq!(ports.tokens.owner(digest(1)).await, Ok(None));
    assert_eq!(found::<Token>(&ports, token_id(1)).await, None);
    assert_eq!(read(ports.tokens.list(everything())).await, (vec![token(2, 1)], 1));
    for gone in [1, 3] {
        assert_eq!(
            ports.tokens.delete(Target::any_version(token_id(gone)), by()).await,
            Err(EditError::Missing)
        );
    }
}

/// The last use is stored and never moved back; ids of deleted tokens are ignored.
pub async fn the_last_use_is_noted<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    fill(&ports, &[]).await;
    create(&ports, token(1, 1), digest(1)).await.unwrap();
    create(&ports, token(2, 1), digest(2)).await.unwrap();
    let uses = vec![(token_id(9), time(60_000)), (token_id(2), time(120_000))];
    assert_eq!(ports.tokens.touch(uses).await, Ok(()));
    assert_eq!(ports.tokens.touch(vec![(token_id(2), time(60_000))]).await, Ok(()));
    let used = Token { last_used_at: Some(time(120_000)), ..token(2, 1) };
    assert_eq!(found::<Token>(&ports, token_id(2)).await, Some(used.clone()));
    assert_eq!(read(ports.tokens.list(everything())).await, (vec![token(1, 1), used], 2));
    assert_eq!(ports.tokens.touch(Vec::new()).await, Ok(()));
}
