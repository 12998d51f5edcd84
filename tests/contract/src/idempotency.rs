//! [`IdempotencyKeys`](patrol_domain::idempotency::IdempotencyKeys).

use std::time::Duration;

use futures_util::future::join_all;
use patrol_domain::{
    EditError, Refusal, Target,
    check_list::CheckListAction,
    event::Origin,
    idempotency::{KeyState, KeyedRequest},
    ids::Uuid,
    point::Point,
    task_execution::TaskExecution,
    user::User,
};

use crate::{
    Adapter, Ports,
    check_list::action_for,
    records::{edit, found, new},
    sample::{
        by, check_list, check_list_action_id, check_list_id, execution, execution_id, fill, import,
        point_id, time, user_id, whole_point,
    },
};

/// Longer than any test takes.
const LONG: Duration = Duration::from_secs(600);

/// The time of all calls that name no other.
const NOW: i64 = 1_000;

/// A run of the request with this key. Requests with the same key are equal, and runs differ.
fn run(key: u8, run: u128) -> KeyedRequest {
    KeyedRequest {
        key: [key; 32],
        fingerprint: [key + 1; 32],
        run: Uuid::from_u128(run),
        expires_at: time(NOW + 1_000),
    }
}

/// The origin of a change by this run.
fn keyed(request: KeyedRequest) -> Origin {
    Origin { at: time(NOW), keyed: Some(request), ..by() }
}

async fn begin(ports: &Ports, request: KeyedRequest) -> KeyState {
    begin_at(ports, request, NOW).await
}

async fn begin_at(ports: &Ports, request: KeyedRequest, now: i64) -> KeyState {
    ports.idempotency_keys.begin(request, LONG, time(now)).await.expect("an answer")
}

async fn give_up(ports: &Ports, request: KeyedRequest) {
    ports.idempotency_keys.hold(request, Duration::ZERO).await.expect("an answer");
}

async fn keep(ports: &Ports, request: KeyedRequest, answer: &str) {
    let answer = answer.as_bytes().to_vec();
    ports.idempotency_keys.keep(request, answer, time(NOW)).await.expect("an answer");
}

fn answered(answer: &str) -> KeyState {
    KeyState::Answered(answer.as_bytes().to_vec())
}

async fn filled<A: Adapter>(adapter: &A) -> Ports {
    let ports = adapter.fresh().await;
    fill(&ports, &[execution(1)]).await;
    ports
}

async fn create_point(ports: &Ports, number: u128, by: Origin) -> Result<Point, EditError> {
    ports.points.create(new(move || Ok(whole_point(number, 1))), by).await
}

/// An unknown key is free; then its run holds it. Other keys are not affected.
pub async fn a_key_is_free_once<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    assert_eq!(begin(&ports, run(1, 1)).await, KeyState::Free);
    assert_eq!(begin(&ports, run(1, 2)).await, KeyState::InUse);
    assert_eq!(begin(&ports, run(7, 3)).await, KeyState::Free);
}

/// Of concurrent runs, one gets the key.
pub async fn of_many_runs_one_gets_the_key<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let states = join_all((1..=16).map(|number| begin(&ports, run(1, number)))).await;
    assert_eq!(states.iter().filter(|state| **state == KeyState::Free).count(), 1, "{states:?}");
    assert_eq!(states.iter().filter(|state| **state == KeyState::InUse).count(), 15);
}

/// A request with another fingerprint is another request, in every state of the key.
pub async fn another_request_with_the_same_key_is_told_so<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    let other = KeyedRequest { fingerprint: [9; 32], ..run(1, 9) };
    assert_eq!(begin(&ports, run(1, 1)).await, KeyState::Free);
    assert_eq!(begin(&ports, other).await, KeyState::OtherRequest);
    create_point(&ports, 9, keyed(run(1, 1))).await.unwrap();
    assert_eq!(begin(&ports, other).await, KeyState::OtherRequest);
    keep(&ports, run(1, 1), "done").await;
    assert_eq!(begin(&ports, other).await, KeyState::OtherRequest);
    assert_eq!(begin(&ports, run(1, 2)).await, answered("done"));
}

/// A run that changed nothing gives its key up, for any request. Another run cannot give it up.
pub async fn a_key_that_is_given_up_is_free_again<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    assert_eq!(begin(&ports, run(1, 1)).await, KeyState::Free);
    give_up(&ports, run(1, 2)).await;
    assert_eq!(begin(&ports, run(1, 2)).await, KeyState::InUse);
    give_up(&ports, run(1, 1)).await;
    let other = KeyedRequest { fingerprint: [9; 32], ..run(1, 3) };
    assert_eq!(begin(&ports, other).await, KeyState::Free);
}

/// The answer of a request that changed nothing is kept too; that of another run is not.
pub async fn an_answer_is_kept<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    assert_eq!(begin(&ports, run(1, 1)).await, KeyState::Free);
    keep(&ports, run(1, 1), "первый").await;
    assert_eq!(begin(&ports, run(1, 2)).await, answered("первый"));
    keep(&ports, run(1, 2), "second").await;
    give_up(&ports, run(1, 1)).await;
    assert_eq!(begin(&ports, run(1, 3)).await, answered("первый"));
}

