//! The occurrences of schedules in [`DataSets`](patrol_domain::data_set::DataSets).

use std::collections::BTreeSet;

use patrol_domain::{
    Target,
    data_set::{ImportError, NewExecution, NewTask, Record},
    schedule::LocalDateTime,
    scheduled_task::{RoundBatch, RoundProgress, ScheduledTask},
    task_execution::TaskExecution,
};

use crate::{
    Adapter, Ports,
    round::{batch, due_task, following, hour, is_stored, round, scheduled, store},
    sample::{
        by, execution_id, exported, import, task_id, time, whole_execution, whole_task, world,
    },
};

/// An execution with all members that was made from the occurrence of this task in this hour.
pub(crate) fn made(number: u128, task: u128, at: u128) -> Record {
    let scheduled_task_id = Some(task_id(task));
    let execution = TaskExecution { scheduled_task_id, edited: true, ..whole_execution(number) };
    NewExecution { execution, occurrence_at: Some(hour(at)) }.into()
}

/// A task with all members that leaves out the occurrences in these hours.
pub(crate) fn leaving_out(number: u128, hours: impl IntoIterator<Item = u128>) -> Record {
    NewTask { task: whole_task(number), left_out: hours.into_iter().map(hour).collect() }.into()
}

/// The execution with this number that was made from the occurrence of task 1 in this hour.
fn made_of_1(number: u128, at: u128) -> Record {
    let execution = TaskExecution { id: execution_id(number), ..round(at).1 };
    NewExecution { execution, occurrence_at: Some(hour(at)) }.into()
}

/// Task 1 has an active schedule, an execution in hour 1 and another one in hour 4, and leaves out hour 2.
async fn prepared<A: Adapter>(adapter: &A) -> Ports {
    let ports = adapter.fresh().await;
    let task_1 = task_id(1).into();
    let mut records: Vec<_> =
        world().into_iter().filter(|record| record.reference() != task_1).collect();
    records.push(NewTask { task: scheduled(), left_out: BTreeSet::from([hour(2)]) }.into());
    records.extend([made_of_1(1, 1), made_of_1(4, 4)]);
    import(&ports, records).await.expect("an import");
    ports
}

/// The occurrences that task 1 leaves out, in an export.
async fn left_out(ports: &Ports) -> Vec<LocalDateTime> {
    let found = exported(ports).await.into_iter().find_map(|record| match record {
        Record::ScheduledTask(new) if new.task.id == task_id(1) => Some(new.left_out),
        _ => None,
    });
    found.expect("task 1").into_iter().collect()
}

/// The starts of the executions that follow the plan of task 1, each with the id of the execution.
async fn followers(ports: &Ports) -> Vec<(LocalDateTime, TaskExecution)> {
    let found = following(ports, 0, 0).await.into_iter();
    found.map(|round| (round.start, round.execution.record)).collect()
}

/// The executions of imported occurrences are not made again, and neither are those that were left out.
/// An imported execution stays as it is until the plan of its task changes.
pub async fn imported_occurrences_count_as_made<A: Adapter>(adapter: &A) {
    let ports = prepared(adapter).await;
    let minutes = scheduled().schedule.expect("a schedule").duration_minutes;
    let due_at = Some(time(1 - i64::from(minutes) * 60_000));
    assert_eq!(due_task(&ports).await.made, RoundProgress { compare_from: None, due_at });

    let again = [(1, 11), (2, 12), (3, 13)]
        .map(|(at, number)| (hour(at), TaskExecution { id: execution_id(number), ..round(at).1 }));
    assert!(store(&ports, RoundBatch { created: again.into(), ..batch(&ports).await }).await);
    for (number, expected) in [(1, true), (4, true), (11, false), (12, false), (13, true)] {
        assert_eq!(is_stored(&ports, number).await, expected, "{number}");
    }
    let third = TaskExecution { id: execution_id(13), ..round(3).1 };
    let expected = [(hour(1), round(1).1), (hour(3), third), (hour(4), round(4).1)];
    assert_eq!(followers(&ports).await, expected);

    // A deletion leaves the occurrence out.
    assert_eq!(left_out(&ports).await, [hour(2)]);
    ports
        .task_executions
        .delete(Target::any_version(execution_id(13)), by())
        .await
        .expect("a deletion");
    assert_eq!(left_out(&ports).await, [hour(2), hour(3)]);
}

/// An execution with the id of a deleted one belongs to its own occurrence alone.
pub async fn a_reused_id_has_no_occurrence_of_the_deleted_execution<A: Adapter>(adapter: &A) {
    let ports = prepared(adapter).await;
    ports
        .task_executions
        .delete(Target::any_version(execution_id(4)), by())
        .await
        .expect("a deletion");
    import(&ports, vec![made_of_1(4, 7)]).await.expect("an import");
    let found: Vec<_> =
        followers(&ports).await.into_iter().map(|(start, made)| (start, made.id)).collect();
    assert_eq!(found, [(1, 1), (7, 4)].map(|(at, id)| (hour(at), execution_id(id))));
    assert_eq!(left_out(&ports).await, [hour(2), hour(4)]);
}

/// What is left out of a task without a schedule, or again after the task was deleted, is no fault. An
/// occurrence whose execution was deleted may get another one.
pub async fn an_occurrence_without_an_execution_is_free<A: Adapter>(adapter: &A) {
    let ports = prepared(adapter).await;
    let refused = import(&ports, vec![made_of_1(21, 1)]).await;
    assert!(matches!(refused, Err(ImportError::Refused { .. })), "{refused:?}");
    ports
        .task_executions
        .delete(Target::any_version(execution_id(1)), by())
        .await
        .expect("a deletion");
    import(&ports, vec![made_of_1(21, 1), made_of_1(22, 2)]).await.expect("an import");
    // The same id again.
    ports
        .task_executions
        .delete(Target::any_version(execution_id(4)), by())
        .await
        .expect("a deletion");
    import(&ports, vec![made_of_1(4, 4)]).await.expect("an import");
    let found: Vec<_> =
        followers(&ports).await.into_iter().map(|(start, made)| (start, made.id)).collect();
    assert_eq!(found, [(1, 21), (2, 22), (4, 4)].map(|(at, id)| (hour(at), execution_id(id))));
    assert_eq!(left_out(&ports).await, []);

    ports
        .task_executions
        .delete(Target::any_version(execution_id(22)), by())
        .await
        .expect("a deletion");
    ports.scheduled_tasks.delete(Target::any_version(task_id(1)), by()).await.expect("a deletion");
    let task = ScheduledTask { schedule: None, ..scheduled() };
    let again = NewTask { task, left_out: (2..=5).map(hour).collect() };
    import(&ports, vec![again.into()]).await.expect("an import");
    assert_eq!(left_out(&ports).await, (2..=5).map(hour).collect::<Vec<_>>());
}
