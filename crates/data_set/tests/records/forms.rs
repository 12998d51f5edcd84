//! Every kind of record, with all members and with only the required ones. A written line has all
//! members, also null ones, in the formats of the API.

use patrol_domain::{
    access::Role,
    check_list::{CheckList, CheckListAction},
    data_set::{NewExecution, NewTask, Record},
    graphic_plan::GraphicPlan,
    location::{Location, Position},
    point::{PlanPlace, Point, PointType},
    report::{
        Entry, EntryOutcome, EntryType, RefusalCode, Report, ReportPosition, Verdict, VerdictCode,
    },
    schedule::{LocalDate, LocalDateTime, Pause, RecurrenceRule, Schedule, TimeZone},
    scheduled_task::{PlannedAction, PlannedStep, ScheduledTask},
    task_execution::{Action, ActionType, Outcome, Priority, Progress, State, Step, TaskExecution},
    user::{User, UserStatus},
};
use patrol_record::PointRecord;

use crate::sample::{at, id, record, with_ids, written};

/// Asserts that `line` and `full` are read as `wanted`, and that `wanted` is written as `full`.
fn assert_forms(line: &str, wanted: &Record, full: &str) {
    let full = with_ids(full);
    assert_eq!(record(&with_ids(line)), *wanted, "{line}");
    assert_eq!(written(wanted), format!("{full}\n"));
    assert_eq!(record(&full), *wanted, "{full}");
}

#[test]
fn locations() {
    let line = r##"{"kind":"location","id":"#1","name":"Порт, склад 3","address":"1 Quay Rd","latitude":59.93,"longitude":30,"tags":["port","b"]}"##;
    let least = Location::new(id(1), "Порт, склад 3");
    let location = Location {
        address: "1 Quay Rd".to_owned(),
        position: Some(Position { latitude: 59.93, longitude: 30.0 }),
        tags: vec!["port".to_owned(), "b".to_owned()],
        ..least.clone()
    };
    assert_forms(line, &Record::Location(location), line);
    assert_forms(
        r##"{"id":"#1","name":"Порт, склад 3","address":"","kind":"location"}"##,
        &Record::Location(least),
        r##"{"kind":"location","id":"#1","name":"Порт, склад 3","address":"","latitude":null,"longitude":null,"tags":[]}"##,
    );
}

#[test]
fn graphic_plans() {
    let line = r##"{"kind":"graphicPlan","id":"#2","locationId":"#1","name":"Ground floor"}"##;
    let plan = GraphicPlan::new(id(2), id(1), "Ground floor");
    assert_forms(line, &Record::GraphicPlan(plan), line);
}

