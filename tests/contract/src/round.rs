//! [`Rounds`](patrol_domain::scheduled_task::Rounds).

use futures_util::future::join_all;
use patrol_domain::{
    Target, Timestamp,
    event::RequestId,
    schedule::{LocalDateTime, Schedule},
    scheduled_task::{
        ChangedBy, DueTask, ExecutionTimes, MadeOccurrence, ROUNDS_AT_ONCE, Round, RoundBatch,
        RoundCounts, RoundProgress, ScheduledTask,
    },
    task_execution::{Action, ActionType, Priority, Progress, State, Step, TaskExecution},
};

use crate::{
    Adapter, Ports,
    records::{becoming, found, new},
    sample::{
        by, execution, execution_id, id, import, location_id, of_execution, of_task, series_id,
        task, task_id, time, user_id, whole_task, world,
    },
};

/// Nothing more to do.
pub(crate) const DONE: RoundProgress = RoundProgress { compare_from: None, due_at: None };

/// A time after every occurrence.
fn end() -> Timestamp {
    time(253_402_300_799_999)
}

/// The local start in the n-th hour of 1970.
pub(crate) fn hour(number: u128) -> LocalDateTime {
    let hours = i64::try_from(number).expect("an hour");
    LocalDateTime::from_seconds(hours * 3_600).expect("a time")
}

/// The execution of the occurrence of [`scheduled`] in this hour.
pub(crate) fn round(number: u128) -> (LocalDateTime, TaskExecution) {
    let start = time(hour(number).seconds() * 1_000);
    let made = TaskExecution {
        scheduled_task_id: Some(task_id(1)),
        series_id: Some(series_id(1)),
        start_at: start,
        end_at: start,
        ..execution(number)
    };
    (hour(number), made)
}

/// Task 1 with an active schedule.
pub(crate) fn scheduled() -> ScheduledTask {
    let ScheduledTask { schedule, .. } = whole_task(1);
    ScheduledTask { schedule, location_id: Some(location_id(1)), ..task(1) }
}

/// Stores [`scheduled`] in a new store.
pub(crate) async fn prepared<A: Adapter>(adapter: &A) -> Ports {
    let ports = adapter.fresh().await;
    import(&ports, world()).await.expect("an import");
    ports.scheduled_tasks.update(becoming(scheduled()), by()).await.expect("an update");
    ports
}

async fn due(ports: &Ports, until: Timestamp) -> Vec<DueTask> {
    ports.rounds.due(until).await.expect("an answer")
}

/// The only task that is due.
pub(crate) async fn due_task(ports: &Ports) -> DueTask {
    let due = due(ports, end()).await;
    assert_eq!(due.len(), 1, "{due:?}");
    due[0]
}

/// A batch for task 1 as it is now, without changes.
pub(crate) async fn batch(ports: &Ports) -> RoundBatch {
    let task = ports.scheduled_tasks.get(task_id(1)).await.expect("an answer").expect("a task");
    let before = due(ports, end()).await.first().map_or(DONE, |due| due.made);
    RoundBatch {
        task: Target { id: task_id(1), expected: Some(task.version) },
        before,
        after: before,
        created: Vec::new(),
        changed: Vec::new(),
        deleted: Vec::new(),
        is_last: false,
    }
}

pub(crate) async fn store(ports: &Ports, batch: RoundBatch) -> bool {
    ports.rounds.store(batch, by()).await.expect("an answer").is_some()
}

/// Makes the executions of these hours.
pub(crate) async fn make(ports: &Ports, hours: impl IntoIterator<Item = u128>) {
    let created = hours.into_iter().map(round).collect();
    assert!(store(ports, RoundBatch { created, ..batch(ports).await }).await);
}

pub(crate) async fn following(ports: &Ports, from: u128, now: i64) -> Vec<Round> {
    ports.rounds.following(task_id(1), hour(from), time(now)).await.expect("an answer")
}

pub(crate) async fn is_stored(ports: &Ports, number: u128) -> bool {
    found::<TaskExecution>(ports, execution_id(number)).await.is_some()
}

