//! Every filter with every operator.

use patrol_tests::{
    Running,
    company::{ADMIN, AIRPORT, EMPLOYEE, GATE, GUARD, NOBODY, PIER, PORT, ROUND, TOWER, YARD},
    execution_id, series_of,
};
use serde_json::json;

use super::{list, numbers, rounds, running};

/// Checks which rounds match a filter with each of these values.
fn check(running: &Running, parameter: &str, cases: &[(&str, &[u32])]) {
    for (value, expected) in cases {
        let answer = list(running, &[(parameter, value)]);
        assert_eq!(numbers(&answer), *expected, "{parameter}={value}");
        let count = answer.ok()["meta"]["count"].as_u64().unwrap();
        assert_eq!(count, expected.len() as u64, "{parameter}={value}");
    }
}

#[test]
fn name() {
    let running = running();
    check(
        &running,
        "name",
        &[
            // Free text matches a part, ignoring case.
            ("alpha", &[1]),
            ("LPH", &[1]),
            ("а", &[3, 4, 5]),
            ("БЕТА", &[3, 4]),
            ("Ёлка", &[5]),
            ("елка", &[]),
            ("like:БеТа", &[3, 4]),
            ("like:a,b", &[]),
            ("a_x", &[]),
            // Plain characters without a special meaning.
            ("%", &[4]),
            ("_", &[5]),
            ("\\", &[6]),
            ("'", &[6]),
            ("\"", &[6]),
            ("like:%", &[4]),
            ("like:_", &[5]),
            ("A%a", &[]),
            ("*", &[]),
            // Operators compare the whole text.
            ("eq:ALPHA", &[1]),
            ("eq:Alph", &[]),
            ("eq:бета", &[3]),
            ("eq:ёлка_x, y", &[5]),
            ("ne:alpha", &[2, 3, 4, 5, 6]),
            ("ne:БЕТА", &[1, 2, 4, 5, 6]),
            ("in:alpha,БЕТА", &[1, 3]),
            ("in:alpha", &[1]),
            ("nin:alpha,БЕТА", &[2, 4, 5, 6]),
            ("nin:Alpha", &[2, 3, 4, 5, 6]),
            // In free text a comma is a plain character.
            ("x, y", &[5]),
            // Values that only look like an operator.
            ("x:", &[6]),
            ("X:Y", &[6]),
            ("like:in:", &[6]),
            ("eq:in: \\ 'q' \"d\" x:y", &[6]),
            (":", &[6]),
        ],
    );
}

#[test]
fn state() {
    check(
        &running(),
        "state",
        &[
            ("PENDING", &[1, 5, 6]),
            ("eq:IN_PROGRESS", &[2]),
            ("ne:COMPLETED", &[1, 2, 5, 6]),
            ("in:IN_PROGRESS", &[2]),
            ("in:IN_PROGRESS,COMPLETED", &[2, 3, 4]),
            ("PENDING,IN_PROGRESS", &[1, 2, 5, 6]),
            ("nin:PENDING,COMPLETED", &[2]),
        ],
    );
}

#[test]
fn status() {
    check(
        &running(),
        "status",
        &[
            ("ERROR", &[2]),
            ("eq:SUCCESS", &[3]),
            ("in:SUCCESS,WARNING,ERROR", &[2, 3, 4]),
            ("WARNING,ERROR", &[2, 4]),
            // Null matches `ne:` and `nin:`.
            ("ne:SUCCESS", &[1, 2, 4, 5, 6]),
            ("nin:SUCCESS,WARNING,ERROR", &[1, 5, 6]),
        ],
    );
}

#[test]
fn priority() {
    check(
        &running(),
        "priority",
        &[
            ("in:NORMAL", &[2, 6]),
            ("MINOR", &[1]),
            ("eq:CRITICAL", &[4]),
            ("ne:MAJOR", &[1, 2, 4, 6]),
            ("MINOR,MAJOR", &[1, 3, 5]),
            ("nin:NORMAL,MAJOR", &[1, 4]),
        ],
    );
}

#[test]
fn user() {
    let both = format!("in:{ADMIN},{GUARD}");
    let listed = format!("{ADMIN},{EMPLOYEE}");
    let neither = format!("nin:{ADMIN},{GUARD}");
    check(
        &running(),
        "userId",
        &[
            (GUARD, &[1, 2, 3, 6]),
            (&GUARD.to_uppercase(), &[1, 2, 3, 6]),
            (&format!("eq:{EMPLOYEE}"), &[3, 4, 6]),
            (&both, &[1, 2, 3, 4, 6]),
            (&listed, &[3, 4, 6]),
            (&format!("ne:{GUARD}"), &[4, 5]),
            (&neither, &[5]),
            (NOBODY, &[]),
            (&format!("ne:{NOBODY}"), &[1, 2, 3, 4, 5, 6]),
        ],
    );
}

