//! Schedules: previews of their occurrences.

use std::thread;

use patrol_tests::{
    Running,
    company::{EMPLOYEE, MANAGER},
    detail, execution_id, planned,
};
use serde_json::{Value, json};

const PREVIEW: &str = "/scheduled-tasks/preview";

/// A round each half an hour on the night in which Lord Howe repeats half an hour.
fn body() -> Value {
    json!({
        "schedule": {
            "timeZone": "Australia/Lord_Howe", "start": "2027-04-04T00:30:00", "durationMinutes": 20,
            "rrule": "FREQ=HOURLY;BYMINUTE=0,30;COUNT=5", "exdates": ["2027-04-04T01:00:00"],
        },
        "from": "2027-04-01T00:00:00Z",
    })
}

#[test]
fn every_role_sees_the_occurrences_of_a_schedule() {
    let running = Running::with([]);
    let occurrence = |start: &str, end: &str, local: &str, offset: &str| {
        json!({
            "startAt": format!("2027-04-0{start}:00.000Z"), "endAt": format!("2027-04-0{end}:00.000Z"),
            "localStart": format!("2027-04-04T{local}:00"), "utcOffset": offset,
        })
    };
    let expected = json!({
        "occurrences": [
            occurrence("3T13:30", "3T13:50", "00:30", "+11:00"),
            occurrence("3T14:30", "3T14:50", "01:30", "+11:00"),
            occurrence("3T15:30", "3T15:50", "02:00", "+10:30"),
            occurrence("3T16:00", "3T16:20", "02:30", "+10:30"),
        ],
        "more": false,
    });
    for api in [running.admin.clone(), running.api(MANAGER), running.api(EMPLOYEE)] {
        assert_eq!(api.post(PREVIEW, &body()).ok(), expected);
    }
    let _ = running.server.api().post(PREVIEW, &body()).refused(401, "unauthorized");
    // It changes nothing, so that it has the same answer with and without a key.
    let keyed = running.admin.with("Idempotency-Key", "preview-1");
    assert_eq!(keyed.post(PREVIEW, &body()).ok(), expected);
    let again = keyed.post(PREVIEW, &body());
    assert_eq!(again.header("Idempotency-Replayed"), Some("true"));
    assert_eq!(again.ok(), expected);
    let events = running.admin.get("/events?resourceType=scheduledTask").ok();
    assert_eq!(events["data"], json!([]));
}

#[test]
fn a_wrong_schedule_is_refused_in_both_languages() {
    let running = Running::with([]);
    let mut wrong = body();
    wrong["schedule"]["rrule"] = json!("FREQ=WEEKLY;BYDAY=1MO");
    wrong["schedule"]["timeZone"] = json!("Lord_Howe");
    let why = "BYDAY has numbers only with FREQ=MONTHLY and FREQ=YEARLY";
    let details = [
        detail("validation.enum.failed", "schedule.timeZone", &[]),
        detail("validation.rrule.failed", "schedule.rrule", &[why]),
    ];
    let answer = running.admin.post(PREVIEW, &wrong);
    answer.refused(400, "validation.failed").shows(&details);
    let russian = running.admin.with("Accept-Language", "ru").post(PREVIEW, &wrong).json(400);
    let message = &russian["details"][1]["message"];
    assert_eq!(message, "должно быть допустимым правилом повторения");
    let mut paused = body();
    paused["schedule"]["pauses"] =
        json!(vec![json!({ "from": "2027-01-01", "to": "2027-01-01" }); 1_001]);
    let length = detail("validation.length.failed", "schedule.pauses", &["0", "1000"]);
    running.admin.post(PREVIEW, &paused).invalid(&[length]);
    wrong["schedule"]["start"] = json!("2027-04-04T00:30:00Z");
    let detail = detail("data.type.invalid", "schedule.start", &["LOCAL_DATE_TIME"]);
    running.admin.post(PREVIEW, &wrong).refused(400, "input.data.invalid").shows(&[detail]);
    running.admin.text("POST", PREVIEW, "{").refused(400, "input.data.invalid").shows_a_place();
}

#[test]
fn hostile_rules_of_one_user_do_not_stop_another() {
    let running = Running::with([planned(1)]);
    let employee = running.api(EMPLOYEE);
    let rules = [
        "FREQ=HOURLY;BYYEARDAY=366;BYMONTHDAY=30",
        "FREQ=HOURLY;BYMINUTE=0,15,30,45;COUNT=4000000000",
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=HOURLY;BYYEARDAY=366;BYDAY=MO",
    ];
    thread::scope(|scope| {
        let senders: Vec<_> = rules
            .iter()
            .map(|rule| {
                let body = json!({
                    "schedule": {
                        "timeZone": "Europe/Berlin", "start": "0001-01-01T00:00:00",
                        "durationMinutes": 1, "rrule": rule,
                    },
                    "from": "9000-01-01T00:00:00Z", "limit": 1000,
                });
                let employee = &employee;
                scope.spawn(move || employee.post(PREVIEW, &body).status)
            })
            .collect();
        for _ in 0..20 {
            let _ = running.admin.get(&format!("/task-executions/{}", execution_id(1))).ok();
        }
        for sender in senders {
            let status = sender.join().expect("an answer");
            // On a slow machine one may have to wait for too long for the others.
            assert!(status == 200 || status == 429, "{status}");
        }
    });
    let _ = employee.post(PREVIEW, &body()).ok();
}
