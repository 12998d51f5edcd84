//! Executions. The domain's tests cover the effect of changes.

use std::sync::Arc;

use patrol_application::{Context, CopyDraft, Failure, TaskExecutionService, rules};
use patrol_domain::{
    EditError, Limits, Path, Refusal, Resource, Rule, StoreError, Target, Timestamp, Version,
    Versioned,
    ids::{ScheduledTaskId, TaskExecutionId, Uuid},
    shared::ports::MockIds,
    task_execution::{ContentDraft, Copies, MockTaskExecutions, TaskExecution},
};

use crate::{ACTOR, clock};

fn id(number: u128) -> TaskExecutionId {
    TaskExecutionId(Uuid::from_u128(number))
}

fn service(executions: MockTaskExecutions) -> TaskExecutionService {
    let mut ids = MockIds::new();
    ids.expect_next().returning(|| Uuid::from_u128(777));
    TaskExecutionService::new(
        Arc::new(executions),
        Context::new(clock(), Arc::new(ids), rules(Limits::default())),
    )
}

fn execution(id: TaskExecutionId) -> TaskExecution {
    let time = Timestamp::from_millis(0).unwrap();
    let (task, location) = (ScheduledTaskId(Uuid::from_u128(50)), Uuid::from_u128(51).into());
    let execution = TaskExecution::new(id, task, location, "Round", [time, time]);
    TaskExecution { published: true, ..execution }
}

/// A store that gives the original its id as name before copying.
fn copying() -> MockTaskExecutions {
    let mut executions = MockTaskExecutions::new();
    executions.expect_copy().returning(|Copies { ids, returned, make, .. }, _| {
        assert_eq!(ids, [id(1), id(2), id(3)]);
        Ok(Ok(make(&TaskExecution { name: returned.to_string(), ..execution(returned) })))
    });
    executions
}

#[tokio::test]
async fn the_answer_is_the_copy_of_the_path_if_it_is_in_the_body_else_of_the_first_id() {
    for (path, body, returned) in [(2, vec![1, 2, 3], 2), (9, vec![1, 2, 3], 1)] {
        let draft =
            CopyDraft { task_ids: Some(body.into_iter().map(id).collect()), published: true };
        let copy = service(copying()).copy(ACTOR, id(path), draft).await.unwrap();
        assert_eq!(copy.name, id(returned).to_string());
        assert!(copy.published && copy.id != id(returned));
    }
}

#[tokio::test]
async fn a_missing_execution_is_not_found_and_an_outage_is_reported() {
    let mut executions = MockTaskExecutions::new();
    executions.expect_get().times(1).returning(|_| Ok(None));
    let down = || StoreError::Unavailable("down".into());
    executions.expect_get().times(1).returning(move |_| Err(down()));
    let service = service(executions);
    assert_eq!(service.get(ACTOR, id(1)).await, Err(Failure::NotFound));
    assert_eq!(service.get(ACTOR, id(1)).await, Err(Failure::Store(down())));
}

#[tokio::test]
async fn the_store_gets_the_expected_version_and_the_references() {
    let mut executions = MockTaskExecutions::new();
    executions.expect_update().times(1).returning(|edit, _| {
        assert_eq!(edit.at.expected, Some(Version(3)));
        assert_eq!(edit.references.records[&Resource::User].len(), 1);
        Err(EditError::Stale)
    });
    let user = Uuid::from_u128(9).into();
    let draft = ContentDraft { assignee_ids: Some(vec![user, user]), ..ContentDraft::default() };
    let at = Target { id: id(1), expected: Some(Version(3)) };
    let replaced = service(executions).replace(ACTOR, at, draft).await;
    assert_eq!(replaced, Err(Failure::Stale));
}

#[tokio::test]
async fn a_copy_takes_1_to_1000_different_ids() {
    let at = |path: &Path<'_>, rule| Failure::fault(path, rule);
    let path = Path::Root.field("taskIds");
    let length = || Rule::Length { min: 1, max: 1000 };
    let cases = [
        (None, at(&path, Rule::NotNull)),
        (Some(vec![]), at(&path, length())),
        (Some((0..1001).map(id).collect()), at(&path, length())),
        (Some(vec![id(1), id(2), id(1)]), at(&path.index(2), Rule::Unique)),
    ];
    for (task_ids, wanted) in cases {
        // An unknown execution in the path is reported before the rules of the body.
        let mut executions = MockTaskExecutions::new();
        executions.expect_get().returning(|_| Ok(None));
        let draft = CopyDraft { task_ids: task_ids.clone(), published: false };
        assert_eq!(service(executions).copy(ACTOR, id(1), draft).await, Err(Failure::NotFound));

        let mut executions = MockTaskExecutions::new();
        executions
            .expect_get()
            .returning(|id| Ok(Some(Versioned { record: execution(id), version: Version(1) })));
        let draft = CopyDraft { task_ids, published: false };
        assert_eq!(service(executions).copy(ACTOR, id(1), draft).await, Err(wanted));
    }
}

#[tokio::test]
async fn nothing_is_copied_when_one_execution_is_unknown() {
    let mut executions = MockTaskExecutions::new();
    executions.expect_copy().times(1).returning(|Copies { must_exist, ids, returned, .. }, _| {
        assert_eq!((must_exist, ids, returned), (id(1), vec![id(2), id(1)], id(1)));
        Ok(Err(vec![0]))
    });
    let draft = CopyDraft { task_ids: Some(vec![id(2), id(1)]), published: true };
    let unknown = Failure::Unknown(vec!["taskIds[0]".to_owned()]);
    assert_eq!(service(executions).copy(ACTOR, id(1), draft).await, Err(unknown));
}

#[tokio::test]
async fn a_copy_to_another_start_keeps_the_duration() {
    let at = |millis| Timestamp::from_millis(millis).unwrap();
    let stored = move |id| TaskExecution { end_at: at(5_000), ..execution(id) };
    let executions = || {
        let mut executions = MockTaskExecutions::new();
        let versioned = move |id| Versioned { record: stored(id), version: Version(1) };
        executions.expect_get().returning(move |id| Ok(Some(versioned(id))));
        executions.expect_copy().returning(move |Copies { ids, make, .. }, _| {
            assert_eq!(ids, [id(1)]);
            Ok(Ok(make(&stored(id(1)))))
        });
        service(executions)
    };
    let copy = executions().copy_to(ACTOR, id(1), Some(at(60_000))).await.unwrap();
    assert_eq!((copy.start_at, copy.end_at), (at(60_000), at(65_000)));
    assert!(copy.published && copy.id != id(1));
    let last = Timestamp::parse("9999-12-31T23:59:59Z").unwrap();
    for (start, rule) in [(None, Rule::NotNull), (Some(last), Rule::Period)] {
        let fault = Failure::fault(&Path::Root.field("startAt"), rule);
        assert_eq!(executions().copy_to(ACTOR, id(1), start).await, Err(fault));
    }
}

#[tokio::test]
async fn a_refusal_of_the_domain_reaches_the_caller() {
    let mut executions = MockTaskExecutions::new();
    executions
        .expect_update()
        .returning(|_, _| Err(EditError::Refused(Refusal::State("state".to_owned()))));
    let at = Target::any_version(id(1));
    let patched = service(executions).patch(ACTOR, at, Default::default()).await;
    assert_eq!(patched, Err(Failure::Refused(Refusal::State("state".to_owned()))));
}
