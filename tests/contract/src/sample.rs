//! Sample records.

use futures_util::StreamExt as _;
use patrol_domain::{
    Timestamp,
    access::Role,
    check_list::{CheckList, CheckListAction},
    data_set::{ImportError, Imported, Record},
    event::Origin,
    graphic_plan::GraphicPlan,
    ids::{
        ActionId, CheckListActionId, CheckListId, GraphicPlanId, LocationId, MediaId, PointId,
        ScheduledTaskId, SeriesId, StepId, TaskExecutionId, UserId, Uuid,
    },
    location::{Location, Position},
    media::{MediaType, Medium},
    point::{PlanPlace, Point, PointType},
    schedule::{LocalDate, LocalDateTime, Pause, RecurrenceRule, Schedule, TimeZone},
    scheduled_task::{PlannedAction, PlannedStep, ScheduledTask},
    task_execution::{Action, ActionType, Outcome, Priority, Progress, State, Step, TaskExecution},
    user::User,
};

use crate::Ports;

/// The number of users, locations, points and scheduled tasks in [`world`], each numbered from 1.
pub(crate) const MANY: u128 = 4;

/// The id with this number within its kind.
pub(crate) fn id<T: From<Uuid>>(kind: u128, number: u128) -> T {
    T::from(Uuid::from_u128(0x0190_a000_0000_7000_8000_0000_0000_0000 + (kind << 32) + number))
}

pub(crate) fn user_id(number: u128) -> UserId {
    id(1, number)
}

pub(crate) fn location_id(number: u128) -> LocationId {
    id(2, number)
}

pub(crate) fn plan_id(number: u128) -> GraphicPlanId {
    id(3, number)
}

pub(crate) fn point_id(number: u128) -> PointId {
    id(4, number)
}

pub(crate) fn check_list_id(number: u128) -> CheckListId {
    id(5, number)
}

pub(crate) fn check_list_action_id(number: u128) -> CheckListActionId {
    id(6, number)
}

pub(crate) fn task_id(number: u128) -> ScheduledTaskId {
    id(7, number)
}

pub(crate) fn execution_id(number: u128) -> TaskExecutionId {
    id(8, number)
}

pub(crate) fn series_id(number: u128) -> SeriesId {
    id(9, number)
}

/// Milliseconds since 1970.
pub(crate) fn time(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis).expect("a time")
}

pub(crate) fn user(number: u128) -> User {
    User::new(user_id(number), format!("Анна {number}"), "O'Neil", "en", Role::Employee)
}

/// A user with all members.
pub(crate) fn whole_user(number: u128) -> User {
    User {
        middle_name: Some(String::new()),
        employee_no: Some(format!("№ {number}")),
        employee_pin: Some("0042".to_owned()),
        email: Some(format!("Anna.{number}@Example.com")),
        phone: Some("+7 812 000".to_owned()),
        language: "pt-BR".to_owned(),
        role: Role::Manager,
        location_ids: vec![location_id(2), location_id(1), location_id(3)],
        tags: vec!["Ночь".to_owned(), "a".to_owned(), "ночь".to_owned()],
        linked: true,
        ..user(number)
    }
}

pub(crate) fn location(number: u128) -> Location {
    Location {
        position: Some(Position { latitude: 59.931_1, longitude: -30.360_9 }),
        tags: vec!["port".to_owned(), "Порт".to_owned()],
        ..Location::new(location_id(number), format!("Порт {number}"))
    }
}

pub(crate) fn plan(number: u128, location: u128) -> GraphicPlan {
    GraphicPlan::new(plan_id(number), location_id(location), format!("Plan {number}"))
}

/// A medium, whose object is not announced.
pub(crate) fn medium(number: u128) -> Medium {
    Medium {
        id: id(16, number),
        object: id(17, number),
        kind: MediaType::Heic,
        size: 50 << 20,
        sha256: [0xA7; 32],
        created_at: by().at,
        user_id: Some(user_id(1)),
    }
}

pub(crate) fn point(number: u128, location: u128) -> Point {
    let (id, location) = (point_id(number), location_id(location));
    Point::new(id, location, format!("Gate {number}"), PointType::Virtual)
}

