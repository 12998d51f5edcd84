//! Series updates, "this and following".

use patrol_domain::{
    Patch, Refusal, Rule, Timestamp,
    ids::{SeriesId, TaskExecutionId},
    series::{NewSeries, SeriesDraft},
    task_execution::{ActionDraft, Progress, StepDraft, TaskExecution},
};

use crate::sample::{
    Counting, at, completed, draft_of, execution, faults, id, nothing_exists, rules,
};

const SERIES: u128 = 500;
const CREATED: u128 = 501;

/// A PENDING execution of the series that starts at `minute`. Its steps and actions have ids of their
/// own, and the series ids 51, 52 (steps) and 61, 62, 63 (actions).
fn member(number: u128, minute: i64) -> TaskExecution {
    let mut member = TaskExecution {
        id: TaskExecutionId(id(number)),
        series_id: Some(SeriesId(id(SERIES))),
        progress: Progress::Pending,
        start_at: at(minute),
        end_at: at(minute + 60),
        ..execution()
    };
    let mut action_series = 61..;
    for (step, series) in member.steps.iter_mut().zip(51..) {
        step.id.0 = id(number * 1000 + step.id.0.as_u128());
        step.series_id = Some(SeriesId(id(series)));
        for action in &mut step.actions {
            action.id.0 = id(number * 1000 + action.id.0.as_u128());
            action.series_id = action_series.next().map(|series| SeriesId(id(series)));
            action.outcome = None;
        }
    }
    member
}

fn draft(from: &TaskExecution) -> SeriesDraft {
    SeriesDraft { series_id: from.series_id, content: draft_of(from, true) }
}

fn split(
    from: &TaskExecution,
    following: &[TaskExecution],
    draft: &SeriesDraft,
) -> Result<Vec<TaskExecution>, Refusal> {
    let ids = Counting::default();
    let created = NewSeries { id: SeriesId(id(CREATED)), fault: None };
    draft.split(from, following, created, &nothing_exists(), &rules(), &ids)
}

#[test]
fn all_executions_get_the_new_series_and_keep_their_other_members() {
    let (from, mut next) = (member(1, 0), member(2, 1440));
    next.published = false;
    next.performer_id = None;
    let mut body = draft(&from);
    body.content.name = Some("New name".into());
    let after = split(&from, std::slice::from_ref(&next), &body).unwrap();
    let series_id = Some(SeriesId(id(CREATED)));
    let changed = |before: &TaskExecution| TaskExecution {
        series_id,
        name: "New name".into(),
        edited: true,
        ..before.clone()
    };
    assert_eq!(after, [changed(&from), changed(&next)]);
}

#[test]
fn later_executions_are_shifted_by_the_same_difference_and_get_the_same_duration() {
    let (from, next) = (member(1, 0), member(2, 1440));
    let mut body = draft(&from);
    (body.content.start_at, body.content.end_at) = (Some(at(30)), Some(at(45)));
    let after = split(&from, &[next], &body).unwrap();
    assert_eq!((after[0].start_at, after[0].end_at), (at(30), at(45)));
    assert_eq!((after[1].start_at, after[1].end_at), (at(1470), at(1485)));
}

#[test]
fn new_steps_have_the_same_series_id_but_different_ids() {
    let (from, mut next) = (member(1, 0), member(2, 1440));
    // The second execution no longer has the step that the body keeps.
    next.steps.remove(1);
    let mut body = draft(&from);
    let action =
        ActionDraft { name: Some("a".into()), kind: Some("TEXT".into()), ..ActionDraft::default() };
    body.content.steps.as_mut().unwrap().push(StepDraft {
        name: Some("New".into()),
        actions: vec![action],
        ..StepDraft::default()
    });
    let after = split(&from, &[next], &body).unwrap();
    let series = |execution: &TaskExecution| {
        let steps = execution.steps.iter();
        steps
            .flat_map(|step| {
                std::iter::once(step.series_id)
                    .chain(step.actions.iter().map(|action| action.series_id))
            })
            .collect::<Option<Vec<_>>>()
            .expect("every step and action has a series id")
    };
    assert_eq!(series(&after[0]), series(&after[1]));
    assert_eq!(after[0].steps[1].series_id, Some(SeriesId(id(52))));
    assert_ne!(after[0].steps[2].id, after[1].steps[2].id);
    assert_ne!(after[0].steps[1].id, after[1].steps[1].id);
    assert_eq!(after[0].steps[1].id, from.steps[1].id);
}

#[test]
fn the_first_execution_has_to_be_pending_and_in_the_series() {
    for progress in [Progress::InProgress { started_at: at(1) }, completed().progress] {
        let from = TaskExecution { progress, ..member(1, 0) };
        assert_eq!(
            split(&from, &[], &SeriesDraft::default()),
            Err(Refusal::State("state".to_owned()))
        );
    }
    let from = member(1, 0);
    let other = SeriesDraft { series_id: Some(SeriesId(id(9))), ..draft(&from) };
    assert_eq!(faults(split(&from, &[], &other)), [("seriesId".to_owned(), Rule::Reference)]);
    let without_series = TaskExecution { series_id: None, ..from.clone() };
    assert_eq!(
        faults(split(&without_series, &[], &draft(&from))),
        [("seriesId".to_owned(), Rule::Reference)]
    );
}

#[test]
fn all_faults_are_reported_the_series_first() {
    let from = member(1, 0);
    let mut body = SeriesDraft::default();
    let required = ["seriesId", "locationId", "name", "startAt", "endAt", "steps"];
    assert_eq!(
        faults(split(&from, &[], &body)),
        required.map(|name| (name.to_owned(), Rule::NotNull))
    );
    body = draft(&from);
    let steps = body.content.steps.as_mut().unwrap();
    // An id is not a series id, and a series id may occur once.
    steps[0].key = Some(from.steps[0].id.into());
    steps[1].actions[0].key = steps[0].actions[0].key;
    assert_eq!(
        faults(split(&from, &[], &body)),
        ["steps[0].seriesId", "steps[1].actions[0].seriesId"]
            .map(|name| (name.to_owned(), Rule::Reference))
    );
}

#[test]
fn no_execution_is_shifted_beyond_the_year_9999() {
    let last = Timestamp::parse("9999-12-31T23:59:59.999Z").unwrap();
    let from = member(1, 0);
    let mut next = member(2, 1440);
    (next.start_at, next.end_at) = (last, last);
    let mut body = draft(&from);
    body.content.end_at = Some(at(90));
    assert_eq!(faults(split(&from, &[next], &body)), [("endAt".to_owned(), Rule::Period)]);
}

#[test]
fn absent_bounds_are_kept_in_each_execution() {
    let (from, next) = (member(1, 0), member(2, 1440));
    let mut body = draft(&from);
    body.content.steps.as_mut().unwrap()[0].actions[1].min_value = Patch::Absent;
    let after = split(&from, &[next], &body).unwrap();
    let kept: Vec<_> = after.iter().map(|one| one.steps[0].actions[1].min_value).collect();
    assert_eq!(kept, [Some(10.0), Some(10.0)]);
}

#[test]
fn null_bounds_are_removed_in_each_execution() {
    let (from, next) = (member(1, 0), member(2, 1440));
    let mut body = draft(&from);
    let reading = &mut body.content.steps.as_mut().unwrap()[0].actions[1];
    (reading.min_value, reading.max_value) = (Patch::Null, Patch::Value(30.0));
    let after = split(&from, &[next], &body).unwrap();
    for execution in after {
        let reading = &execution.steps[0].actions[1];
        assert_eq!((reading.min_value, reading.max_value), (None, Some(30.0)));
    }
}
