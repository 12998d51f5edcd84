//! GET /figures.

use patrol_tests::{
    Answer, Running, Store,
    company::{AIRPORT, EMPLOYEE, GUARD, MANAGER, PORT, ROUND, company},
    completed, detail, escaped, in_progress, planned, with,
};
use serde_json::{Value, json};

/// The figures with these parameters, of all rounds.
fn figures(running: &Running, parameters: &[(&str, &str)]) -> Answer {
    let query: Vec<_> =
        parameters.iter().map(|(name, value)| format!("{name}={}", escaped(value))).collect();
    running.admin.get(&format!("/figures?{}", query.join("&")))
}

/// A round that is planned from this time on, for two hours.
fn at(round: Value, start_at: &str, end_at: &str) -> Value {
    with(round, json!({ "startAt": start_at, "endAt": end_at }))
}

fn walked(n: u32, started_at: &str, ended_at: &str) -> Value {
    with(completed(n), json!({ "startedAt": started_at, "endedAt": ended_at }))
}

/// Rounds on both sides of the change of the clock in Berlin on 30 March 2025, the last day of a week.
fn rounds() -> [Value; 6] {
    [
        // On time, 30 minutes.
        at(
            walked(1, "2025-03-29T22:10:00Z", "2025-03-29T22:40:00Z"),
            "2025-03-29T22:00:00Z",
            "2025-03-30T00:00:00Z",
        ),
        // Late, 45 minutes; the day of Berlin has begun.
        at(
            walked(2, "2025-03-29T23:10:00.001Z", "2025-03-29T23:55:00.001Z"),
            "2025-03-29T23:00:00Z",
            "2025-03-30T01:00:00Z",
        ),
        // The last hour of that day, which has 23.
        at(
            with(in_progress(3), json!({ "startedAt": "2025-03-30T21:00:00Z" })),
            "2025-03-30T21:00:00Z",
            "2025-03-30T23:00:00Z",
        ),
        with(
            at(planned(4), "2025-03-30T22:00:00Z", "2025-03-31T00:00:00Z"),
            json!({ "locationId": AIRPORT }),
        ),
        with(
            at(planned(5), "2025-03-30T22:00:00Z", "2025-03-31T00:00:00Z"),
            json!({ "published": false }),
        ),
        // The first moment after the period.
        at(planned(6), "2025-04-01T00:00:00Z", "2025-04-01T02:00:00Z"),
    ]
}

fn running() -> Running {
    Running::set(Store::with(&company().and(rounds())), &[("PATROL_TIME_ZONE", "Europe/Berlin")])
}

const MARCH: [(&str, &str); 2] = [("from", "2025-03-01T00:00:00Z"), ("to", "2025-04-01T00:00:00Z")];

/// The keys and the numbers of planned rounds.
fn planned_by(running: &Running, parameters: &[(&str, &str)]) -> Vec<(Value, i64)> {
    let answer = figures(running, &[&MARCH, parameters].concat()).ok();
    let rows = answer["data"].as_array().expect("rows");
    let all = rows.iter().map(|row| row["planned"].as_i64().expect("a number"));
    assert_eq!(answer["total"]["planned"], json!(all.sum::<i64>()));
    rows.iter().map(|row| (row["key"].clone(), row["planned"].as_i64().unwrap())).collect()
}

#[test]
fn a_period_is_counted() {
    let running = running();
    let answer = figures(&running, &MARCH).ok();
    let row = json!({
        "key": null, "name": null, "planned": 4, "completed": 2, "onTime": 1, "late": 2, "missed": 2,
        "inProgress": 1, "steps": 8, "executedSteps": 5, "errorCount": 1, "warningCount": 1,
        "flagCount": 0, "averageMinutes": 37.5,
    });
    assert_eq!(answer, json!({ "data": [row], "total": row }));
    // Nothing is planned.
    let nothing = [("from", "2024-01-01"), ("to", "2024-01-01")];
    let empty = figures(&running, &nothing).ok();
    assert_eq!(
        (&empty["data"][0]["planned"], &empty["data"][0]["averageMinutes"]),
        (&json!(0), &Value::Null)
    );
    let grouped = figures(&running, &[&nothing[..], &[("groupBy", "day")]].concat()).ok();
    assert_eq!((&grouped["data"], &grouped["total"]["planned"]), (&json!([]), &json!(0)));
}

