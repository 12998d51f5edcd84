//! [`Series`](patrol_domain::series::Series) that a schedule makes executions of: the plan changes too.

use std::ops::RangeInclusive;

use patrol_domain::{
    Existing, References, Target, Version,
    schedule::LocalDateTime,
    scheduled_task::{RoundBatch, RoundProgress, ScheduledTask},
    series::{PlanMove, Split},
    task_execution::{Priority, TaskExecution},
};

use crate::{
    Adapter, Ports,
    records::becoming,
    round::{DONE, batch, due_task, hour, make, prepared, scheduled, store},
    sample::{by, execution_id, series_id, task_id},
};

const HOUR: i64 = 3_600;

async fn stored_task(ports: &Ports) -> (ScheduledTask, Version) {
    let found = ports.scheduled_tasks.get(task_id(1)).await.expect("an answer").expect("a task");
    (found.record, found.version)
}

async fn stored_round(ports: &Ports, number: u128) -> (TaskExecution, Version) {
    let found = ports.task_executions.get(execution_id(number)).await.expect("an answer");
    let found = found.expect("an execution");
    (found.record, found.version)
}

/// Task 1 with an execution of each of these hours, all of them compared with the plan.
async fn planned<A: Adapter>(adapter: &A, hours: RangeInclusive<u128>) -> Ports {
    let ports = prepared(adapter).await;
    make(&ports, hours).await;
    assert!(store(&ports, RoundBatch { after: DONE, ..batch(&ports).await }).await);
    ports
}

/// The plan of the series, from the execution of this hour on, `by` seconds later.
async fn plan(ports: &Ports, number: u128, by: i64) -> PlanMove {
    let (task, version) = stored_task(ports).await;
    let schedule = task.schedule.expect("a schedule");
    PlanMove {
        task: Target { id: task.id, expected: Some(version) },
        execution: stored_round(ports, number).await.1,
        from: hour(number),
        by,
        schedule: schedule.continued(schedule.start, by, 7),
    }
}

/// Renames the execution of this hour, and moves it to series 9.
fn renamed(number: u128, plan: PlanMove) -> Split {
    let change = |from: &TaskExecution, others: &[TaskExecution], _: &Existing| {
        let next = |old: &TaskExecution| TaskExecution {
            series_id: Some(series_id(9)),
            name: "Renamed".to_owned(),
            ..old.clone()
        };
        // The first execution to change need not be the first that is stored.
        Ok(others.iter().chain([from]).map(next).collect())
    };
    Split {
        from: Target::any_version(execution_id(number)),
        references: References::default(),
        change: Box::new(change),
        plan: Some(plan),
    }
}

/// The occurrences of the task, and the hours after which their executions are named.
async fn occurrences(ports: &Ports) -> Vec<(LocalDateTime, bool)> {
    let made = ports.rounds.made(task_id(1), hour(0)).await.expect("an answer");
    made.into_iter().map(|made| (made.start, made.execution.is_some())).collect()
}

async fn delete(ports: &Ports, number: u128) {
    let at = Target::any_version(execution_id(number));
    ports.task_executions.delete(at, by()).await.expect("a deletion");
}

/// The plan takes the content and the series of the execution, with an event and the next version. The
/// occurrences move, also those whose execution was deleted; earlier ones stay.
pub async fn a_split_changes_the_plan_and_moves_its_occurrences<A: Adapter>(adapter: &A) {
    let ports = planned(adapter, 1..=5).await;
    delete(&ports, 4).await;
    let (before, version) = stored_task(&ports).await;
    let newest = ports.events.newest().await.expect("a position");
    let plan = plan(&ports, 3, HOUR).await;
    let schedule = plan.schedule.clone().ok();
    assert_ne!(schedule, before.schedule);
    assert!(ports.series.split(renamed(3, plan), by()).await.expect("a split"));

    let (after, next) = stored_task(&ports).await;
    let expected = ScheduledTask {
        name: "Renamed".to_owned(),
        series_id: Some(series_id(9)),
        schedule,
        ..scheduled()
    };
    let (round, _) = stored_round(&ports, 3).await;
    let of_round = ScheduledTask {
        description: round.description.clone(),
        location_id: Some(round.location_id),
        assignee_ids: round.assignee_ids.clone(),
        tags: round.tags.clone(),
        ..expected
    };
    assert_eq!((&after, next), (&of_round, Version(version.0 + 1)));
    // Of two executions and of the task.
    assert_eq!(ports.events.newest().await.expect("a position"), newest + 3);
    let expected = [(1, true), (2, true), (4, true), (5, false), (6, true)];
    assert_eq!(occurrences(&ports).await, expected.map(|(number, is)| (hour(number), is)));
    let moved = ports.rounds.occurrence(execution_id(3)).await.expect("an answer");
    assert_eq!(moved, Some(hour(4)));
    // There is nothing to compare, but there may be new occurrences.
    let RoundProgress { compare_from, due_at } = due_task(&ports).await.made;
    assert_eq!((compare_from, due_at.is_some()), (None, true));
}

