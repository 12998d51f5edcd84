//! [`Series`](patrol_domain::series::Series).

use std::sync::{Arc, Mutex};

use patrol_domain::{
    EditError, Existing, Reference, References, Refusal, Target, Version,
    ids::TaskExecutionId,
    series::Split,
    task_execution::{Progress, TaskExecution},
};

use crate::{
    Adapter, Ports,
    sample::{by, execution, execution_id, fill, location_id, point_id, series_id, time, user_id},
};

fn of_series(number: u128, series: u128, start: i64) -> TaskExecution {
    TaskExecution {
        series_id: Some(series_id(series)),
        start_at: time(start),
        end_at: time(start + 10),
        ..execution(number)
    }
}

fn any_version(number: u128) -> Target<TaskExecution> {
    Target::any_version(execution_id(number))
}

fn split_from(
    from: Target<TaskExecution>,
    change: impl Fn(&TaskExecution, &[TaskExecution], &Existing) -> Result<Vec<TaskExecution>, Refusal>
    + Send
    + Sync
    + 'static,
    references: References,
) -> Split {
    Split { from, references, change: Box::new(change), plan: None }
}

/// The input of a split: the first execution to change, and the ids of the others.
type Given = Option<(TaskExecution, Vec<TaskExecutionId>)>;

/// Splits from the execution `number` without changing anything, and returns the input of the
/// split.
async fn given(ports: &Ports, number: u128) -> Given {
    let given = Arc::new(Mutex::new(None));
    let noted = Arc::clone(&given);
    let split = move |from: &TaskExecution, others: &[TaskExecution], _: &Existing| {
        let others = others.iter().map(|other| other.id).collect();
        *noted.lock().expect("a note") = Some((from.clone(), others));
        Ok(Vec::new())
    };
    let references = References::default();
    ports
        .series
        .split(split_from(any_version(number), split, references), by())
        .await
        .expect("a split");
    let mut given = given.lock().expect("a note");
    given.take()
}

async fn state(ports: &Ports, number: u128) -> (TaskExecution, Version) {
    let found = ports.task_executions.get(execution_id(number)).await.expect("a read");
    let found = found.expect("the execution");
    (found.record, found.version)
}

/// The others are the PENDING executions of the series that start at the same time or later, by id.
pub async fn a_split_is_given_what_follows_by_id<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let with = |progress, execution| TaskExecution { progress, ..execution };
    let running = Progress::InProgress { started_at: time(60) };
    let over = Progress::Completed { started_at: time(60), ended_at: time(61) };
    let from = of_series(5, 1, 50);
    let executions = [
        of_series(9, 1, 50),
        of_series(1, 1, 49),
        of_series(3, 1, 70),
        from.clone(),
        of_series(2, 1, 60),
        of_series(4, 2, 60),
        with(running, of_series(6, 1, 60)),
        with(over, of_series(7, 1, 60)),
        TaskExecution { start_at: time(60), ..execution(8) },
    ];
    fill(&ports, &executions).await;
    let others = [2, 3, 9].map(execution_id).to_vec();
    assert_eq!(given(&ports, 5).await, Some((from, others)));
}

/// Without a series there are no others; the change decides whether `from` is valid.
pub async fn a_split_without_a_series_is_given_no_others<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let over = Progress::Completed { started_at: time(60), ended_at: time(61) };
    let over = TaskExecution { progress: over, ..of_series(3, 1, 50) };
    fill(&ports, &[execution(1), execution(2), over.clone(), of_series(4, 1, 70)]).await;
    assert_eq!(given(&ports, 1).await, Some((execution(1), Vec::new())));
    assert_eq!(given(&ports, 3).await, Some((over, vec![execution_id(4)])));
}

