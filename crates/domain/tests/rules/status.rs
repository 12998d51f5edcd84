//! Derived statuses and counts.

use patrol_domain::task_execution::{ActionType, Outcome, Status};

use crate::sample::{action, completed, execution, id};

#[test]
fn an_action_fails_outside_its_bounds_or_with_false() {
    let number = |value, min, max| {
        let mut action = action(1, ActionType::Number);
        (action.min_value, action.max_value) = (min, max);
        action.outcome = Some(Outcome::Number(value));
        action
    };
    let cases = [
        (number(10.0, Some(10.0), Some(20.0)), Status::Success),
        (number(20.0, Some(10.0), Some(20.0)), Status::Success),
        (number(9.99, Some(10.0), None), Status::Error),
        (number(20.01, None, Some(20.0)), Status::Error),
        (number(-1e300, None, None), Status::Success),
    ];
    for (mut action, wanted) in cases {
        assert_eq!(action.status(false), Some(wanted), "{action:?}");
        action.required = false;
        let wanted = if wanted == Status::Error { Status::Warning } else { wanted };
        assert_eq!(action.status(false), Some(wanted), "{action:?}");
    }
    let outcomes = [
        (ActionType::Boolean, Outcome::Boolean(true), Status::Success),
        (ActionType::Boolean, Outcome::Boolean(false), Status::Error),
        (ActionType::Text, Outcome::Text(String::new()), Status::Success),
        (ActionType::Media, Outcome::Media(vec![id(5).into()]), Status::Success),
    ];
    for (kind, outcome, wanted) in outcomes {
        let mut action = action(1, kind);
        action.outcome = Some(outcome);
        assert_eq!(action.status(false), Some(wanted), "{action:?}");
    }
}

#[test]
fn a_missing_result_is_an_error_if_required_and_the_execution_is_completed() {
    let mut missing = action(1, ActionType::Text);
    assert_eq!((missing.status(false), missing.status(true)), (None, Some(Status::Error)));
    missing.required = false;
    assert_eq!((missing.status(false), missing.status(true)), (None, None));
}

#[test]
fn the_worst_status_wins_and_the_summary_counts_actions() {
    let running = execution();
    assert_eq!(running.steps[0].status(false), Some(Status::Error));
    assert_eq!(running.steps[1].status(false), None);
    assert_eq!(running.status(), Some(Status::Error));
    let summary = running.summary();
    assert_eq!((summary.error_count, summary.warning_count), (1, 0));
    assert_eq!((summary.step_count, summary.executed_step_count), (2, 1));
    assert!(summary.assigned());

    // Once COMPLETED, the missing required result is an error too.
    assert_eq!(completed().summary().error_count, 2);

    let mut optional = execution();
    optional.steps[0].actions[1].required = false;
    let summary = optional.summary();
    assert_eq!((summary.error_count, summary.warning_count), (0, 1));
    assert_eq!(summary.status, Some(Status::Warning));
}

#[test]
fn an_execution_without_results_has_no_status() {
    let mut execution = execution();
    for step in &mut execution.steps {
        for action in &mut step.actions {
            action.outcome = None;
        }
    }
    assert_eq!(execution.status(), None);
    execution.steps.clear();
    assert_eq!(execution.summary().status, None);
}