#[test]
fn points_have_the_form_of_the_api() {
    let further = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let least = Point::new(id(3), id(1), "Gate", PointType::Qr);
    let point = Point {
        position: Some(Position { latitude: -90.0, longitude: 180.0 }),
        graphic_plans: vec![
            PlanPlace {
                plan: id(2),
                x: Some(0.125),
                y: Some(1.0),
                further: vec![
                    further("colour", r#""red""#),
                    further("size", r#"{"w":[1,2.5,null]}"#),
                ],
            },
            PlanPlace { plan: id(4), x: None, y: None, further: Vec::new() },
        ],
        rfid_code: Some("04A2".to_owned()),
        qr_code: Some("GATE".to_owned()),
        tags: vec!["a".to_owned()],
        ..least.clone()
    };
    let line = r##"{"kind":"point","id":"#3","locationId":"#1","name":"Gate","type":"QR"}"##;
    assert_eq!(record(&with_ids(line)), Record::from(least.clone()));
    for point in [least, point] {
        let form = serde_json::to_string(&PointRecord::new(&point)).unwrap();
        let line = format!(r#"{{"kind":"point",{}"#, form.strip_prefix('{').unwrap());
        assert_forms(&line, &point.into(), &line);
    }
}

#[test]
fn users() {
    let line = r##"{"kind":"user","id":"#5","firstName":"Anna","middleName":"B.","lastName":"Berg","employeeNo":"0042","employeePin":"4711","email":"anna@example.org","phone":"+1","language":"pt-BR","role":"ADMIN","status":"INACTIVE","photoId":"#7","locationIds":["#1","#6"],"tags":["x"]}"##;
    let least = User {
        status: UserStatus::Inactive,
        ..User::new(id(5), "Anna", "Berg", "pt-BR", Role::Admin)
    };
    let user = User {
        middle_name: Some("B.".to_owned()),
        employee_no: Some("0042".to_owned()),
        employee_pin: Some("4711".to_owned()),
        email: Some("anna@example.org".to_owned()),
        phone: Some("+1".to_owned()),
        photo_id: Some(id(7)),
        location_ids: vec![id(1), id(6)],
        tags: vec!["x".to_owned()],
        ..least.clone()
    };
    let record = |user: User| Record::User(Box::new(user.into()));
    assert_forms(line, &record(user), line);
    assert_forms(
        r##"{"kind":"user","id":"#5","firstName":"Anna","lastName":"Berg","language":"pt-BR","role":"ADMIN","status":"INACTIVE"}"##,
        &record(least),
        r##"{"kind":"user","id":"#5","firstName":"Anna","middleName":null,"lastName":"Berg","employeeNo":null,"employeePin":null,"email":null,"phone":null,"language":"pt-BR","role":"ADMIN","status":"INACTIVE","photoId":null,"locationIds":[],"tags":[]}"##,
    );
}

#[test]
fn check_lists() {
    let line = r##"{"kind":"checkList","id":"#7","name":"Cold store","actions":[{"id":"#8","name":"Temperature","type":"NUMBER","order":2,"required":true,"minValue":-25.5,"maxValue":-15},{"id":"#9","name":"Clean","type":"BOOLEAN","order":3,"required":false,"minValue":null,"maxValue":null}]}"##;
    let action = |number, name: &str, kind, order| CheckListAction {
        order,
        ..CheckListAction::new(id(number), name, kind)
    };
    let list = |actions| {
        Record::CheckList(CheckList { id: id(7), name: "Cold store".to_owned(), actions })
    };
    let temperature = CheckListAction {
        required: true,
        min_value: Some(-25.5),
        max_value: Some(-15.0),
        ..action(8, "Temperature", ActionType::Number, 2)
    };
    assert_forms(line, &list(vec![temperature, action(9, "Clean", ActionType::Boolean, 3)]), line);
    assert_forms(
        r##"{"kind":"checkList","id":"#7","name":"Cold store"}"##,
        &list(Vec::new()),
        r##"{"kind":"checkList","id":"#7","name":"Cold store","actions":[]}"##,
    );
    assert_forms(
        r##"{"kind":"checkList","id":"#7","name":"Cold store","actions":[{"id":"#8","name":"Note","type":"TEXT"}]}"##,
        &list(vec![action(8, "Note", ActionType::Text, 0)]),
        r##"{"kind":"checkList","id":"#7","name":"Cold store","actions":[{"id":"#8","name":"Note","type":"TEXT","order":0,"required":false,"minValue":null,"maxValue":null}]}"##,
    );
}

const TASK: &str = r##"{"kind":"scheduledTask","id":"#10","name":"Round","description":"Night\nround","locationId":"#1","assigneeIds":["#6","#5"],"priority":"MAJOR","orderStepsRequired":true,"strictTimeRequired":true,"deadlined":true,"tags":["night"],"published":false,"steps":[{"id":"#13","pointId":"#3","name":"Gate","order":-1,"checkListId":"#7","actions":[{"id":"#15","name":"Reading","type":"NUMBER","order":0,"required":true,"minValue":0.5,"maxValue":20}]},{"id":"#14","pointId":null,"name":"Yard","order":1,"checkListId":null,"actions":[]}],"schedule":{"timeZone":"Europe/Berlin","start":"2026-12-01T22:00:00","durationMinutes":90,"rrule":"FREQ=DAILY;COUNT=3","exdates":["2026-12-02T22:00:00"],"rdates":["2026-12-08T01:30:00"],"pauses":[{"from":"2026-12-24","to":"2026-12-26"}]},"enabled":false,"seriesId":"#12","leftOut":["2026-12-01T22:00:00","2026-12-03T22:00:00"]}"##;

#[test]
fn scheduled_tasks() {
    let reading = PlannedAction {
        id: id(15),
        name: "Reading".to_owned(),
        kind: ActionType::Number,
        order: 0,
        required: true,
        min_value: Some(0.5),
        max_value: Some(20.0),
    };
    let yard = PlannedStep {
        id: id(14),
        point_id: None,
        name: "Yard".to_owned(),
        order: 1,
        check_list_id: None,
        actions: Vec::new(),
    };
    let gate = PlannedStep {
        id: id(13),
        point_id: Some(id(3)),
        name: "Gate".to_owned(),
        order: -1,
        check_list_id: Some(id(7)),
        actions: vec![reading],
    };
    let time = |text| LocalDateTime::parse(text).unwrap();
    let date = |text| LocalDate::parse(text).unwrap();
    let task = ScheduledTask {
        description: Some("Night\nround".to_owned()),
        location_id: Some(id(1)),
        assignee_ids: vec![id(6), id(5)],
        priority: Priority::Major,
        order_steps_required: true,
        strict_time_required: true,
        deadlined: true,
        tags: vec!["night".to_owned()],
        published: false,
        steps: vec![gate, yard],
        schedule: Some(Schedule {
            time_zone: TimeZone::named("Europe/Berlin").unwrap(),
            start: time("2026-12-01T22:00:00"),
            duration_minutes: 90,
            rule: Some(RecurrenceRule::parse("FREQ=DAILY;COUNT=3").unwrap()),
            exdates: vec![time("2026-12-02T22:00:00")],
            rdates: vec![time("2026-12-08T01:30:00")],
            pauses: vec![Pause { from: date("2026-12-24"), to: date("2026-12-26") }],
        }),
        enabled: false,
        series_id: Some(id(12)),
        ..ScheduledTask::new(id(10), "Round")
    };
    let left_out = ["2026-12-03T22:00:00", "2026-12-01T22:00:00"].map(time);
    let task = NewTask { task, left_out: left_out.into() };
    assert_forms(TASK, &Record::from(task), TASK);
    // All that an earlier version exported.
    assert_forms(
        r##"{"kind":"scheduledTask","id":"#10","name":"Round","description":null}"##,
        &Record::from(ScheduledTask::new(id(10), "Round")),
        r##"{"kind":"scheduledTask","id":"#10","name":"Round","description":null,"locationId":null,"assigneeIds":[],"priority":"NORMAL","orderStepsRequired":false,"strictTimeRequired":false,"deadlined":false,"tags":[],"published":true,"steps":[],"schedule":null,"enabled":true,"seriesId":null,"leftOut":[]}"##,
    );
}

const EXECUTION: &str = r##"{"kind":"taskExecution","id":"#11","scheduledTaskId":"#10","name":"Round","description":"Night","locationId":"#1","performerId":"#5","state":"COMPLETED","published":true,"startAt":"2026-03-01T22:00:00.000Z","endAt":"2026-03-01T23:00:00.000Z","steps":[{"id":"#13","name":"Gate","order":-1,"actualOrder":4,"state":"IN_PROGRESS","actions":[{"id":"#15","name":"Reading","type":"NUMBER","state":"COMPLETED","numberValue":10,"minValue":0.5,"maxValue":20,"order":0,"required":true,"seriesId":"#16","booleanValue":null,"textValue":null,"mediaIds":null},{"id":"#17","name":"Locked","type":"BOOLEAN","state":"COMPLETED","numberValue":null,"minValue":null,"maxValue":null,"order":1,"required":false,"seriesId":null,"booleanValue":false,"textValue":null,"mediaIds":null},{"id":"#18","name":"Note","type":"TEXT","state":"COMPLETED","numberValue":null,"minValue":null,"maxValue":null,"order":2,"required":false,"seriesId":null,"booleanValue":null,"textValue":"","mediaIds":null},{"id":"#19","name":"Photo","type":"MEDIA","state":"COMPLETED","numberValue":null,"minValue":null,"maxValue":null,"order":3,"required":false,"seriesId":null,"booleanValue":null,"textValue":null,"mediaIds":["#21","#20"]}],"pointId":"#3","seriesId":"#14"},{"id":"#22","name":"Yard","order":1,"actualOrder":null,"state":"PENDING","actions":[],"pointId":null,"seriesId":null}],"assigneeIds":["#6","#5"],"seriesId":"#12","priority":"CRITICAL","orderStepsRequired":true,"strictTimeRequired":true,"deadlined":true,"tags":["night"],"edited":true,"startedAt":"2026-03-01T22:03:10.500Z","endedAt":"2026-03-01T22:41:55.001Z","occurrenceAt":"2026-03-01T23:00:00"}"##;

fn execution() -> TaskExecution {
    let action = |number, name: &str, kind, order, outcome| Action {
        id: id(number),
        series_id: None,
        name: name.to_owned(),
        kind,
        order,
        required: false,
        min_value: None,
        max_value: None,
        outcome: Some(outcome),
    };
    let reading = Action {
        series_id: Some(id(16)),
        required: true,
        min_value: Some(0.5),
        max_value: Some(20.0),
        ..action(15, "Reading", ActionType::Number, 0, Outcome::Number(10.0))
    };
    let gate = Step {
        id: id(13),
        series_id: Some(id(14)),
        point_id: Some(id(3)),
        name: "Gate".to_owned(),
        order: -1,
        actual_order: Some(4),
        started_at: None,
        ended_at: None,
        state: State::InProgress,
        actions: vec![
            reading,
            action(17, "Locked", ActionType::Boolean, 1, Outcome::Boolean(false)),
            action(18, "Note", ActionType::Text, 2, Outcome::Text(String::new())),
            action(19, "Photo", ActionType::Media, 3, Outcome::Media(vec![id(21), id(20)])),
        ],
    };
    let yard = Step {
        id: id(22),
        series_id: None,
        point_id: None,
        name: "Yard".to_owned(),
        order: 1,
        actual_order: None,
        started_at: None,
        ended_at: None,
        state: State::Pending,
        actions: Vec::new(),
    };
    TaskExecution {
        id: id(11),
        scheduled_task_id: Some(id(10)),
        series_id: Some(id(12)),
        name: "Round".to_owned(),
        description: Some("Night".to_owned()),
        location_id: id(1),
        performer_id: Some(id(5)),
        assignee_ids: vec![id(6), id(5)],
        progress: Progress::Completed {
            started_at: at("2026-03-01T22:03:10.5Z"),
            ended_at: at("2026-03-01T22:41:55.001Z"),
        },
        published: true,
        start_at: at("2026-03-01T22:00:00Z"),
        end_at: at("2026-03-01T23:00:00Z"),
        priority: Priority::Critical,
        order_steps_required: true,
        strict_time_required: true,
        deadlined: true,
        edited: true,
        flag_count: 0,
        tags: vec!["night".to_owned()],
        steps: vec![gate, yard],
    }
}

#[test]
fn executions() {
    let occurrence_at = LocalDateTime::parse("2026-03-01T23:00:00");
    let made = NewExecution { execution: execution(), occurrence_at };
    assert_forms(EXECUTION, &Record::from(made), EXECUTION);
    let minimal = TaskExecution {
        scheduled_task_id: None,
        series_id: None,
        description: None,
        performer_id: None,
        assignee_ids: Vec::new(),
        progress: Progress::Pending,
        published: false,
        priority: Priority::Normal,
        order_steps_required: false,
        strict_time_required: false,
        deadlined: false,
        edited: false,
        tags: Vec::new(),
        steps: Vec::new(),
        ..execution()
    };
    assert_forms(
        r##"{"kind":"taskExecution","id":"#11","name":"Round","locationId":"#1","startAt":"2026-03-02T00:00:00+02:00","endAt":"2026-03-01T23:00:00Z"}"##,
        &Record::from(minimal),
        r##"{"kind":"taskExecution","id":"#11","scheduledTaskId":null,"name":"Round","description":null,"locationId":"#1","performerId":null,"state":"PENDING","published":false,"startAt":"2026-03-01T22:00:00.000Z","endAt":"2026-03-01T23:00:00.000Z","steps":[],"assigneeIds":[],"seriesId":null,"priority":"NORMAL","orderStepsRequired":false,"strictTimeRequired":false,"deadlined":false,"tags":[],"edited":false,"startedAt":null,"endedAt":null,"occurrenceAt":null}"##,
    );
}

#[test]
fn steps_and_actions_with_only_required_members() {
    let line = with_ids(
        r##"{"kind":"taskExecution","id":"#11","scheduledTaskId":"#10","name":"Round","locationId":"#1","startAt":"2026-03-01T22:00:00Z","endAt":"2026-03-01T23:00:00Z","state":"IN_PROGRESS","startedAt":"2026-03-01T22:03:10Z","steps":[{"id":"#13","name":"Gate"},{"id":"#14","name":"Yard","actions":[{"id":"#15","name":"Locked","type":"BOOLEAN"}]}]}"##,
    );
    let Record::TaskExecution(new) = record(&line) else { panic!("{line}") };
    let execution = new.execution;
    assert_eq!(execution.progress, Progress::InProgress { started_at: at("2026-03-01T22:03:10Z") });
    let text = written(&Record::from(execution));
    let steps = with_ids(
        r##""steps":[{"id":"#13","name":"Gate","order":0,"actualOrder":null,"state":"PENDING","actions":[],"pointId":null,"seriesId":null},{"id":"#14","name":"Yard","order":1,"actualOrder":null,"state":"PENDING","actions":[{"id":"#15","name":"Locked","type":"BOOLEAN","state":"PENDING","numberValue":null,"minValue":null,"maxValue":null,"order":0,"required":false,"seriesId":null,"booleanValue":null,"textValue":null,"mediaIds":null}],"pointId":null,"seriesId":null}],"assigneeIds":"##,
    );
    assert!(text.contains(&steps), "{text}");
}

#[test]
fn entries_of_reports_come_with_their_outcomes() {
    let position = Position { latitude: 59.93, longitude: 30.0 };
    let scan = Entry {
        id: id(21),
        kind: EntryType::Scan,
        at: at("2026-03-01T22:05:00Z"),
        position: Some(ReportPosition { position, accuracy: 4.5 }),
        performer_id: None,
        step_id: Some(id(12)),
        action_id: None,
        technology: Some(PointType::Qr),
        code: Some("GATE".to_owned()),
        boolean_value: None,
        number_value: None,
        text_value: None,
        media_ids: Vec::new(),
    };
    let args = vec!["160".to_owned(), "104".to_owned()];
    let verdicts = vec![Verdict { code: VerdictCode::Distance, args }, VerdictCode::Order.into()];
    let report = Report {
        execution_id: id(11),
        entry: scan.clone(),
        user_id: Some(id(5)),
        received_at: at("2026-03-01T22:05:01Z"),
        outcome: EntryOutcome::Accepted { number: 0, verdicts },
    };
    // As the API lists it, with messages.
    assert_forms(
        r##"{"kind":"report","taskExecutionId":"#11","id":"#21","type":"SCAN","at":"2026-03-01T22:05:00Z","position":{"latitude":59.93,"longitude":30,"accuracy":4.5},"stepId":"#12","technology":"QR","code":"GATE","mediaIds":[],"receivedAt":"2026-03-01T22:05:01Z","userId":"#5","outcome":"ACCEPTED","refusal":null,"verdicts":[{"code":"presence.distance","message":"too far from the point","args":["160","104"]},{"code":"order.violated","message":null}]}"##,
        &report.clone().into(),
        r##"{"kind":"report","taskExecutionId":"#11","id":"#21","type":"SCAN","at":"2026-03-01T22:05:00.000Z","position":{"latitude":59.93,"longitude":30,"accuracy":4.5},"performerId":null,"stepId":"#12","actionId":null,"technology":"QR","code":"GATE","booleanValue":null,"numberValue":null,"textValue":null,"mediaIds":[],"receivedAt":"2026-03-01T22:05:01.000Z","userId":"#5","outcome":"ACCEPTED","refusal":null,"verdicts":[{"code":"presence.distance","args":["160","104"]},{"code":"order.violated","args":[]}]}"##,
    );
    let note = Entry {
        kind: EntryType::Note,
        position: None,
        step_id: None,
        technology: None,
        code: None,
        text_value: Some("Дождь".to_owned()),
        media_ids: vec![id(31), id(30)],
        ..scan
    };
    let outcome = EntryOutcome::Refused(RefusalCode::Reference);
    let report = Report { entry: note, user_id: None, outcome, ..report };
    assert_forms(
        r##"{"kind":"report","taskExecutionId":"#11","id":"#21","type":"NOTE","at":"2026-03-01T22:05:00Z","textValue":"Дождь","mediaIds":["#31","#30","#31"],"receivedAt":"2026-03-01T22:05:01Z","outcome":"REFUSED","refusal":{"code":"validation.reference.failed","message":"unknown"}}"##,
        &report.into(),
        r##"{"kind":"report","taskExecutionId":"#11","id":"#21","type":"NOTE","at":"2026-03-01T22:05:00.000Z","position":null,"performerId":null,"stepId":null,"actionId":null,"technology":null,"code":null,"booleanValue":null,"numberValue":null,"textValue":"Дождь","mediaIds":["#31","#30"],"receivedAt":"2026-03-01T22:05:01.000Z","userId":null,"outcome":"REFUSED","refusal":{"code":"validation.reference.failed"},"verdicts":[]}"##,
    );
}