/// Where two occurrences would have the same start, the one that had it before stays.
pub async fn an_occurrence_that_moves_to_an_earlier_one_gives_way<A: Adapter>(adapter: &A) {
    let ports = planned(adapter, 1..=6).await;
    delete(&ports, 2).await;
    let plan = plan(&ports, 4, -2 * HOUR).await;
    assert!(ports.series.split(renamed(4, plan), by()).await.expect("a split"));
    let expected = [(1, true), (2, false), (3, true), (4, true)];
    assert_eq!(occurrences(&ports).await, expected.map(|(number, is)| (hour(number), is)));
    let found = |number| ports.rounds.occurrence(execution_id(number));
    assert_eq!(found(3).await.expect("an answer"), Some(hour(3)));
    assert_eq!(found(4).await.expect("an answer"), None);
    assert_eq!(found(6).await.expect("an answer"), Some(hour(4)));
}

/// False, when the task or the execution has another version, or the task is gone.
pub async fn a_split_with_an_outdated_plan_stores_nothing<A: Adapter>(adapter: &A) {
    let ports = planned(adapter, 1..=3).await;
    let before = (stored_task(&ports).await, stored_round(&ports, 2).await);
    let other = Version(before.1.1.0 + 1);
    let outdated = [
        PlanMove { execution: other, ..plan(&ports, 2, HOUR).await },
        PlanMove {
            task: Target { id: task_id(1), expected: Some(other) },
            ..plan(&ports, 2, HOUR).await
        },
        PlanMove {
            task: Target { id: task_id(77), expected: Some(before.0.1) },
            ..plan(&ports, 2, HOUR).await
        },
    ];
    for plan in outdated {
        assert!(!ports.series.split(renamed(2, plan), by()).await.expect("an answer"));
    }
    assert_eq!((stored_task(&ports).await, stored_round(&ports, 2).await), before);
    assert_eq!(occurrences(&ports).await, [1, 2, 3].map(|number| (hour(number), true)));
}

/// A dry run.
pub async fn a_split_that_changes_nothing_leaves_the_plan<A: Adapter>(adapter: &A) {
    let ports = planned(adapter, 1..=3).await;
    let before = (stored_task(&ports).await, occurrences(&ports).await);
    let nothing = |_: &TaskExecution, _: &[TaskExecution], _: &Existing| Ok(Vec::new());
    let split = Split { change: Box::new(nothing), ..renamed(2, plan(&ports, 2, HOUR).await) };
    assert!(ports.series.split(split, by()).await.expect("a split"));
    assert_eq!((stored_task(&ports).await, occurrences(&ports).await), before);
}

/// Executions that have yet to be compared with the changed plan would no longer follow it.
pub async fn a_split_waits_until_executions_are_compared<A: Adapter>(adapter: &A) {
    let ports = planned(adapter, 1..=3).await;
    let urgent = ScheduledTask { priority: Priority::Critical, ..scheduled() };
    ports.scheduled_tasks.update(becoming(urgent), by()).await.expect("an update");
    let split = async || {
        let split = renamed(2, plan(&ports, 2, HOUR).await);
        ports.series.split(split, by()).await.expect("an answer")
    };
    assert!(!split().await);
    assert!(store(&ports, RoundBatch { after: DONE, ..batch(&ports).await }).await);
    assert!(split().await);
}