#[test]
fn rounds_are_grouped() {
    let running = running();
    let by = |what, zone| planned_by(&running, &[("groupBy", what), ("timeZone", zone)]);
    let keys = |rows: &[(&str, i64)]| {
        rows.iter().map(|(key, planned)| (json!(key), *planned)).collect::<Vec<_>>()
    };
    assert_eq!(by("day", ""), keys(&[("2025-03-29", 1), ("2025-03-30", 2), ("2025-03-31", 1)]));
    assert_eq!(by("day", "UTC"), keys(&[("2025-03-29", 2), ("2025-03-30", 2)]));
    assert_eq!(by("week", ""), keys(&[("2025-W13", 3), ("2025-W14", 1)]));
    assert_eq!(by("week", "UTC"), keys(&[("2025-W13", 4)]));
    assert_eq!(by("month", "Pacific/Kiritimati"), keys(&[("2025-03", 4)]));
    assert_eq!(by("location", ""), keys(&[(PORT, 3), (AIRPORT, 1)]));
    assert_eq!(by("scheduledTask", ""), keys(&[(ROUND, 4)]));
    assert_eq!(by("performer", ""), [(json!(GUARD), 3), (Value::Null, 1)]);
    assert_eq!(
        planned_by(&running, &[("groupBy", "location"), ("locationId", AIRPORT)]),
        keys(&[(AIRPORT, 1)])
    );
    assert_eq!(planned_by(&running, &[("performerId", GUARD)]), [(Value::Null, 3)]);
    assert_eq!(planned_by(&running, &[("scheduledTaskId", ROUND)]), [(Value::Null, 4)]);
    let named = figures(&running, &[&MARCH[..], &[("groupBy", "location")]].concat()).ok();
    assert!(named["data"][0]["name"].is_string(), "{named}");
}

#[test]
fn the_bounds_of_a_period_may_be_local_dates() {
    let running = running();
    let planned = |from, to, zone| {
        let answer = figures(&running, &[("from", from), ("to", to), ("timeZone", zone)]).ok();
        answer["total"]["planned"].as_i64().expect("a number")
    };
    assert_eq!(planned("2025-03-30", "2025-03-31", ""), 2);
    assert_eq!(planned("2025-03-30", "2025-03-31", "UTC"), 2);
    assert_eq!(planned("2025-03-29", "2025-03-30", "Europe/Berlin"), 1);
    assert_eq!(planned("2025-03-30T00:00:00+01:00", "2025-03-31T00:00:00+02:00", "UTC"), 2);
    assert_eq!(planned("0001-01-01", "9999-12-31", "UTC"), 5);
}

