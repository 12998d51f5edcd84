//! Property tests: a written record is read as the same record.

use std::collections::BTreeSet;

use patrol_domain::{
    Named, Timestamp,
    data_set::{NewExecution, Record},
    ids::Uuid,
    point::{PlanPlace, Point, PointType},
    schedule::LocalDateTime,
    task_execution::{Action, ActionType, Outcome, Priority, Progress, State, Step, TaskExecution},
};
use proptest::{option, prelude::*, sample::select};

use crate::sample::{id, record, written};

fn any_id<T: From<Uuid> + std::fmt::Debug>() -> impl Strategy<Value = T> {
    any::<u128>().prop_map(id)
}

fn text(most: usize) -> impl Strategy<Value = String> {
    let character = any::<char>().prop_filter("U+0000 is refused", |character| *character != '\0');
    prop::collection::vec(character, 1..=most).prop_map(String::from_iter)
}

fn tags() -> impl Strategy<Value = Vec<String>> {
    prop::collection::btree_set(text(100), 0..4).prop_map(|tags| tags.into_iter().collect())
}

fn named<T: Named + std::fmt::Debug>() -> impl Strategy<Value = T> {
    select(T::ALL)
}

/// Any finite number except −0, which is written as 0.
fn number() -> impl Strategy<Value = f64> {
    use prop::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL};
    prop_oneof![
        POSITIVE | NEGATIVE | NORMAL | SUBNORMAL,
        any::<i32>().prop_map(f64::from),
        (-1000..1000).prop_map(|cents| f64::from(cents) / 100.0),
    ]
    .prop_map(|number| if number.is_finite() { number + 0.0 } else { 0.0 })
}

fn time() -> impl Strategy<Value = Timestamp> {
    let first = Timestamp::parse("0001-01-01T00:00:00Z").unwrap().millis();
    (first..=Timestamp::LAST.millis()).prop_map(|millis| Timestamp::from_millis(millis).unwrap())
}

fn local_time() -> impl Strategy<Value = LocalDateTime> {
    let [first, last] = ["0001-01-01T00:00:00", "9999-12-31T23:59:59"]
        .map(|text| LocalDateTime::parse(text).unwrap().seconds());
    (first..=last).prop_map(|seconds| LocalDateTime::from_seconds(seconds).unwrap())
}

/// Two times, the earlier one first.
fn period() -> impl Strategy<Value = (Timestamp, Timestamp)> {
    (time(), time()).prop_map(|(one, other)| (one.min(other), one.max(other)))
}

fn outcome(kind: ActionType) -> BoxedStrategy<Outcome> {
    match kind {
        ActionType::Boolean => any::<bool>().prop_map(Outcome::Boolean).boxed(),
        ActionType::Media => prop::collection::vec(any_id(), 1..4).prop_map(Outcome::Media).boxed(),
        ActionType::Number => number().prop_map(Outcome::Number).boxed(),
        ActionType::Text => text(255).prop_map(Outcome::Text).boxed(),
    }
}

/// An action with the id 0 and the order 0; [`step`] and [`steps`] set them.
fn action() -> impl Strategy<Value = Action> {
    named::<ActionType>().prop_flat_map(|kind| {
        // Only numbers have bounds.
        let bound = move || {
            option::of(number()).prop_map(move |bound| bound.filter(|_| kind == ActionType::Number))
        };
        (
            option::of(any_id()),
            text(255),
            any::<bool>(),
            bound(),
            bound(),
            option::of(outcome(kind)),
        )
            .prop_map(move |(series_id, name, required, min_value, max_value, outcome)| {
                Action {
                    id: id(0),
                    series_id,
                    name,
                    kind,
                    order: 0,
                    required,
                    min_value,
                    max_value,
                    outcome,
                }
            })
    })
}

fn step() -> impl Strategy<Value = Step> {
    let actions = prop::collection::vec((any::<i32>(), action()), 0..4).prop_map(|mut actions| {
        actions.sort_by_key(|(order, _)| *order);
        let ordered = actions.into_iter().map(|(order, action)| Action { order, ..action });
        ordered.collect()
    });
    let ids = (option::of(any_id()), option::of(any_id()));
    (ids, text(255), option::of(any::<i32>()), named::<State>(), actions).prop_map(
        |((series_id, point_id), name, actual_order, state, actions)| Step {
            id: id(0),
            series_id,
            point_id,
            name,
            order: 0,
            actual_order,
            started_at: None,
            ended_at: None,
            state,
            actions,
        },
    )
}

