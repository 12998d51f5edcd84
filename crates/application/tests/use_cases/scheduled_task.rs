//! Scheduled tasks. The domain's tests cover the rules of a draft.

use std::sync::Arc;

use patrol_application::{ChangedPlan, Failure, ScheduledTaskService, rules};
use patrol_domain::{
    At, EditError, Existing, Limits, References, Version, Versioned,
    ids::{LocationId, ScheduledTaskId, Uuid},
    scheduled_task::{MockScheduledTasks, ScheduledTask, ScheduledTaskDraft},
    shared::ports::MockIds,
    task_execution::ContentDraft,
};

use crate::{ACTOR, clock};

const NEW: ScheduledTaskId = ScheduledTaskId(Uuid::from_u128(777));
const OLD: ScheduledTaskId = ScheduledTaskId(Uuid::from_u128(1));
const LOCATION: LocationId = LocationId(Uuid::from_u128(50));

fn service(tasks: MockScheduledTasks) -> ScheduledTaskService {
    let mut ids = MockIds::new();
    ids.expect_next().returning(|| NEW.0);
    let rules = rules(Limits::default());
    ScheduledTaskService::new(Arc::new(tasks), clock(), Arc::new(ids), rules)
}

fn draft(id: Option<ScheduledTaskId>) -> ScheduledTaskDraft {
    let content = ContentDraft {
        name: Some("Round".to_owned()),
        location_id: Some(LOCATION),
        ..ContentDraft::default()
    };
    ScheduledTaskDraft { id, content, ..ScheduledTaskDraft::default() }
}

fn task(id: ScheduledTaskId) -> ScheduledTask {
    ScheduledTask { location_id: Some(LOCATION), ..ScheduledTask::new(id, "Round") }
}

#[tokio::test]
async fn a_new_task_gets_an_id_unless_it_has_one() {
    for (own, id) in [(None, NEW), (Some(OLD), OLD)] {
        let mut tasks = MockScheduledTasks::new();
        tasks.expect_create().times(1).returning(move |new, _| {
            assert_eq!(new.references, References::default().with([LOCATION]).with(own));
            (new.make)(&Existing::from_iter([LOCATION])).map_err(EditError::from)
        });
        assert_eq!(service(tasks).create(ACTOR, draft(own)).await, Ok(task(id)));
    }
}

#[tokio::test]
async fn a_dry_run_runs_the_checks_and_stores_nothing() {
    let mut tasks = MockScheduledTasks::new();
    tasks.expect_update().times(1).returning(|edit, by| {
        assert_eq!(by.keyed, None);
        let before = ScheduledTask { enabled: false, ..task(OLD) };
        assert_eq!((edit.change)(&before, &Existing::default()), Ok(None));
        Ok(Versioned { record: before, version: Version(3) })
    });
    let at = At { id: OLD, expected: Some(Version(3)) };
    let plan = service(tasks).dry_run(ACTOR, at, draft(None)).await;
    let task = Versioned { record: task(OLD), version: Version(3) };
    assert_eq!(plan, Ok(ChangedPlan { task, is_changed: true }));
}

#[tokio::test]
async fn a_put_keeps_the_id_and_changes_nothing_when_nothing_differs() {
    let mut tasks = MockScheduledTasks::new();
    tasks.expect_update().times(1).returning(|edit, _| {
        assert_eq!((edit.at.id, edit.at.expected), (OLD, Some(Version(3))));
        let before = ScheduledTask { enabled: false, ..task(OLD) };
        let nothing = Existing::default();
        assert_eq!((edit.change)(&before, &nothing), Ok(Some(task(OLD))));
        assert_eq!((edit.change)(&task(OLD), &nothing), Ok(None));
        Ok(Versioned { record: task(OLD), version: Version(4) })
    });
    let at = At { id: OLD, expected: Some(Version(3)) };
    let replaced = service(tasks).replace(ACTOR, at, draft(Some(NEW))).await.unwrap();
    assert_eq!((replaced.record.id, replaced.version), (OLD, Version(4)));
}

#[tokio::test]
async fn a_missing_task_is_not_found() {
    let mut tasks = MockScheduledTasks::new();
    tasks.expect_get().returning(|_| Ok(None));
    tasks.expect_delete().returning(|_, _| Err(EditError::Missing));
    let service = service(tasks);
    assert_eq!(service.get(ACTOR, OLD).await, Err(Failure::NotFound));
    assert_eq!(service.delete(ACTOR, At::any_version(OLD)).await, Err(Failure::NotFound));
}