/// A task is due from its creation or change until nothing is left to do; the plan is compared first.
/// It names who changed it.
pub async fn a_changed_task_is_due_until_nothing_is_left<A: Adapter>(adapter: &A) {
    let ports = prepared(adapter).await;
    let first = due_task(&ports).await;
    // The task had no schedule before: nothing that has begun is made.
    assert_eq!(first.made.due_at, Some(time(0)));
    let from = first.made.compare_from.expect("a time");
    assert!(from.seconds() <= -86_400, "{from:?}");
    let request = RequestId::new(b"plan");
    let changed_by = ChangedBy { actor: Some(user_id(1)), token: None, request };
    let by_user = DueTask { changed_by, ..first }.origin(time(0));
    let second = ScheduledTask { name: "Second".to_owned(), ..scheduled() };
    ports.scheduled_tasks.update(becoming(second), by_user).await.expect("an update");
    assert_eq!(due_task(&ports).await, DueTask { changed_by, ..first });

    let compared = RoundProgress { compare_from: None, due_at: Some(time(7_000)) };
    assert!(store(&ports, RoundBatch { after: compared, ..batch(&ports).await }).await);
    let then = due_task(&ports).await;
    assert_eq!((then.made, then.changed_by), (compared, changed_by));
    assert!(due(&ports, time(6_999)).await.is_empty());
    assert_eq!(due(&ports, time(7_000)).await.len(), 1);
    let last = RoundBatch { is_last: true, ..batch(&ports).await };
    assert!(store(&ports, last).await);
    assert_eq!(due_task(&ports).await.changed_by, first.changed_by);
    assert!(store(&ports, RoundBatch { after: DONE, ..batch(&ports).await }).await);
    assert!(due(&ports, end()).await.is_empty());

    let renamed = ScheduledTask { name: "Another".to_owned(), ..scheduled() };
    ports.scheduled_tasks.update(becoming(renamed), by()).await.expect("an update");
    // The same schedule goes on where it was.
    let compared = RoundProgress { due_at: None, ..first.made };
    assert_eq!(due_task(&ports).await, DueTask { made: compared, ..first });
    let schedule =
        scheduled().schedule.map(|schedule| Schedule { duration_minutes: 7, ..schedule });
    let longer = ScheduledTask { schedule, ..scheduled() };
    ports.scheduled_tasks.update(becoming(longer), by()).await.expect("an update");
    assert_eq!(due_task(&ports).await, first);
    // No more executions, and those that exist stay.
    let stopped = ScheduledTask { enabled: false, ..scheduled() };
    ports.scheduled_tasks.update(becoming(stopped), by()).await.expect("an update");
    assert!(due(&ports, end()).await.is_empty());
    // Executions of occurrences that no longer exist are still to be deleted.
    let without = ScheduledTask { schedule: None, ..scheduled() };
    ports.scheduled_tasks.update(becoming(without), by()).await.expect("an update");
    let RoundProgress { compare_from, due_at } = due_task(&ports).await.made;
    assert_eq!((compare_from, due_at), (Some(from), None));
}

/// Tasks whose plan has changed do not hide those that are due.
pub async fn changed_tasks_do_not_hide_due_ones<A: Adapter>(adapter: &A) {
    let ports = prepared(adapter).await;
    let waiting = RoundProgress { compare_from: None, due_at: Some(time(7_000)) };
    assert!(store(&ports, RoundBatch { after: waiting, ..batch(&ports).await }).await);
    let changed = ScheduledTask { id: task_id(2), ..scheduled() };
    ports.scheduled_tasks.update(becoming(changed), by()).await.expect("an update");
    let ids: Vec<_> = due(&ports, end()).await.iter().map(|due| due.id).collect();
    assert_eq!(ids, [task_id(2), task_id(1)]);
}

/// A task that is imported with a schedule is due too.
pub async fn an_imported_task_is_due<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    import(&ports, world()).await.expect("an import");
    assert!(due(&ports, end()).await.is_empty());
    let imported = ScheduledTask { id: task_id(9), name: "Task 9".to_owned(), ..scheduled() };
    import(&ports, vec![of_task(imported)]).await.expect("an import");
    assert_eq!(due_task(&ports).await.id, task_id(9));
}