/// Steps in order, with unique ids.
fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec((any::<i32>(), step()), 0..4).prop_map(|mut steps| {
        steps.sort_by_key(|(order, _)| *order);
        let mut next = 0;
        let mut fresh = || {
            next += 1;
            next
        };
        let mut number = |(order, mut step): (i32, Step)| {
            step.id = id(fresh());
            for action in &mut step.actions {
                action.id = id(fresh());
            }
            Step { order, ..step }
        };
        steps.into_iter().map(&mut number).collect()
    })
}

fn progress() -> impl Strategy<Value = Progress> {
    prop_oneof![
        Just(Progress::Pending),
        time().prop_map(|started_at| Progress::InProgress { started_at }),
        period().prop_map(|(started_at, ended_at)| Progress::Completed { started_at, ended_at }),
    ]
}

fn execution() -> impl Strategy<Value = TaskExecution> {
    let assignees = prop::collection::btree_set(any::<u128>(), 0..4)
        .prop_map(|ids: BTreeSet<u128>| ids.into_iter().map(id).rev().collect::<Vec<_>>());
    let ids = (
        any_id(),
        option::of(any_id()),
        option::of(any_id()),
        any_id(),
        option::of(any_id()),
        assignees,
    );
    let texts = (text(255), option::of(text(500)), tags());
    let times = (period(), progress());
    let flags = (any::<[bool; 5]>(), named::<Priority>());
    (ids, texts, times, flags, steps()).prop_map(|(ids, texts, times, flags, steps)| {
        let (id, scheduled_task_id, series_id, location_id, performer_id, assignee_ids) = ids;
        let (name, description, tags) = texts;
        let ((start_at, end_at), progress) = times;
        let ([published, order_steps_required, strict_time_required, deadlined, edited], priority) =
            flags;
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
            start_at,
            end_at,
            priority,
            order_steps_required,
            strict_time_required,
            deadlined,
            edited,
            flag_count: 0,
            tags,
            steps,
        }
    })
}

/// A JSON value as compact text.
fn json() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("null".to_owned()),
        any::<i64>().prop_map(|number| number.to_string()),
        Just(r#"{"a":[1.5,"é",{}],"":false}"#.to_owned()),
        text(20).prop_map(|text| serde_json::to_string(&text).unwrap()),
    ]
}

fn place() -> impl Strategy<Value = PlanPlace> {
    let share = || option::of((0..=1000).prop_map(|share| f64::from(share) / 1000.0));
    let name = text(10)
        .prop_filter("not a further member", |name| !["id", "x", "y"].contains(&name.as_str()));
    let further = prop::collection::btree_map(name, json(), 0..40);
    (any_id(), share(), share(), further).prop_map(|(plan, x, y, further)| PlanPlace {
        plan,
        x,
        y,
        further: further.into_iter().rev().collect(),
    })
}

fn point() -> impl Strategy<Value = Point> {
    let codes = (option::of(text(255)), option::of(text(255)));
    let places = prop::collection::vec(place(), 0..4);
    (any_id(), any_id(), text(255), named::<PointType>(), places, codes, tags()).prop_map(
        |(id, location_id, name, kind, graphic_plans, (rfid_code, qr_code), tags)| Point {
            graphic_plans,
            rfid_code,
            qr_code,
            tags,
            ..Point::new(id, location_id, name, kind)
        },
    )
}

proptest! {
    #[test]
    fn executions(execution in execution(), occurrence_at in option::of(local_time())) {
        let occurrence_at = occurrence_at.filter(|_| execution.scheduled_task_id.is_some());
        let wanted = Record::from(NewExecution { execution, occurrence_at });
        let text = written(&wanted);
        prop_assert_eq!(text.matches('\n').count(), 1);
        prop_assert_eq!(&record(&text), &wanted, "{}", text);
        prop_assert_eq!(written(&record(&text)), text);
    }

    #[test]
    fn points(point in point()) {
        let wanted = Record::Point(Box::new(point));
        let text = written(&wanted);
        prop_assert_eq!(text.matches('\n').count(), 1);
        prop_assert_eq!(&record(&text), &wanted, "{}", text);
    }
}
