//! Concurrent changes over two nodes: rules that the queues of a single node cannot ensure.

use std::{thread, time::Duration};

use patrol_contract::{Adapter, Ports};
use patrol_domain::{
    Edit, EditError, Existing, Limits, Named, Patch, References, Refusal, Rules, Target, Timestamp,
    UniqueValue,
    access::Role,
    data_set::Record,
    event::Origin,
    ids::{LocationId, TaskExecutionId, UserId, Uuid},
    location::Location,
    task_execution::TaskExecution,
    user::{BatchEdit, Removal, User, UserPatch},
};
use tokio::task::JoinSet;

use crate::Postgres;

const MANY: u128 = 24;

fn user(number: u128, role: Role) -> User {
    User::new(UserId(Uuid::from_u128(number)), "Анна", "O'Neil", "en", role)
}

pub(crate) async fn filled(adapter: &Postgres, role: Role) -> Ports {
    let ports = adapter.fresh().await;
    let users = (1..=MANY).map(move |number| Record::User(Box::new(user(number, role).into())));
    let lines = (1..).zip(users).map(Ok);
    let at = Timestamp::from_millis(0).unwrap();
    ports.data_sets.import(Box::new(lines), Origin::of_program(at)).await.unwrap();
    ports
}

/// When all active administrators are demoted concurrently, one stays.
#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn one_of_many_administrators_stays() {
    let adapter = Postgres::new(2);
    let ports = filled(&adapter, Role::Admin).await;
    let rules = Rules { limits: Limits::default(), is_email: |_| true };
    let mut demotions = JoinSet::new();
    for number in 1..=MANY {
        let users = ports.users.clone();
        let patch =
            UserPatch { role: Patch::Value(Role::Manager.name().to_owned()), ..Default::default() };
        let references = patch.references(&rules.limits);
        let change = move |user: &User, existing: &Existing| {
            // Long enough that other transactions look it up meanwhile, if they can.
            thread::sleep(Duration::from_millis(20));
            patch.apply(user, existing, &rules)
        };
        let at = Target::any_version(UserId(Uuid::from_u128(number)));
        let edit = Edit { at, references, change: Box::new(change) };
        demotions
            .spawn(async move { users.update(edit, Origin::of_program(Timestamp::LAST)).await });
    }
    let results = demotions.join_all().await;
    let stays = EditError::Refused(Refusal::State("role".to_owned()));
    let refused: Vec<_> = results.into_iter().filter_map(Result::err).collect();
    assert_eq!(refused, [stays]);
}

/// Batches with the same users in opposite orders run one after another without deadlocks. No more
/// run at once than there are connections: on a busy machine, others could wait for one for longer
/// than a request may.
#[tokio::test(flavor = "multi_thread")]
async fn batches_in_opposite_orders_follow_each_other() {
    const ROUNDS: usize = 5;
    const AT_ONCE: usize = 8;
    let adapter = Postgres::new(2);
    let ports = filled(&adapter, Role::Employee).await;
    for round in 0..ROUNDS {
        let mut batches = JoinSet::new();
        for batch in 0..AT_ONCE {
            let users = ports.users.clone();
            let mut ids: Vec<_> =
                (1..=MANY).map(|number| UserId(Uuid::from_u128(number))).collect();
            if batch % 2 == 1 {
                ids.reverse();
            }
            let tag = format!("{round}-{batch}");
            let change = move |users: &[User], _: &Existing| {
                let tagged = users.iter().map(|user| {
                    let tags = user.tags.iter().chain([&tag]).cloned().collect();
                    Some(User { tags, ..user.clone() })
                });
                Ok(tagged.collect())
            };
            let references = References::default();
            batches.spawn(async move {
                users
                    .update_batch(
                        BatchEdit { ids, references, change: Box::new(change) },
                        Origin::of_program(Timestamp::LAST),
                    )
                    .await
            });
        }
        for result in batches.join_all().await {
            assert!(matches!(&result, Ok(Ok(users)) if users.len() == 24), "{result:?}");
        }
    }
    let first = ports.users.get(UserId(Uuid::from_u128(1))).await.unwrap().unwrap().record;
    assert_eq!(first.tags.len(), ROUNDS * AT_ONCE);
    for number in 2..=MANY {
        let other = ports.users.get(UserId(Uuid::from_u128(number))).await.unwrap().unwrap();
        let other = other.record;
        assert_eq!(other.tags, first.tags, "in another order");
    }
    assert_eq!(adapter.deadlocks(), 0);
}