/// The execution of an occurrence is stored once, also after it was deleted.
pub async fn an_occurrence_is_made_once<A: Adapter>(adapter: &A) {
    let ports = prepared(adapter).await;
    make(&ports, [1, 2]).await;
    for number in [1, 2] {
        assert_eq!(found(&ports, execution_id(number)).await, Some(round(number).1));
    }
    ports
        .task_executions
        .delete(Target::any_version(execution_id(2)), by())
        .await
        .expect("a deletion");
    let newest = ports.events.newest().await.expect("a position");
    let again = [(1, 11), (2, 12), (3, 13)].map(|(number, other)| {
        let made = TaskExecution { id: execution_id(other), ..round(number).1 };
        (hour(number), made)
    });
    let stored = RoundBatch { created: again.into(), ..batch(&ports).await };
    let counts = RoundCounts { created: 1, ..RoundCounts::default() };
    assert_eq!(ports.rounds.store(stored, by()).await, Ok(Some(counts)));
    assert_eq!(ports.events.newest().await.expect("a position"), newest + 1);
    for (number, expected) in [(1, true), (2, false), (11, false), (12, false), (13, true)] {
        assert_eq!(is_stored(&ports, number).await, expected, "{number}");
    }
}

/// A batch that was computed from another version of the task, or from an earlier point, stores nothing.
pub async fn an_outdated_batch_stores_nothing<A: Adapter>(adapter: &A) {
    let ports = prepared(adapter).await;
    let outdated = batch(&ports).await;
    let renamed = ScheduledTask { name: "Another".to_owned(), ..scheduled() };
    ports.scheduled_tasks.update(becoming(renamed), by()).await.expect("an update");
    assert!(!store(&ports, RoundBatch { created: vec![round(1)], ..outdated }).await);
    let outdated = batch(&ports).await;
    assert!(store(&ports, RoundBatch { after: DONE, ..batch(&ports).await }).await);
    assert!(!store(&ports, RoundBatch { created: vec![round(1)], ..outdated }).await);
    assert!(!is_stored(&ports, 1).await);
    let gone = batch(&ports).await;
    ports.scheduled_tasks.delete(Target::any_version(task_id(1)), by()).await.expect("a deletion");
    assert!(!store(&ports, RoundBatch { created: vec![round(1)], ..gone }).await);
    assert!(!is_stored(&ports, 1).await);
}

/// Of many nodes that make the same occurrences, one succeeds.
pub async fn of_many_batches_one_is_stored<A: Adapter>(adapter: &A) {
    let ports = prepared(adapter).await;
    let mut batches = Vec::new();
    for node in 0..8 {
        let own = |number| {
            let (start, made) = round(number);
            (start, TaskExecution { id: execution_id(100 * node + number), ..made })
        };
        let created = (1..=20).map(own).collect();
        batches.push(RoundBatch { created, after: DONE, ..batch(&ports).await });
    }
    let stored = join_all(batches.into_iter().map(|batch| store(&ports, batch))).await;
    assert_eq!(stored.iter().filter(|stored| **stored).count(), 1);
    assert_eq!(following(&ports, 0, 0).await.len(), 20);
}

/// What follows a plan comes in order of its local start, at most 64 at once: neither what was edited,
/// started or deleted, nor what has begun, nor what was not made from the schedule.
pub async fn unchanged_future_executions_follow_the_plan<A: Adapter>(adapter: &A) {
    let ports = prepared(adapter).await;
    import(&ports, vec![of_execution(round(500).1)]).await.expect("an import");
    make(&ports, (1..=70).rev()).await;
    let first = following(&ports, 0, 0).await;
    let starts: Vec<_> = first.iter().map(|round| round.start).collect();
    assert_eq!(starts, (1..=64).map(hour).collect::<Vec<_>>());
    assert_eq!(first.len(), ROUNDS_AT_ONCE);
    assert_eq!(first[0].execution.record, round(1).1);
    assert_eq!(following(&ports, 65, 0).await.len(), 6);

    let edited = TaskExecution { edited: true, ..round(66).1 };
    let progress = Progress::InProgress { started_at: time(0) };
    let started = TaskExecution { progress, ..round(67).1 };
    for changed in [edited, started] {
        ports.task_executions.update(becoming(changed), by()).await.expect("an update");
    }
    ports
        .task_executions
        .delete(Target::any_version(execution_id(68)), by())
        .await
        .expect("a deletion");
    let left = following(&ports, 65, hour(65).seconds() * 1_000).await;
    assert_eq!(left.iter().map(|round| round.start).collect::<Vec<_>>(), [hour(69), hour(70)]);
}