#[test]
fn id() {
    let ids = |some: &[u32]| some.iter().map(|n| execution_id(*n)).collect::<Vec<_>>().join(",");
    check(
        &running(),
        "id",
        &[
            (&ids(&[2]), &[2]),
            (&ids(&[2]).to_uppercase(), &[2]),
            (&format!("eq:{}", ids(&[6])), &[6]),
            (&format!("in:{}", ids(&[4, 1, 77])), &[1, 4]),
            (&ids(&[3, 5]), &[3, 5]),
            (&format!("ne:{}", ids(&[3])), &[1, 2, 4, 5, 6]),
            (&format!("nin:{}", ids(&[1, 2, 3, 77])), &[4, 5, 6]),
            (NOBODY, &[]),
        ],
    );
}

#[test]
fn scheduled_task() {
    let other = "0190a000-0004-7000-8000-000000000002";
    let task = json!({ "kind": "scheduledTask", "id": other, "name": "Another" });
    let mut rounds = rounds();
    for at in [1, 4] {
        rounds[at]["scheduledTaskId"] = json!(other);
    }
    check(
        &Running::with([task].into_iter().chain(rounds)),
        "scheduledTaskId",
        &[
            (other, &[2, 5]),
            (&format!("eq:{ROUND}"), &[1, 3, 4, 6]),
            (&format!("in:{ROUND},{other}"), &[1, 2, 3, 4, 5, 6]),
            (&format!("ne:{ROUND}"), &[2, 5]),
            (&format!("nin:{other},{NOBODY}"), &[1, 3, 4, 6]),
            (NOBODY, &[]),
        ],
    );
}

#[test]
fn series() {
    let (two, six) = (series_of(7), series_of(3));
    check(
        &running(),
        "seriesId",
        &[
            (&two, &[2]),
            (&format!("eq:{six}"), &[6]),
            (&format!("in:{two},{six}"), &[2, 6]),
            (&format!("{two},{six}"), &[2, 6]),
            // Null matches `ne:` and `nin:`.
            (&format!("ne:{two}"), &[1, 3, 4, 5, 6]),
            (&format!("nin:{two},{six}"), &[1, 3, 4, 5]),
            (NOBODY, &[]),
        ],
    );
}

#[test]
fn performer() {
    check(
        &running(),
        "performerId",
        &[
            (GUARD, &[2, 3]),
            (&format!("eq:{EMPLOYEE}"), &[4]),
            (&format!("in:{GUARD},{EMPLOYEE}"), &[2, 3, 4]),
            (&format!("ne:{GUARD}"), &[1, 4, 5, 6]),
            (&format!("nin:{GUARD},{EMPLOYEE}"), &[1, 5, 6]),
            // Assignees do not count.
            (ADMIN, &[]),
        ],
    );
}

#[test]
fn location() {
    check(
        &running(),
        "locationId",
        &[
            (PORT, &[1, 2, 4]),
            (&format!("eq:{YARD}"), &[5]),
            (&format!("in:{YARD},{AIRPORT}"), &[3, 5, 6]),
            (&format!("{YARD},{AIRPORT}"), &[3, 5, 6]),
            (&format!("ne:{PORT}"), &[3, 5, 6]),
            (&format!("nin:{YARD},{AIRPORT}"), &[1, 2, 4]),
        ],
    );
}

#[test]
fn point() {
    check(
        &running(),
        "pointId",
        &[
            (PIER, &[1, 2, 4, 6]),
            (&format!("eq:{TOWER}"), &[3]),
            (&format!("in:{GATE},{TOWER}"), &[1, 2, 3, 4]),
            (&format!("{GATE},{TOWER}"), &[1, 2, 3, 4]),
            (&format!("ne:{GATE}"), &[3, 5, 6]),
            (&format!("nin:{GATE},{TOWER}"), &[5, 6]),
        ],
    );
}

#[test]
fn tags() {
    check(
        &running(),
        "tags",
        &[
            ("fire", &[1, 2]),
            ("Fire", &[5]),
            ("FIRE", &[]),
            ("пожар", &[6]),
            ("eq:night", &[2]),
            ("nig", &[]),
            ("in:night,day_1", &[2, 4]),
            ("night,day_1", &[2, 4]),
            ("day%", &[]),
            ("a%b", &[5]),
            ("ne:fire", &[3, 4, 5, 6]),
            ("nin:fire,Fire", &[3, 4, 6]),
        ],
    );
}

