//! Random executions.

use patrol_domain::{
    Named,
    task_execution::{Action, ActionType, Outcome, Priority, Progress, State, Step, TaskExecution},
};
use proptest::{collection::vec, option::of, prelude::*, sample::select};

use super::{number, set, tags, texts, times, uuid};
use crate::sample::{MANY, location_id, point_id, series_id, task_id, user_id};

fn action() -> impl Strategy<Value = Action> {
    let outcome = |kind: ActionType| match kind {
        ActionType::Boolean => any::<bool>().prop_map(Outcome::Boolean).boxed(),
        ActionType::Media => vec(uuid(), 1..3).prop_map(Outcome::Media).boxed(),
        ActionType::Number => (-3.0..3.0).prop_map(Outcome::Number).boxed(),
        ActionType::Text => texts().prop_map(Outcome::Text).boxed(),
    };
    select(ActionType::ALL).prop_flat_map(move |kind| {
        let parts = (uuid(), of(uuid()), texts(), -3..3_i32, any::<bool>(), of(outcome(kind)));
        (parts, of(-3.0..3.0)).prop_map(move |(parts, bound)| {
            let (id, series_id, name, order, required, outcome) = parts;
            let min_value = bound.filter(|_| kind == ActionType::Number);
            Action {
                id,
                series_id,
                name,
                kind,
                order,
                required,
                min_value,
                max_value: min_value.map(|min| min + 1.0),
                outcome,
            }
        })
    })
}

fn step() -> impl Strategy<Value = Step> {
    let point = of(number().prop_map(point_id));
    let order = (-3..3_i32, of(0..3_i32), [of(times()), of(times())], select(State::ALL));
    (uuid(), of(uuid()), point, texts(), order, vec(action(), 0..4)).prop_map(
        |(id, series_id, point_id, name, (order, actual_order, reported, state), actions)| Step {
            id,
            series_id,
            point_id,
            name,
            order,
            actual_order,
            started_at: reported[0],
            ended_at: reported[1],
            state,
            actions,
        },
    )
}

fn progress() -> impl Strategy<Value = Progress> {
    (select(State::ALL), times(), times()).prop_map(|(state, one, other)| match state {
        State::Pending => Progress::Pending,
        State::InProgress => Progress::InProgress { started_at: one },
        State::Completed => {
            Progress::Completed { started_at: one.min(other), ended_at: one.max(other) }
        }
    })
}

/// Executions that refer to records of [`crate::sample::world`].
pub(crate) fn execution() -> impl Strategy<Value = TaskExecution> {
    let users = (1..=MANY).map(user_id).collect::<Vec<_>>();
    let references = (
        of(number().prop_map(task_id)),
        of(number().prop_map(series_id)),
        number().prop_map(location_id),
        of(number().prop_map(user_id)),
        set(users),
    );
    let flags = any::<[bool; 5]>();
    let rest = (progress(), 0..3_i32, times(), times(), select(Priority::ALL), tags());
    (uuid(), texts(), of(texts()), references, flags, rest, vec(step(), 0..4)).prop_map(
        |(id, name, description, references, flags, rest, steps)| {
            let (scheduled_task_id, series_id, location_id, performer_id, assignee_ids) =
                references;
            let [published, order_steps_required, strict_time_required, deadlined, edited] = flags;
            let (progress, flag_count, one, other, priority, tags) = rest;
            TaskExecution {
                id,
                scheduled_task_id,
                series_id,
                name,
                description,
                location_id,
                performer_id,
                assignee_ids,
                progress,
                published,
                start_at: one.min(other),
                end_at: one.max(other),
                priority,
                order_steps_required,
                strict_time_required,
                deadlined,
                edited,
                flag_count,
                tags,
                steps,
            }
        },
    )
}
