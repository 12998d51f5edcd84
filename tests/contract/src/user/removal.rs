//! The removal of a user.

use patrol_domain::{
    EditError, Existing, Refusal, Target, Version,
    access::{Digest, NewToken, Role, Token},
    ids::MediaId,
    list::{Condition, Membership, Test},
    task_execution::{ExecutionFilter, TaskExecution},
    user::{Removal, User},
};

use super::filled;
use crate::{
    Adapter, Ports,
    listing::{everything, meeting, read},
    records,
    sample::{
        by, execution, id, import, of_execution, time, user, user_id, whole_execution, whole_user,
    },
};

fn removal(number: u128) -> Removal {
    Removal {
        at: Target::any_version(user_id(number)),
        check: Box::new(|user: &User, existing: &Existing| user.check_removal(existing)),
    }
}

pub(crate) async fn remove(ports: &Ports, number: u128) -> Result<(), EditError> {
    ports.users.remove(removal(number), by()).await
}

async fn token(ports: &Ports, number: u128, digest: Digest) {
    let token = Token {
        id: id(20, number),
        user_id: user_id(number),
        name: "phone".to_owned(),
        created_at: time(0),
        expires_at: None,
        last_used_at: None,
    };
    ports.tokens.create(NewToken { token, digest, max_tokens: 9 }, by()).await.expect("a token");
}

/// The user, its tokens and its names are gone, its photo is announced, and other users stay. The id and the
/// names can be used again.
pub async fn a_removed_user_leaves_nothing_behind<A: Adapter>(adapter: &A) {
    let photo = MediaId(id(13, 1));
    let pictured = User { photo_id: Some(photo), ..whole_user(11) };
    let ports = filled(adapter, &[pictured.clone(), user(12)]).await;
    let (digest, other) = (Digest([1; 32]), Digest([2; 32]));
    token(&ports, 11, digest).await;
    token(&ports, 12, other).await;
    let newest = ports.events.newest().await.expect("a position");
    assert_eq!(remove(&ports, 11).await, Ok(()));
    assert_eq!(records::found::<User>(&ports, user_id(11)).await, None);
    assert_eq!(ports.tokens.owner(digest).await, Ok(None));
    assert!(ports.tokens.owner(other).await.expect("a read").is_some());
    assert_eq!(read(ports.tokens.list(everything())).await.1, 1);
    assert_eq!(ports.users.find("anna.11@example.com").await, Ok(Vec::new()));
    assert_eq!(ports.image_owners.announced(time(1), 9).await, Ok(vec![photo]));
    // The token and the user.
    assert_eq!(ports.events.newest().await.expect("a position"), newest + 2);
    assert_eq!(remove(&ports, 11).await, Err(EditError::Missing));
    let again = User { photo_id: None, ..pictured };
    import(&ports, vec![crate::sample::of_user(again.clone())]).await.expect("an import");
    assert_eq!(records::found::<User>(&ports, user_id(11)).await, Some(again));
}

/// PENDING executions lose the assignee and get their next version; all others keep the id.
pub async fn executions_lose_a_removed_assignee_while_they_are_pending<A: Adapter>(adapter: &A) {
    let ports = filled(adapter, &[]).await;
    let of_both =
        |number| TaskExecution { assignee_ids: vec![user_id(3), user_id(2)], ..execution(number) };
    // Its assignees are 2 and 1, and its performer is 3.
    let completed = whole_execution(900);
    // More than a store looks up at once.
    let pending: Vec<_> = (1..=300).map(of_both).collect();
    let all = pending.iter().cloned().chain([completed.clone(), execution(901)]);
    import(&ports, all.map(of_execution).collect()).await.expect("an import");
    let before = ports.task_executions.get(pending[0].id).await.expect("a read").expect("it");
    for gone in [3, 2] {
        assert_eq!(remove(&ports, gone).await, Ok(()));
    }
    let after = ports.task_executions.get(pending[0].id).await.expect("a read").expect("it");
    assert_eq!(after.version, before.version.next().next());
    for old in pending {
        let found = ports.task_executions.get(old.id).await.expect("a read").expect("it");
        assert_eq!(found.record, TaskExecution { assignee_ids: Vec::new(), ..old });
    }
    let found = ports.task_executions.get(completed.id).await.expect("a read").expect("it");
    assert_eq!(found.record, completed);
    let of_user = Test::Ids(Membership::Any, vec![user_id(2).0]);
    let query = meeting(Condition::Is(ExecutionFilter::User, of_user));
    assert_eq!(read(ports.task_executions.list(query)).await.1, 1);
}

/// Nothing is removed when the check refuses, or the user has another version.
pub async fn a_removal_is_checked_first<A: Adapter>(adapter: &A) {
    let admin = User { role: Role::Admin, ..user(11) };
    let ports = filled(adapter, std::slice::from_ref(&admin)).await;
    token(&ports, 11, Digest([1; 32])).await;
    let last = EditError::Refused(Refusal::State("role".to_owned()));
    assert_eq!(remove(&ports, 11).await, Err(last));
    let stale =
        Removal { at: Target { id: user_id(1), expected: Some(Version(-1)) }, ..removal(1) };
    assert_eq!(ports.users.remove(stale, by()).await, Err(EditError::Stale));
    assert_eq!(remove(&ports, 99).await, Err(EditError::Missing));
    for kept in [admin, user(1)] {
        assert_eq!(records::found::<User>(&ports, kept.id).await, Some(kept));
    }
    assert_eq!(read(ports.tokens.list(everything())).await.1, 1);
}

/// When the last two active administrators are removed concurrently, one stays.
pub async fn of_two_removals_one_leaves_an_administrator<A: Adapter>(adapter: &A) {
    for _ in 0..5 {
        let admin = |number| User { role: Role::Admin, ..user(number) };
        let ports = filled(adapter, &[admin(11), admin(12)]).await;
        let (one, other) = tokio::join!(remove(&ports, 11), remove(&ports, 12));
        assert_eq!(u8::from(one.is_ok()) + u8::from(other.is_ok()), 1);
        let refused = if one.is_ok() { other } else { one };
        assert_eq!(refused, Err(EditError::Refused(Refusal::State("role".to_owned()))));
    }
}
