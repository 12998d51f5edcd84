//! Previews of schedules.

use serde_json::{Value, json};

use crate::tests::{Ports, TestAnswer, TestServer, code, detail, request, with_member};

fn schedule() -> Value {
    json!({
        "timeZone": "Europe/Berlin", "start": "2026-03-28T02:30:00", "durationMinutes": 90,
        "rrule": "FREQ=DAILY",
    })
}

async fn preview(body: Value) -> TestAnswer {
    let server = TestServer::new(Ports::default());
    server.send(request("POST /scheduled-tasks/preview", body.to_string())).await
}

#[actix_web::test]
async fn a_preview_has_the_occurrences_from_a_time_on() {
    let answer = preview(json!({
        "schedule": schedule(), "from": "2026-03-29T00:00:00+01:00", "limit": 2,
    }));
    let expected = json!({
        "occurrences": [
            {
                "startAt": "2026-03-29T01:30:00.000Z", "endAt": "2026-03-29T03:00:00.000Z",
                "localStart": "2026-03-29T03:30:00", "utcOffset": "+02:00",
            },
            {
                "startAt": "2026-03-30T00:30:00.000Z", "endAt": "2026-03-30T02:00:00.000Z",
                "localStart": "2026-03-30T02:30:00", "utcOffset": "+02:00",
            },
        ],
        "more": true,
    });
    let answer = answer.await;
    assert_eq!((answer.status, answer.json()), (200, expected));
}

#[actix_web::test]
async fn without_a_time_and_a_limit_it_has_fifty_from_now_on() {
    // The clock of the tests says 2026-01-31T08:00:00.000Z.
    let schedule = with_member(schedule(), "start", json!("2026-01-30T09:00:00"));
    let body = preview(json!({"schedule": schedule, "from": null, "limit": null})).await.json();
    let occurrences = body["occurrences"].as_array().unwrap();
    assert_eq!((occurrences.len(), &body["more"]), (50, &json!(true)));
    assert_eq!(occurrences[0]["startAt"], "2026-01-31T08:00:00.000Z");
    let ending = with_member(schedule, "rrule", json!("FREQ=DAILY;COUNT=51"));
    let body = preview(json!({"schedule": ending})).await.json();
    let occurrences = body["occurrences"].as_array().unwrap();
    assert_eq!((occurrences.len(), &body["more"]), (50, &json!(false)));
    let past = with_member(ending, "rrule", Value::Null);
    let body = preview(json!({"schedule": past})).await.json();
    assert_eq!(body, json!({"occurrences": [], "more": false}));
}

#[actix_web::test]
async fn members_of_the_wrong_type_are_named() {
    let answer = preview(json!({
        "schedule": {
            "timeZone": 1, "start": "2026-02-30T00:00:00", "durationMinutes": "90", "rrule": [],
            "exdates": ["2026-03-28T02:30:00", "2026-03-28"], "rdates": [null], "pauses": [{"from": "x", "to": 1}],
        },
        "from": "2026-03-28T02:30:00", "limit": 1.5,
    }));
    let answer = answer.await;
    assert_eq!(answer.code(), code(400, "input.data.invalid"));
    let wrong = |at, kind| detail("data.type.invalid", at, kind);
    let expected = [
        wrong("schedule.timeZone", "STRING"),
        wrong("schedule.start", "LOCAL_DATE_TIME"),
        wrong("schedule.durationMinutes", "INTEGER"),
        wrong("schedule.rrule", "STRING"),
        wrong("schedule.exdates[1]", "LOCAL_DATE_TIME"),
        wrong("schedule.rdates[0]", "LOCAL_DATE_TIME"),
        wrong("schedule.pauses[0].from", "LOCAL_DATE"),
        wrong("schedule.pauses[0].to", "LOCAL_DATE"),
        wrong("from", "TIMESTAMP"),
        wrong("limit", "INTEGER"),
    ];
    assert_eq!(answer.details(), expected);
}

#[actix_web::test]
async fn broken_rules_are_named() {
    let answer = preview(json!({"limit": 1_001})).await;
    assert_eq!(answer.code(), code(400, "validation.failed"));
    let limit = detail("validation.range.failed", "limit", "1,1000");
    let expected = [detail("validation.notnull.failed", "schedule", ""), limit];
    assert_eq!(answer.details(), expected);
    let answer = preview(json!({"schedule": {
        "timeZone": "Moon/Sea_of_Tranquility", "start": "2026-03-28T02:30:00", "durationMinutes": 0,
        "rrule": "FREQ=MINUTELY", "rdates": ["2026-03-28T02:29:59"],
        "pauses": [{"from": "2026-04-02", "to": "2026-04-01"}],
    }}));
    let expected = [
        detail("validation.enum.failed", "schedule.timeZone", ""),
        detail("validation.range.failed", "schedule.durationMinutes", "1,10080"),
        detail("validation.rrule.failed", "schedule.rrule", "FREQ=MINUTELY is not allowed"),
        detail("validation.period.failed", "schedule.rdates[0]", ""),
        detail("validation.period.failed", "schedule.pauses[0].to", ""),
    ];
    assert_eq!(answer.await.details(), expected);
}

#[actix_web::test]
async fn the_query_is_checked_before_the_version() {
    // No expectation is set: a read of the task would give 500.
    let server = TestServer::new(Ports::default());
    let body = json!({"name": "Round"}).to_string();
    let path = "PUT /scheduled-tasks/0190a000-0000-7000-8000-000000000001?dryRun=perhaps";
    let request = request(path, body).insert_header(("if-match", "\"1\", \"2\""));
    let answer = server.send(request).await;
    assert_eq!(answer.code(), code(400, "input.data.invalid"));
}

#[actix_web::test]
async fn a_user_gets_one_preview_at_a_time() {
    let server = TestServer::new(Ports::default());
    let user = crate::tests::USER.parse().map(patrol_domain::ids::UserId).unwrap();
    let permit = server.shared().schedule_expansions.acquire(user).await;
    let body = json!({"schedule": schedule()}).to_string();
    let waiting = server.send(request("POST /scheduled-tasks/preview", body));
    let mut waiting = std::pin::pin!(waiting);
    let early = tokio::time::timeout(std::time::Duration::from_millis(50), waiting.as_mut()).await;
    assert!(early.is_err(), "answered beside another preview");
    drop(permit);
    assert_eq!(waiting.await.status, 200);
    assert_eq!(server.shared().schedule_expansions.keys(), 0);
}