#[test]
fn published() {
    check(
        &running(),
        "published",
        &[
            ("true", &[1, 2, 4, 6]),
            ("false", &[3, 5]),
            ("eq:true", &[1, 2, 4, 6]),
            ("eq:false", &[3, 5]),
            ("ne:true", &[3, 5]),
            ("ne:false", &[1, 2, 4, 6]),
        ],
    );
}

#[test]
fn start_and_end() {
    let running = running();
    check(
        &running,
        "startAt",
        &[
            ("2026-01-02T08:00:00.000Z", &[2]),
            ("2026-01-02T10:00:00+02:00", &[2]),
            ("2026-01-02T08:00:00.000999Z", &[2]),
            ("2026-01-02T08:00:00.001Z", &[]),
            ("eq:2026-01-05T08:00:00Z", &[5, 6]),
            ("ne:2026-01-05T08:00:00Z", &[1, 2, 3, 4]),
            ("gt:2026-01-04T08:00:00Z", &[5, 6]),
            ("gte:2026-01-04T08:00:00Z", &[4, 5, 6]),
            ("lt:2026-01-02T08:00:00Z", &[1]),
            ("lte:2026-01-02T08:00:00Z", &[1, 2]),
        ],
    );
    check(
        &running,
        "endAt",
        &[
            ("2026-01-02T10:00:00Z", &[2]),
            ("eq:2026-01-15T10:00:00Z", &[6]),
            ("ne:2026-01-15T10:00:00Z", &[1, 2, 3, 4, 5]),
            ("gt:2026-01-05T10:00:00Z", &[6]),
            ("gte:2026-01-05T10:00:00Z", &[5, 6]),
            ("lt:2026-01-02T10:00:00Z", &[1]),
            ("lte:2026-01-02T10:00:00Z", &[1, 2]),
        ],
    );
}

#[test]
fn filters_hold_together() {
    let running = running();
    for (parameters, expected) in [
        (&[("state", "PENDING"), ("published", "true")][..], &[1, 6][..]),
        (&[("tags", "fire"), ("tags", "night")], &[2]),
        (&[("tags", "fire"), ("tags", "ne:night")], &[1]),
        (&[("name", "бета"), ("name", "ne:бета")], &[4]),
        (
            &[("startAt", "gt:2026-01-01T08:00:00Z"), ("startAt", "lt:2026-01-04T08:00:00Z")],
            &[2, 3],
        ),
        (&[("userId", GUARD), ("userId", EMPLOYEE)], &[3, 6]),
        (&[("pointId", GATE), ("locationId", PORT), ("status", "WARNING")], &[4]),
        (&[("state", "PENDING"), ("state", "COMPLETED")], &[]),
    ] {
        assert_eq!(numbers(&list(&running, parameters)), expected, "{parameters:?}");
    }
}

#[test]
fn filters_follow_the_changes_of_a_record() {
    let running = running();
    let path = format!("/task-executions/{}", patrol_tests::execution_id(1));
    let change = serde_json::json!({
        "name": "Гамма", "tags": ["новый"], "assigneeIds": [ADMIN], "locationId": YARD,
        "priority": "CRITICAL", "published": false, "description": "ЮГ",
    });
    let _ = running.admin.patch(&path, &change).ok();
    for (parameter, new, old) in [
        ("name", "ГАММА", "alpha"),
        ("tags", "новый", "fire"),
        ("userId", ADMIN, GUARD),
        ("locationId", YARD, PORT),
        ("priority", "CRITICAL", "MINOR"),
        ("published", "false", "true"),
        ("q", "юг", "nothing"),
    ] {
        assert!(numbers(&list(&running, &[(parameter, new)])).contains(&1), "{parameter}={new}");
        assert!(!numbers(&list(&running, &[(parameter, old)])).contains(&1), "{parameter}={old}");
    }
    let _ = running
        .admin
        .put(
            &path,
            &serde_json::json!({
                "name": "x", "locationId": PORT, "startAt": "2027-01-01T00:00:00Z",
                "endAt": "2027-01-01T00:00:00Z", "steps": [{ "name": "s", "pointId": TOWER }],
            }),
        )
        .ok();
    assert_eq!(numbers(&list(&running, &[("pointId", TOWER)])), [1, 3]);
    assert_eq!(numbers(&list(&running, &[("pointId", GATE)])), [2, 4]);
    running.admin.delete(&path).is_bare(204);
    assert_eq!(numbers(&list(&running, &[("pointId", TOWER)])), [3]);
}
