//! Sample executions.

use patrol_domain::task_execution::{
    Action, ActionType, Outcome, Priority, Progress, State, Step, TaskExecution,
};

pub(crate) use crate::tests::{at, id};

/// A COMPLETED execution with an action of every type; the result of a required one is missing.
pub(crate) fn completed() -> TaskExecution {
    TaskExecution {
        id: id(0xe01),
        scheduled_task_id: Some(id(0xa01)),
        series_id: Some(id(0xd01)),
        name: "Night round, порт".to_owned(),
        description: Some("Gate first".to_owned()),
        location_id: id(0x001),
        performer_id: Some(id(0xb01)),
        assignee_ids: vec![id(0xb01), id(0xb02)],
        progress: Progress::Completed {
            started_at: at("2026-01-31T00:10:00Z"),
            ended_at: at("2026-01-31T01:40:00.5Z"),
        },
        published: true,
        start_at: at("2026-01-31T00:00:00Z"),
        end_at: at("2026-01-31T06:00:00Z"),
        priority: Priority::Normal,
        order_steps_required: true,
        strict_time_required: false,
        deadlined: true,
        edited: false,
        flag_count: 0,
        tags: vec!["night".to_owned(), "порт".to_owned()],
        steps: vec![gate(), cellar()],
    }
}

/// The same, PENDING.
pub(crate) fn pending() -> TaskExecution {
    let mut execution = completed();
    execution.id = id(0xe02);
    execution.performer_id = None;
    execution.progress = Progress::Pending;
    for step in &mut execution.steps {
        step.actual_order = None;
        step.state = State::Pending;
        for action in &mut step.actions {
            action.outcome = None;
        }
    }
    execution
}

/// The same, IN_PROGRESS since half an hour before the time of the tests.
pub(crate) fn in_progress() -> TaskExecution {
    let progress = Progress::InProgress { started_at: at("2026-01-31T07:30:00Z") };
    TaskExecution { progress, ..pending() }
}

fn gate() -> Step {
    Step {
        id: id(0x101),
        series_id: Some(id(0x301)),
        point_id: Some(id(0xc01)),
        name: "Gate".to_owned(),
        order: 0,
        actual_order: Some(1),
        started_at: None,
        ended_at: None,
        state: State::Completed,
        actions: vec![
            Action {
                series_id: Some(id(0x401)),
                ..action(0x201, ActionType::Boolean, "Gate is locked", Outcome::Boolean(true))
            },
            Action {
                required: false,
                min_value: Some(-5.0),
                max_value: Some(25.5),
                ..action(0x202, ActionType::Number, "Temperature", Outcome::Number(30.0))
            },
            action(0x203, ActionType::Text, "Remark", Outcome::Text("all \"quiet\"".to_owned())),
            action(0x204, ActionType::Media, "Picture", Outcome::Media(vec![id(0x501)])),
        ],
    }
}

fn cellar() -> Step {
    Step {
        id: id(0x102),
        series_id: None,
        point_id: None,
        name: "Cellar".to_owned(),
        order: 1,
        actual_order: None,
        started_at: None,
        ended_at: None,
        state: State::Pending,
        actions: vec![Action {
            outcome: None,
            ..action(0x205, ActionType::Boolean, "Pump runs", Outcome::Boolean(true))
        }],
    }
}

fn action(number: u32, kind: ActionType, name: &str, outcome: Outcome) -> Action {
    Action {
        id: id(number),
        series_id: None,
        name: name.to_owned(),
        kind,
        order: i32::try_from(number).unwrap() - 0x201,
        required: true,
        min_value: None,
        max_value: None,
        outcome: Some(outcome),
    }
}