/// A change stores its records with the key. While the run holds the key, the request is in use;
/// later the records are known.
pub async fn a_change_is_stored_with_its_key<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    assert_eq!(begin(&ports, run(1, 1)).await, KeyState::Free);
    create_point(&ports, 9, keyed(run(1, 1))).await.unwrap();
    assert_eq!(begin(&ports, run(1, 2)).await, KeyState::InUse);
    give_up(&ports, run(1, 1)).await;
    let changed = KeyState::Changed(vec![point_id(9).0]);
    assert_eq!(begin(&ports, run(1, 2)).await, changed);
    assert_eq!(begin(&ports, run(1, 3)).await, changed);
}

/// Updates, deletions and changes of a part of a record are stored with their key.
pub async fn a_change_of_every_kind_is_stored_with_its_key<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    let list = patrol_domain::data_set::Record::CheckList(check_list(1, &[1]));
    import(&ports, vec![list]).await.unwrap();
    let rename = |user: &User| {
        Ok(Some(User { last_name: format!("{}-new", user.last_name), ..user.clone() }))
    };
    ports.users.update(edit(user_id(1), rename), keyed(run(1, 1))).await.unwrap();
    let at = Target::<TaskExecution>::any_version(execution_id(1));
    ports.task_executions.delete(at, keyed(run(2, 2))).await.unwrap();
    let rename = |old: &CheckListAction| {
        Ok(Some(CheckListAction { name: "Огни".to_owned(), ..old.clone() }))
    };
    let edit = edit(check_list_action_id(1), rename);
    ports.check_list_actions.update(edit, keyed(run(3, 3))).await.unwrap();
    let added = action_for(check_list_id(1), |_, _| Ok(check_list(1, &[9]).actions.remove(0)));
    ports.check_list_actions.add(added, keyed(run(4, 4))).await.unwrap();
    let effects = [user_id(1).0, execution_id(1).0, check_list_id(1).0, check_list_action_id(9).0];
    for (key, record) in (1..).zip(effects) {
        give_up(&ports, run(key, key.into())).await;
        let state = begin(&ports, run(key, 9)).await;
        assert_eq!(state, KeyState::Changed(vec![record]), "{key}");
    }
}

/// A refused change is no effect.
pub async fn a_refused_change_leaves_the_key<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    assert_eq!(begin(&ports, run(1, 1)).await, KeyState::Free);
    let refuse = |_: &TaskExecution| Err(Refusal::Denied);
    let refused = edit(execution_id(1), refuse);
    let refused = ports.task_executions.update(refused, keyed(run(1, 1))).await;
    assert_eq!(refused, Err(EditError::Refused(Refusal::Denied)));
    give_up(&ports, run(1, 1)).await;
    assert_eq!(begin(&ports, run(1, 2)).await, KeyState::Free);
}

/// When another run has changed something, a change of the first run is refused and stores nothing.
pub async fn a_run_that_was_overtaken_changes_nothing<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    assert_eq!(begin(&ports, run(1, 1)).await, KeyState::Free);
    give_up(&ports, run(1, 1)).await;
    assert_eq!(begin(&ports, run(1, 2)).await, KeyState::Free);
    create_point(&ports, 8, keyed(run(1, 2))).await.unwrap();
    let newest = ports.events.newest().await.unwrap();
    let overtaken = create_point(&ports, 9, keyed(run(1, 1))).await;
    assert_eq!(overtaken, Err(EditError::Superseded));
    assert_eq!(found::<Point>(&ports, point_id(9)).await, None);
    assert_eq!(ports.events.newest().await.unwrap(), newest);
    give_up(&ports, run(1, 2)).await;
    assert_eq!(begin(&ports, run(1, 3)).await, KeyState::Changed(vec![point_id(8).0]));
}

/// An expired key is free for any request, and nothing of the former one is left.
pub async fn an_expired_key_is_free_again<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    assert_eq!(begin(&ports, run(1, 1)).await, KeyState::Free);
    create_point(&ports, 8, keyed(run(1, 1))).await.unwrap();
    keep(&ports, run(1, 1), "done").await;
    let later = NOW + 1_000;
    let other = KeyedRequest { fingerprint: [9; 32], expires_at: time(later + 1), ..run(1, 2) };
    assert_eq!(begin_at(&ports, other, later - 1).await, KeyState::OtherRequest);
    assert_eq!(begin_at(&ports, other, later).await, KeyState::Free);
    let by = Origin { at: time(later), ..keyed(other) };
    create_point(&ports, 9, by).await.unwrap();
    give_up(&ports, other).await;
    let again = KeyedRequest { run: Uuid::from_u128(3), ..other };
    let state = begin_at(&ports, again, later).await;
    assert_eq!(state, KeyState::Changed(vec![point_id(9).0]));
}

/// Expired keys are deleted, others stay.
pub async fn expired_keys_are_deleted<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    for key in 1..=3 {
        let request = KeyedRequest { expires_at: time(i64::from(key)), ..run(key, key.into()) };
        let state = ports.idempotency_keys.begin(request, LONG, time(0)).await.unwrap();
        assert_eq!(state, KeyState::Free);
        ports.idempotency_keys.keep(request, vec![key], time(0)).await.unwrap();
    }
    assert_eq!(ports.idempotency_keys.delete_expired(time(2)).await.unwrap(), 2);
    assert_eq!(ports.idempotency_keys.delete_expired(time(2)).await.unwrap(), 0);
    let third = KeyedRequest { expires_at: time(3), ..run(3, 9) };
    let state = ports.idempotency_keys.begin(third, LONG, time(2)).await.unwrap();
    assert_eq!(state, KeyState::Answered(vec![3]));
}