#[test]
fn weeks_are_those_of_iso_8601_and_the_mean_is_not_rounded() {
    // Around the ends of years: 20, 30 and 50 seconds.
    let rounds = [
        (1, "2021-01-03T08:00:00Z", "2021-01-03T08:00:20Z"),
        (2, "2024-12-29T08:00:00Z", "2024-12-29T08:00:30Z"),
        (3, "2024-12-30T08:00:00Z", "2024-12-30T08:00:50Z"),
    ];
    let rounds = rounds.map(|(n, start, end)| at(walked(n, start, end), start, end));
    let running = Running::on(Store::with(&company().and(rounds)));
    let keys = |group_by| {
        let period = [("from", "2020-12-01"), ("to", "2025-02-01"), ("groupBy", group_by)];
        let answer = figures(&running, &period).ok();
        assert_eq!(answer["total"]["averageMinutes"], json!(5.0 / 9.0), "{answer}");
        let rows = answer["data"].as_array().expect("rows").iter();
        rows.map(|row| row["key"].as_str().expect("a key").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(keys("week"), ["2020-W53", "2024-W52", "2025-W01"]);
    assert_eq!(keys("month"), ["2021-01", "2024-12"]);
}

#[test]
fn csv_has_a_header_line_and_errors_stay_json() {
    let running = running();
    let formula = json!({ "firstName": "=Gus" });
    assert_eq!(running.admin.patch(&format!("/users/{GUARD}"), &formula).status, 200);
    let path = "/figures?from=2025-03-01&to=2025-04-01&groupBy=performer";
    let csv = running.admin.with("Accept", "text/csv");
    let answer = csv.get(path);
    assert_eq!((answer.status, answer.header("Vary")), (200, Some("Accept")));
    assert_eq!(answer.header("Content-Type"), Some("text/csv; charset=utf-8"));
    let header = "key,name,planned,completed,onTime,late,missed,inProgress,steps,executedSteps,\
        errorCount,warningCount,flagCount,averageMinutes";
    let by_guard = format!("{GUARD},'=Gus Ash,3,2,1,1,1,1,6,5,1,1,0,37.5");
    let without_guard = ",,1,0,0,1,1,0,2,0,0,0,0,";
    assert_eq!(answer.text(), format!("{header}\r\n{by_guard}\r\n{without_guard}\r\n"));
    for accept in ["*/*", "application/json", "application/json, text/csv;q=0.9"] {
        let answer = running.admin.with("Accept", accept).get(path);
        assert_eq!(answer.ok()["total"]["planned"], 4, "{accept}");
        assert_eq!(answer.header("Vary"), Some("Accept"), "{accept}");
    }
    let malformed = csv.get("/figures?from=x&to=2025-04-01");
    malformed.misunderstood(&[detail("data.type.invalid", "from", &["TIMESTAMP"])]);
    let employee = running.api(EMPLOYEE).with("Accept", "text/csv");
    let _ = employee.get(path).refused(403, "access.denied");
}

#[test]
fn faults_are_named_all_at_once() {
    let running = running();
    let invalid = |parameters: &[(&str, &str)], details: &[Value]| {
        figures(&running, parameters).misunderstood(details);
    };
    let missing = |name: &str| detail("validation.notnull.failed", name, &[]);
    invalid(&[], &[missing("from"), missing("to")]);
    invalid(&[("to", ""), ("from", "2025-01-01")], &[missing("to")]);
    invalid(
        &[
            ("groupBy", "Day"),
            ("from", "2025-02-30"),
            ("timeZone", "europe/berlin"),
            ("locationId", "port"),
            ("timeZone", "UTC"),
        ],
        &[
            detail(
                "validation.enum.failed",
                "groupBy",
                &["day", "week", "month", "location", "performer", "scheduledTask"],
            ),
            detail("data.type.invalid", "from", &["TIMESTAMP"]),
            detail("validation.enum.failed", "timeZone", &[]),
            detail("data.type.invalid", "locationId", &["UUID"]),
            detail("validation.unique.failed", "timeZone", &[]),
            missing("to"),
        ],
    );
    let period = |name: &str| [detail("validation.period.failed", name, &[])];
    invalid(&[("from", "2025-01-02"), ("to", "2025-01-01")], &period("to"));
    invalid(
        &[("from", "0001-01-01"), ("to", "2025-01-01"), ("timeZone", "Asia/Tokyo")],
        &period("from"),
    );
    let ignored = figures(&running, &[&MARCH[..], &[("stat", "1")]].concat());
    assert_eq!(ignored.header("patrol-ignored"), Some("stat"));
}

#[test]
fn an_employee_sees_no_figures() {
    let running = running();
    let path = "/figures?from=2025-01-01&to=2026-01-01";
    let _ = running.api(EMPLOYEE).get(path).refused(403, "access.denied");
    let _ = running.api(MANAGER).get(path).ok();
}
