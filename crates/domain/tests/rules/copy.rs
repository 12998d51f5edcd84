//! Copies of an execution.

use patrol_domain::{
    ids::{SeriesId, TaskExecutionId},
    task_execution::{CopyOptions, Progress, State, TaskExecution},
};

use crate::sample::{Counting, completed, id};

#[test]
fn a_copy_is_pending_with_new_ids_and_without_results() {
    let mut original = completed();
    original.edited = true;
    original.series_id = Some(SeriesId(id(7)));
    original.steps[0].series_id = Some(SeriesId(id(8)));
    original.steps[0].actions[0].series_id = Some(SeriesId(id(9)));
    let ids = Counting::default();
    let copy = original.copy(CopyOptions { published: false, ids: &ids });

    let mut wanted = TaskExecution {
        id: TaskExecutionId(copy.id.0),
        progress: Progress::Pending,
        performer_id: None,
        series_id: None,
        edited: false,
        published: false,
        ..original.clone()
    };
    for (step, copied) in wanted.steps.iter_mut().zip(&copy.steps) {
        (step.id, step.series_id, step.actual_order) = (copied.id, None, None);
        step.state = State::Pending;
        for (action, copied) in step.actions.iter_mut().zip(&copied.actions) {
            (action.id, action.series_id, action.outcome) = (copied.id, None, None);
        }
    }
    assert_eq!(copy, wanted);
    assert_eq!(copy.status(), None);

    let parts = |execution: &TaskExecution| {
        let mut ids = vec![execution.id.0];
        for step in &execution.steps {
            ids.push(step.id.0);
            ids.extend(step.actions.iter().map(|action| action.id.0));
        }
        ids
    };
    let mut all = [parts(&original), parts(&copy)].concat();
    let before = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), before);

    assert!(original.copy(CopyOptions { published: true, ids: &ids }).published);
}