/// A point with all members, on the plan with the number of its location.
pub(crate) fn whole_point(number: u128, location: u128) -> Point {
    let further = vec![("zoom".to_owned(), "1.50".to_owned()), ("a".to_owned(), "[]".to_owned())];
    Point {
        kind: PointType::Ble,
        position: Some(Position { latitude: -0.1, longitude: 180.0 }),
        graphic_plans: vec![
            PlanPlace { plan: plan_id(location), x: Some(0.1), y: Some(1.0), further },
            PlanPlace { plan: plan_id(location), x: None, y: None, further: Vec::new() },
        ],
        rfid_code: Some(format!("rfid-{number}")),
        qr_code: Some(format!("qr-{number}")),
        tags: vec!["b".to_owned(), "a".to_owned()],
        ..point(number, location)
    }
}

pub(crate) fn check_list(number: u128, actions: &[u128]) -> CheckList {
    let action = |number: &u128| CheckListAction {
        order: 7,
        required: true,
        min_value: Some(0.1),
        ..CheckListAction::new(
            check_list_action_id(*number),
            format!("Check {number}"),
            ActionType::Number,
        )
    };
    CheckList {
        id: check_list_id(number),
        name: format!("List {number}"),
        actions: actions.iter().map(action).collect(),
    }
}

pub(crate) fn task(number: u128) -> ScheduledTask {
    let description = number.is_multiple_of(2).then(|| "every night".to_owned());
    ScheduledTask { description, ..ScheduledTask::new(task_id(number), format!("Task {number}")) }
}

/// The number of the check-list in [`world`].
pub(crate) const WORLD_LIST: u128 = 40;

/// A scheduled task with all members.
pub(crate) fn whole_task(number: u128) -> ScheduledTask {
    let step = |order: i32, point: u128, list: Option<u128>| PlannedStep {
        id: StepId(execution_part(number, order, 0)),
        point_id: Some(point_id(point)),
        name: format!("Шаг {order}"),
        order,
        check_list_id: list.map(check_list_id),
        actions: planned_actions(number, order),
    };
    ScheduledTask {
        name: "Обход \"B\" 🦀".to_owned(),
        description: Some("Line 1\nLine 2".to_owned()),
        location_id: Some(location_id(2)),
        assignee_ids: vec![user_id(2), user_id(1)],
        priority: Priority::Critical,
        order_steps_required: true,
        strict_time_required: true,
        deadlined: true,
        tags: vec!["ночь".to_owned(), "a".to_owned(), "A".to_owned()],
        published: false,
        steps: vec![step(1, 2, Some(WORLD_LIST)), step(2, 1, None), step(3, 2, Some(WORLD_LIST))],
        schedule: Some(schedule()),
        enabled: false,
        series_id: Some(series_id(1)),
        ..task(number)
    }
}

/// A schedule with all members.
fn schedule() -> Schedule {
    let time = |text| LocalDateTime::parse(text).expect("a time");
    let date = |text| LocalDate::parse(text).expect("a date");
    Schedule {
        time_zone: TimeZone::named("Europe/Berlin").expect("a time zone"),
        start: time("2026-12-01T22:00:00"),
        duration_minutes: 90,
        rule: Some(RecurrenceRule::parse("FREQ=WEEKLY;BYDAY=MO,WE").expect("a rule")),
        exdates: vec![time("2026-12-09T22:00:00"), time("2026-12-07T22:00:00")],
        rdates: vec![time("2026-12-08T01:30:00")],
        pauses: vec![Pause { from: date("2026-12-24"), to: date("2026-12-26") }],
    }
}

fn planned_actions(number: u128, order: i32) -> Vec<PlannedAction> {
    let action = |(part, kind): (u128, ActionType)| PlannedAction {
        id: ActionId(execution_part(number, order, part)),
        name: "Давление".to_owned(),
        kind,
        order: i32::MAX,
        required: part % 2 == 0,
        min_value: (kind == ActionType::Number).then_some(f64::MIN_POSITIVE),
        max_value: (kind == ActionType::Number).then_some(-0.0),
    };
    let kinds = [ActionType::Boolean, ActionType::Media, ActionType::Number, ActionType::Text];
    (1..).zip(kinds).map(action).collect()
}

/// A PENDING execution with the required members only.
pub(crate) fn execution(number: u128) -> TaskExecution {
    TaskExecution::new(
        execution_id(number),
        task_id(1),
        location_id(1),
        format!("Round {number}"),
        [time(1_000), time(2_000)],
    )
}