/// The results of the split are stored, each under its next version; other executions stay.
pub async fn a_split_is_stored_under_the_next_versions<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let executions = [of_series(1, 1, 1), of_series(2, 1, 2), of_series(3, 1, 3)];
    fill(&ports, &executions).await;
    let Version(old) = state(&ports, 1).await.1;
    let moved = |old: &TaskExecution| TaskExecution {
        series_id: Some(series_id(2)),
        name: "Новое".to_owned(),
        tags: vec!["new".to_owned()],
        ..old.clone()
    };
    let split = move |from: &TaskExecution, others: &[TaskExecution], _: &Existing| {
        Ok(others.iter().skip(1).chain([from]).map(moved).collect())
    };
    let references = References::default();
    assert!(ports.series.split(split_from(any_version(1), split, references), by()).await.unwrap());
    let [first, second, third] = executions;
    assert_eq!(state(&ports, 1).await, (moved(&first), Version(old + 1)));
    assert_eq!(state(&ports, 2).await, (second, Version(old)));
    assert_eq!(state(&ports, 3).await, (moved(&third), Version(old + 1)));
}

/// The split gets the lookup of the named records.
pub async fn a_split_is_told_what_exists<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    fill(&ports, &[of_series(1, 1, 1)]).await;
    let references = References::default()
        .with([user_id(99), user_id(1)])
        .with([location_id(2), location_id(99)])
        .with([point_id(99), point_id(4)]);
    let known = Existing::from_iter([
        user_id(1).into(),
        location_id(2).into(),
        Reference::from(point_id(4)),
    ]);
    let split = move |from: &TaskExecution, _: &[TaskExecution], existing: &Existing| {
        Ok(vec![TaskExecution { published: *existing == known, ..from.clone() }])
    };
    assert!(ports.series.split(split_from(any_version(1), split, references), by()).await.unwrap());
    assert!(state(&ports, 1).await.0.published);
}

/// `Missing` when the execution does not exist.
pub async fn a_split_of_what_is_not_there_is_missing<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    fill(&ports, &[of_series(1, 1, 1)]).await;
    let split = |_: &TaskExecution, _: &[TaskExecution], _: &Existing| Ok(Vec::new());
    let references = References::default();
    let result = ports.series.split(split_from(any_version(2), split, references), by()).await;
    assert_eq!(result, Err(EditError::Missing));
}

/// `Refused` with the refusal of the split; nothing is stored.
pub async fn a_refused_split_changes_nothing<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let executions = [of_series(1, 1, 1), of_series(2, 1, 2)];
    fill(&ports, &executions).await;
    let (_, version) = state(&ports, 1).await;
    let split = |_: &TaskExecution, _: &[TaskExecution], _: &Existing| {
        Err(Refusal::State("state".to_owned()))
    };
    let references = References::default();
    let result = ports.series.split(split_from(any_version(1), split, references), by()).await;
    assert_eq!(result, Err(EditError::Refused(Refusal::State("state".to_owned()))));
    for (number, execution) in (1..).zip(executions) {
        assert_eq!(state(&ports, number).await, (execution, version));
    }
}

/// `Stale` when another version is expected, even if the split would refuse; nothing is stored.
pub async fn a_split_of_another_version_is_stale<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    fill(&ports, &[of_series(1, 1, 1), of_series(2, 1, 2)]).await;
    let (before, Version(version)) = state(&ports, 1).await;
    let rename = |from: &TaskExecution, _: &[TaskExecution], _: &Existing| {
        Ok(vec![TaskExecution { name: "New".to_owned(), ..from.clone() }])
    };
    let refuse = |_: &TaskExecution, _: &[TaskExecution], _: &Existing| {
        Err(Refusal::State("state".to_owned()))
    };
    let references = References::default;
    let at =
        |number, version| Target { id: execution_id(number), expected: Some(Version(version)) };
    let stale =
        ports.series.split(split_from(at(1, version + 1), rename, references()), by()).await;
    assert_eq!(stale, Err(EditError::Stale));
    let stale =
        ports.series.split(split_from(at(1, version + 1), refuse, references()), by()).await;
    assert_eq!(stale, Err(EditError::Stale));
    assert_eq!(state(&ports, 1).await, (before, Version(version)));
    let unknown =
        ports.series.split(split_from(at(9, version + 1), rename, references()), by()).await;
    assert_eq!(unknown, Err(EditError::Missing));
    ports
        .series
        .split(split_from(at(1, version), rename, references()), by())
        .await
        .expect("a split");
    assert_eq!(state(&ports, 1).await.0.name, "New");
}