/// Users are removed beside changes that name them, of executions that they are assigned to: the
/// changes wait for each other without deadlocks, and no execution keeps a removed user.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn removals_and_changes_that_name_the_users_follow_each_other() {
    const AT_ONCE: u128 = 8;
    let adapter = Postgres::new(2);
    let ports = filled(&adapter, Role::Employee).await;
    let place = LocationId(Uuid::from_u128(1));
    let named = |number| vec![UserId(Uuid::from_u128(number)), UserId(Uuid::from_u128(MANY))];
    let executions = (1..MANY).map(|number| {
        let times = [Timestamp::LAST; 2];
        let id = TaskExecutionId(Uuid::from_u128(number));
        let new = TaskExecution::new(id, None, place, "Round", times);
        Record::from(TaskExecution { assignee_ids: named(number), ..new })
    });
    let location = Record::Location(Location::new(place, "Port"));
    let lines: Vec<_> = (1..).zip(std::iter::once(location).chain(executions)).map(Ok).collect();
    let by = Origin::of_program(Timestamp::from_millis(0).unwrap());
    ports.data_sets.import(Box::new(lines.into_iter()), by).await.unwrap();
    for number in 1..AT_ONCE {
        let mut changes = JoinSet::new();
        for change in 0..AT_ONCE {
            let executions = ports.task_executions.clone();
            let users = named(number);
            let references = References::default().with(users.clone());
            let name = format!("Round {change}");
            let change = move |execution: &TaskExecution, existing: &Existing| {
                // Long enough that the removal locks the user meanwhile, if it can.
                thread::sleep(Duration::from_millis(5));
                let mut next = TaskExecution { name: name.clone(), ..execution.clone() };
                next.assignee_ids = users.clone();
                next.assignee_ids.retain(|user| existing.has(*user));
                Ok(Some(next))
            };
            let at = Target::any_version(TaskExecutionId(Uuid::from_u128(number)));
            let edit = Edit { at, references, change: Box::new(change) };
            changes.spawn(async move { executions.update(edit, by).await.map(drop) });
        }
        let users = ports.users.clone();
        let at = Target::any_version(UserId(Uuid::from_u128(number)));
        let removal = Removal { at, check: Box::new(|_: &User, _: &Existing| Ok(())) };
        changes.spawn(async move { users.remove(removal, by).await });
        for result in changes.join_all().await {
            assert_eq!(result, Ok(()));
        }
        let left = ports.task_executions.get(TaskExecutionId(Uuid::from_u128(number))).await;
        let left = left.unwrap().unwrap().record;
        assert_eq!(left.assignee_ids, [UserId(Uuid::from_u128(MANY))], "{number}");
    }
    assert_eq!(adapter.deadlocks(), 0);
}

/// A number and an address that a user gets in one change are seen both or not at all, so that a
/// clash with either reports both.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_number_and_an_address_that_are_taken_at_once_are_seen_at_once() {
    const ROUNDS: usize = 150;
    let adapter = Postgres::new(2);
    let ports = filled(&adapter, Role::Employee).await;
    let texts = ["7", "a@b.example"];
    let references =
        References::default().with_values(UniqueValue::UserName, texts.map(str::to_owned));
    let users = ports.users.clone();
    let taking = tokio::spawn(async move {
        for round in 0..ROUNDS {
            let change = move |user: &User, _: &Existing| {
                let taken = |text: &str| (round % 2 == 0).then(|| text.to_owned());
                let (employee_no, email) = (taken("7"), taken("a@b.example"));
                Ok(Some(User { employee_no, email, ..user.clone() }))
            };
            let at = Target::any_version(UserId(Uuid::from_u128(1)));
            let edit = Edit { at, references: References::default(), change: Box::new(change) };
            users.update(edit, Origin::of_program(Timestamp::LAST)).await.unwrap();
        }
    });
    while !taking.is_finished() {
        let change = move |_: &User, existing: &Existing| {
            let is_held = |text| existing.owners(UniqueValue::UserName, text).next().is_some();
            assert_eq!(is_held(texts[0]), is_held(texts[1]), "{existing:?}");
            Err(Refusal::Denied)
        };
        let at = Target::any_version(UserId(Uuid::from_u128(2)));
        let edit = Edit { at, references: references.clone(), change: Box::new(change) };
        let asked = ports.users.update(edit, Origin::of_program(Timestamp::LAST)).await;
        assert_eq!(asked, Err(EditError::Refused(Refusal::Denied)));
    }
    taking.await.unwrap();
}