/// Of executions with many actions, only as many come at once as memory allows, and at least one.
pub async fn few_large_executions_follow_at_once<A: Adapter>(adapter: &A) {
    let ports = prepared(adapter).await;
    let large = |number: u128| {
        let (start, small) = round(number);
        let steps = (0..10).map(|order| Step {
            id: id(20, number * 100 + order),
            series_id: None,
            point_id: None,
            name: "Gate".to_owned(),
            order: 0,
            actual_order: None,
            started_at: None,
            ended_at: None,
            state: State::Pending,
            actions: (0..999).map(|action| action_of(number * 100 + order, action)).collect(),
        });
        (start, TaskExecution { steps: steps.collect(), ..small })
    };
    let created = (1..=3).map(large).collect();
    assert!(store(&ports, RoundBatch { created, ..batch(&ports).await }).await);
    for from in 1..=3 {
        let found = following(&ports, from, 0).await;
        assert_eq!(found.iter().map(|round| round.start).collect::<Vec<_>>(), [hour(from)]);
    }
}

fn action_of(step: u128, number: u128) -> Action {
    Action {
        id: id(21, step * 1_000 + number),
        series_id: None,
        name: "Closed".to_owned(),
        kind: ActionType::Boolean,
        order: 0,
        required: false,
        min_value: None,
        max_value: None,
        outcome: None,
    }
}

/// Executions take new content or are deleted, each with its event, unless they have another version.
/// Deleted ones may be made again.
pub async fn executions_are_changed_and_deleted<A: Adapter>(adapter: &A) {
    let ports = prepared(adapter).await;
    make(&ports, 1..=4).await;
    let known = following(&ports, 0, 0).await;
    let urgent = |number| TaskExecution { priority: Priority::Major, ..round(number).1 };
    for number in [2, 4] {
        let edited = TaskExecution { edited: true, ..round(number).1 };
        ports.task_executions.update(becoming(edited), by()).await.expect("an update");
    }
    let at = |index: usize| {
        let execution = &known[index].execution;
        Target { id: execution.record.id, expected: Some(execution.version) }
    };
    let newest = ports.events.newest().await.expect("a position");
    let changes = RoundBatch {
        changed: vec![(at(0), urgent(1)), (at(1), urgent(2))],
        deleted: vec![at(2), at(3)],
        ..batch(&ports).await
    };
    assert!(store(&ports, changes).await);
    assert_eq!(ports.events.newest().await.expect("a position"), newest + 2);
    assert_eq!(found(&ports, execution_id(1)).await, Some(urgent(1)));
    assert_eq!(
        found(&ports, execution_id(2)).await.map(|kept: TaskExecution| kept.edited),
        Some(true)
    );
    assert!(!is_stored(&ports, 3).await);
    assert!(is_stored(&ports, 4).await);
    let again = (hour(3), TaskExecution { id: execution_id(13), ..round(3).1 });
    assert!(store(&ports, RoundBatch { created: vec![again], ..batch(&ports).await }).await);
    assert!(is_stored(&ports, 13).await);
}

/// The occurrences from which executions were made come in order of their local start, also those whose
/// execution was deleted.
pub async fn made_occurrences_are_listed<A: Adapter>(adapter: &A) {
    let ports = prepared(adapter).await;
    make(&ports, [3, 1, 2]).await;
    ports
        .task_executions
        .delete(Target::any_version(execution_id(2)), by())
        .await
        .expect("a deletion");
    let made = ports.rounds.made(task_id(1), hour(2)).await.expect("an answer");
    let TaskExecution { id, start_at, end_at, .. } = round(3).1;
    let kept = ExecutionTimes { id: Some(id), start_at, end_at };
    let expected = [
        MadeOccurrence { start: hour(2), execution: None },
        MadeOccurrence { start: hour(3), execution: Some(kept) },
    ];
    assert_eq!(made, expected);
    assert_eq!(ports.rounds.made(task_id(2), hour(0)).await.expect("an answer"), []);
}

