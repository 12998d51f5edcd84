//! A sample execution for the tests.

use std::sync::atomic::{AtomicU64, Ordering};

use patrol_domain::{
    Existing, Ids, Limits, Patch, Rules, Timestamp,
    ids::{
        ActionId, LocationId, PointId, ScheduledTaskId, SeriesId, StepId, TaskExecutionId, UserId,
        Uuid,
    },
    task_execution::{
        Action, ActionDraft, ActionType, ContentDraft, Outcome, Priority, Progress, State, Step,
        StepDraft, TaskExecution,
    },
};

pub(crate) fn id(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

/// `minute` minutes after a fixed time in 2026.
pub(crate) fn at(minute: i64) -> Timestamp {
    Timestamp::from_millis(1_780_000_000_000 + minute * 60_000).unwrap()
}

pub(crate) fn rules() -> Rules {
    Rules { limits: Limits::default(), is_email: |text| text.contains('@') }
}

/// Generates consecutive ids that the sample does not use.
pub(crate) struct Counting(AtomicU64);

impl Default for Counting {
    fn default() -> Self {
        Self(AtomicU64::new(1_000_000))
    }
}

impl Ids for Counting {
    fn next(&self) -> Uuid {
        Uuid::from_u128(self.0.fetch_add(1, Ordering::Relaxed).into())
    }
}

pub(crate) fn action(number: u128, kind: ActionType) -> Action {
    Action {
        id: ActionId(id(number)),
        series_id: None,
        name: format!("Action {number}"),
        kind,
        order: 0,
        required: true,
        min_value: None,
        max_value: None,
        outcome: None,
    }
}

pub(crate) fn step(number: u128, actions: Vec<Action>) -> Step {
    Step {
        id: StepId(id(number)),
        series_id: None,
        point_id: Some(PointId(id(900 + number))),
        name: format!("Step {number}"),
        order: 0,
        actual_order: Some(3),
        started_at: None,
        ended_at: None,
        state: State::Completed,
        actions,
    }
}

/// An execution IN_PROGRESS with two steps (ids 1 and 2) and three actions (ids 11, 12 and 21). Action
/// 11 has a result, the result of action 12 is outside its bounds, action 21 has no result.
pub(crate) fn execution() -> TaskExecution {
    let mut yes = action(11, ActionType::Boolean);
    yes.outcome = Some(Outcome::Boolean(true));
    let mut reading = action(12, ActionType::Number);
    (reading.order, reading.min_value, reading.max_value) = (1, Some(10.0), Some(20.0));
    reading.outcome = Some(Outcome::Number(20.5));
    let mut second = step(2, vec![action(21, ActionType::Text)]);
    (second.order, second.state, second.actual_order) = (1, State::InProgress, None);
    TaskExecution {
        id: TaskExecutionId(id(100)),
        scheduled_task_id: Some(ScheduledTaskId(id(101))),
        series_id: None,
        name: "Night round".into(),
        description: Some("All gates".into()),
        location_id: LocationId(id(102)),
        performer_id: Some(UserId(id(103))),
        assignee_ids: vec![UserId(id(103)), UserId(id(104))],
        progress: Progress::InProgress { started_at: at(1) },
        published: true,
        start_at: at(0),
        end_at: at(60),
        priority: Priority::Major,
        order_steps_required: true,
        strict_time_required: false,
        deadlined: true,
        edited: false,
        flag_count: 0,
        tags: vec!["night".into(), "fire".into()],
        steps: vec![step(1, vec![yes, reading]), second],
    }
}

pub(crate) fn completed() -> TaskExecution {
    let progress = Progress::Completed { started_at: at(1), ended_at: at(50) };
    TaskExecution { progress, ..execution() }
}

/// The body that a client sends after it has read `execution`; matched by id, or by series id.
pub(crate) fn draft_of(execution: &TaskExecution, by_series: bool) -> ContentDraft {
    let key = |own: Uuid, series: Option<SeriesId>| {
        if by_series { series.map(Uuid::from) } else { Some(own) }
    };
    ContentDraft {
        assignee_ids: Some(execution.assignee_ids.clone()),
        location_id: Some(execution.location_id),
        name: Some(execution.name.clone()),
        description: execution.description.clone(),
        start_at: Some(execution.start_at),
        end_at: Some(execution.end_at),
        priority: Some(patrol_domain::Named::name(execution.priority).to_owned()),
        order_steps_required: Some(execution.order_steps_required),
        strict_time_required: Some(execution.strict_time_required),
        deadlined: Some(execution.deadlined),
        tags: Some(execution.tags.clone()),
        steps: Some(
            execution
                .steps
                .iter()
                .map(|step| StepDraft {
                    check_list_id: None,
                    key: key(step.id.0, step.series_id),
                    point_id: step.point_id,
                    name: Some(step.name.clone()),
                    order: Some(step.order.into()),
                    actions: step
                        .actions
                        .iter()
                        .map(|action| ActionDraft {
                            key: key(action.id.0, action.series_id),
                            name: Some(action.name.clone()),
                            kind: Some(patrol_domain::Named::name(action.kind).to_owned()),
                            order: Some(action.order.into()),
                            required: action.required,
                            min_value: bound(action.min_value),
                            max_value: bound(action.max_value),
                        })
                        .collect(),
                })
                .collect(),
        ),
    }
}

/// A bound from a record, as a client sends it back.
fn bound(value: Option<f64>) -> Patch<f64> {
    value.map_or(Patch::Null, Patch::Value)
}

pub(crate) fn nothing_exists() -> Existing {
    Existing::default()
}

/// The faults of a refusal, as `identifier: rule`.
pub(crate) fn faults<T: std::fmt::Debug>(
    result: Result<T, patrol_domain::Refusal>,
) -> Vec<(String, patrol_domain::Rule)> {
    match result {
        Err(patrol_domain::Refusal::Invalid(faults)) => {
            faults.into_iter().map(|fault| (fault.identifier, fault.rule)).collect()
        }
        other => panic!("expected faults, got {other:?}"),
    }
}