/// A COMPLETED execution with all members.
pub(crate) fn whole_execution(number: u128) -> TaskExecution {
    let step = |order: i32, point: u128| Step {
        id: StepId(execution_part(number, order, 0)),
        series_id: Some(id(10, point)),
        point_id: Some(point_id(point)),
        name: format!("Step {order}"),
        order,
        actual_order: Some(-order),
        started_at: None,
        ended_at: None,
        state: State::Completed,
        actions: whole_actions(number, order),
    };
    TaskExecution {
        scheduled_task_id: Some(task_id(2)),
        series_id: Some(series_id(1)),
        name: "Обход \"A\" 🦀".to_owned(),
        description: Some("Line 1\nLine 2".to_owned()),
        location_id: location_id(2),
        performer_id: Some(user_id(3)),
        assignee_ids: vec![user_id(2), user_id(1)],
        progress: Progress::Completed { started_at: time(-5), ended_at: time(7_000) },
        published: true,
        start_at: time(-62_135_596_800_000),
        end_at: time(253_402_300_799_999),
        priority: Priority::Critical,
        order_steps_required: true,
        strict_time_required: true,
        deadlined: true,
        edited: true,
        tags: vec!["ночь".to_owned(), "a".to_owned(), "A".to_owned()],
        steps: vec![step(1, 2), step(2, 1), step(3, 2)],
        ..execution(number)
    }
}

fn execution_part(number: u128, order: i32, part: u128) -> Uuid {
    let order = u128::try_from(order).expect("not negative");
    id(11, (number << 16) + (order << 8) + part)
}

fn whole_actions(number: u128, order: i32) -> Vec<Action> {
    let media = vec![MediaId(execution_part(number, order, 9))];
    let outcomes = [
        (ActionType::Boolean, Some(Outcome::Boolean(false))),
        (ActionType::Media, Some(Outcome::Media(media))),
        (ActionType::Number, Some(Outcome::Number(0.1 + 0.2))),
        (ActionType::Text, Some(Outcome::Text(String::new()))),
        (ActionType::Text, None),
    ];
    (1..)
        .zip(outcomes)
        .map(|(part, (kind, outcome))| Action {
            id: ActionId(execution_part(number, order, part)),
            series_id: Some(id(12, part)),
            name: "Давление".to_owned(),
            kind,
            order: i32::MAX,
            required: part % 2 == 0,
            min_value: (kind == ActionType::Number).then_some(f64::MIN_POSITIVE),
            max_value: (kind == ActionType::Number).then_some(-0.0),
            outcome,
        })
        .collect()
}

/// The records that executions and scheduled tasks refer to: [`MANY`] of each kind, and one
/// check-list. The plan and the points with a
/// number belong to the location with that number.
pub(crate) fn world() -> Vec<Record> {
    let mut records = vec![Record::CheckList(check_list(WORLD_LIST, &[]))];
    for number in 1..=MANY {
        records.push(Record::Location(location(number)));
        records.push(Record::GraphicPlan(plan(number, number)));
        records.push(of_user(user(number)));
        records.push(Record::Point(Box::new(point(number, number))));
        records.push(of_task(task(number)));
    }
    records
}

/// The locations and plans of [`world`].
pub(crate) fn places() -> Vec<Record> {
    let is_place = |record: &Record| matches!(record, Record::Location(_) | Record::GraphicPlan(_));
    world().into_iter().filter(is_place).collect()
}

pub(crate) fn of_user(user: User) -> Record {
    Record::User(Box::new(user.into()))
}

pub(crate) fn of_task(task: ScheduledTask) -> Record {
    Record::from(task)
}

pub(crate) fn of_execution(execution: TaskExecution) -> Record {
    Record::from(execution)
}

/// The origin of most changes.
pub(crate) fn by() -> Origin {
    Origin::of_program(time(0))
}

/// Imports `records`, the first of which is line 1.
pub(crate) async fn import(ports: &Ports, records: Vec<Record>) -> Result<Imported, ImportError> {
    let lines = (1..).zip(records).map(Ok);
    ports.data_sets.import(Box::new(lines), by()).await
}

/// All records of an export.
pub(crate) async fn exported(ports: &Ports) -> Vec<Record> {
    let mut export = ports.data_sets.export();
    let mut records = Vec::new();
    while let Some(batch) = export.next().await {
        records.extend(batch.expect("a batch"));
    }
    records
}

/// Fills `ports` with [`world`] and `executions`.
pub(crate) async fn fill(ports: &Ports, executions: &[TaskExecution]) {
    let mut records = world();
    records.extend(executions.iter().cloned().map(of_execution));
    import(ports, records).await.expect("an import");
}