/// The occurrence from which an execution was made is found by the id of the execution.
pub async fn the_occurrence_of_an_execution_is_found<A: Adapter>(adapter: &A) {
    let ports = prepared(adapter).await;
    make(&ports, [3, 1, 2]).await;
    for (number, expected) in [(1, Some(hour(1))), (2, Some(hour(2))), (4, None)] {
        let found = ports.rounds.occurrence(execution_id(number)).await;
        assert_eq!(found.expect("an answer"), expected, "{number}");
    }
}

/// A new execution is not made from an occurrence, even with the id of a deleted one that was.
pub async fn a_new_execution_with_the_id_of_a_deleted_round_is_none<A: Adapter>(adapter: &A) {
    let ports = prepared(adapter).await;
    make(&ports, 1..=2).await;
    ports
        .task_executions
        .delete(Target::any_version(execution_id(1)), by())
        .await
        .expect("a deletion");
    let again = new(|| Ok(round(1).1));
    assert_eq!(ports.task_executions.create(again, by()).await, Ok(round(1).1));
    let known = following(&ports, 0, 0).await;
    assert_eq!(known.iter().map(|known| known.start).collect::<Vec<_>>(), [hour(2)]);
    let made = ports.rounds.made(task_id(1), hour(1)).await.expect("an answer");
    assert_eq!(made[0], MadeOccurrence { start: hour(1), execution: None });
    assert!(store(&ports, RoundBatch { created: vec![round(1)], ..batch(&ports).await }).await);
    assert_eq!(following(&ports, 0, 0).await.len(), 1);
}

/// A task that is deleted takes along what would follow its plan, each with its event.
pub async fn a_deleted_task_takes_its_future_executions_along<A: Adapter>(adapter: &A) {
    let ports = prepared(adapter).await;
    make(&ports, 1..=70).await;
    let edited = TaskExecution { edited: true, ..round(66).1 };
    ports.task_executions.update(becoming(edited.clone()), by()).await.expect("an update");
    let newest = ports.events.newest().await.expect("a position");
    let at = Target::any_version(task_id(1));
    ports.scheduled_tasks.delete(at, by()).await.expect("a deletion");
    assert_eq!(ports.events.newest().await.expect("a position"), newest + 70);
    for number in [1, 64, 65, 70] {
        assert!(!is_stored(&ports, number).await, "{number}");
    }
    assert_eq!(found(&ports, execution_id(66)).await, Some(edited));
}

/// A new task with the id of a deleted one makes the occurrences whose executions were deleted before.
pub async fn a_new_task_makes_what_a_deleted_one_left_out<A: Adapter>(adapter: &A) {
    let ports = prepared(adapter).await;
    make(&ports, [1, 2, 3]).await;
    let edited = TaskExecution { edited: true, ..round(3).1 };
    ports.task_executions.update(becoming(edited), by()).await.expect("an update");
    let delete = async |number| {
        let at = Target::any_version(execution_id(number));
        ports.task_executions.delete(at, by()).await.expect("a deletion");
    };
    delete(2).await;
    ports.scheduled_tasks.delete(Target::any_version(task_id(1)), by()).await.expect("a deletion");
    // The edited execution has outlived its task.
    delete(3).await;
    ports.scheduled_tasks.create(new(|| Ok(scheduled())), by()).await.expect("a task");
    // A new task makes what is not over.
    let minutes = scheduled().schedule.expect("a schedule").duration_minutes;
    let not_over = time(1 - i64::from(minutes) * 60_000);
    assert_eq!(due_task(&ports).await.made.due_at, Some(not_over));
    make(&ports, [1, 2, 3]).await;
    for number in [1, 2, 3] {
        assert!(is_stored(&ports, number).await, "{number}");
    }
}
