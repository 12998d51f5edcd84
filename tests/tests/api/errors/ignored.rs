//! `Patrol-Ignored`: unknown parts of a request.

use patrol_tests::{
    Answer, Running,
    company::{GATE, GUARD, LOCKED, PORT},
    completed, execution_id, planned, with,
};
use serde_json::json;

fn ignored(answer: &Answer) -> Option<&str> {
    answer.header("Patrol-Ignored")
}

fn running() -> Running {
    Running::with([planned(1), completed(2)])
}

#[test]
fn unknown_members_are_named_by_their_paths() {
    let running = running();
    let one = format!("/task-executions/{}", execution_id(1));
    let answer = running.admin.patch(&one, &json!({ "nmae": 1, "tags": [], "a b,c%é": null }));
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(ignored(&answer), Some("nmae,a%20b%2Cc%25%C3%A9"));

    let mut body = running.read(1);
    body["foo"] = json!({ "bar": 1 });
    body["steps"][0]["foo"] = json!(1);
    body["steps"][1]["actions"][0]["mandatory"] = json!(true);
    let answer = running.admin.put(&one, &body);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let mut names: Vec<_> = ignored(&answer).unwrap().split(',').collect();
    names.sort_unstable();
    assert_eq!(names, ["foo", "steps[0].foo", "steps[1].actions[0].mandatory"]);

    let batch = json!([{ "id": GUARD, "phone": "1", "fone": "1" }]);
    assert_eq!(ignored(&running.admin.post("/users/batch", &batch)), Some("[0].fone"));
    // Members of other operations, or of the record only, are unknown here.
    let answer = running.admin.patch(&one, &json!({ "state": "COMPLETED", "steps": [] }));
    assert_eq!(ignored(&answer), Some("state,steps"));
    let answer = running.admin.patch(&format!("/users/{GUARD}"), &json!({ "photoId": null }));
    assert_eq!(ignored(&answer), Some("photoId"));
}

#[test]
fn nothing_is_named_when_everything_is_known() {
    let running = running();
    let one = format!("/task-executions/{}", execution_id(1));
    for answer in [
        running.admin.get(&one),
        running.admin.get("/task-executions/info?limit=1&state=PENDING&name=&q="),
        running.admin.get("/locations?limit=1&withGraphicPlan=true&sort=id&offset=0"),
        running.admin.get("/tokens?limit=1&userId="),
        running.admin.patch(&one, &json!({ "published": false })),
        // The body of a GET response may be sent back.
        running.admin.put(&one, &running.read(1)),
        running.admin.put(
            &format!("/locations/points/{GATE}"),
            &running.admin.get(&format!("/locations/points/{GATE}")).ok(),
        ),
        running.admin.put(
            &format!("/check-lists/actions/{LOCKED}"),
            &json!({ "id": LOCKED, "name": "Locked", "type": "BOOLEAN" }),
        ),
    ] {
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(ignored(&answer), None);
    }
}

#[test]
fn members_of_places_on_plans_are_kept_and_not_named() {
    let running = running();
    let place = json!({ "id": patrol_tests::company::PLAN, "x": 0.5, "y": 1, "colour": "red" });
    let point = json!({
        "locationId": PORT, "name": "New", "type": "VIRTUAL", "graphicPlans": [place], "id": GATE,
    });
    let answer = running.admin.post("/locations/points", &point);
    assert_eq!(answer.json(201)["graphicPlans"], json!([place]));
    // A new point gets a new id.
    assert_eq!(ignored(&answer), Some("id"));
}

#[test]
fn unknown_parameters_are_named_once_each() {
    let running = running();
    let one = format!("/task-executions/{}", execution_id(1));
    for (path, names) in [
        ("/task-executions/info?stat=ERROR&state=PENDING&Limit=1&stat=x&limit=1", "stat,Limit"),
        ("/task-executions/info?n%C3%A4me=1&a%2Cb", "n%C3%A4me,a%2Cb"),
        ("/locations?state=PENDING", "state"),
        ("/locations/points/history?withGraphicPlan=true", "withGraphicPlan"),
        ("/tokens?q=x", "q"),
        (&format!("{one}?x=1&limit=1"), "x,limit"),
        (&format!("/users/{GUARD}/photo?size=2"), "size"),
    ] {
        assert_eq!(ignored(&running.admin.get(path)), Some(names), "{path}");
    }
    let answer = running.admin.patch(&format!("{one}?dryRun=true"), &json!({ "y": 1 }));
    assert_eq!(ignored(&answer), Some("dryRun,y"));
    assert_eq!(ignored(&running.admin.delete(&format!("{one}?x"))), Some("x"));
}

#[test]
fn errors_name_it_too() {
    let running = running();
    let nowhere = format!("/task-executions/{}", execution_id(77));
    let answer = running.admin.patch(&format!("{nowhere}?x"), &json!({ "y": 1 }));
    assert_eq!((answer.status, ignored(&answer)), (404, Some("x,y")));
    let done = format!("/task-executions/{}", execution_id(2));
    let answer = running.admin.patch(&done, &json!({ "name": 1, "y": 1 }));
    assert_eq!((answer.status, ignored(&answer)), (400, Some("y")));
    let answer = running.admin.get("/task-executions/info?limit=x&y=1");
    assert_eq!((answer.status, ignored(&answer)), (400, Some("y")));
}

#[test]
fn at_most_twenty_are_named_and_long_names_are_cut() {
    let running = running();
    let one = format!("/task-executions/{}", execution_id(1));
    let many: serde_json::Map<_, _> =
        (0..50).map(|n| (format!("member{n:02}"), json!(n))).collect();
    let answer = running.admin.patch(&one, &json!(many));
    assert_eq!(ignored(&answer).unwrap().split(',').count(), 20);
    let query: Vec<_> = (0..15).map(|n| format!("parameter{n}")).collect();
    let answer = running.admin.patch(&format!("{one}?{}", query.join("&")), &json!(many));
    let names: Vec<_> = ignored(&answer).unwrap().split(',').collect();
    assert_eq!((names.len(), names[0], names[15]), (20, "parameter0", "member00"));
    let long = json!({ "x".repeat(1_000_000): 1, "ж".repeat(1_000): 1, "z": 1 });
    let answer = running.admin.patch(&one, &long);
    assert_eq!(answer.status, 200);
    assert!(ignored(&answer).is_some_and(|names| names.len() <= 2_048));
    // A record of the greatest size that import allows is not reported as unknown.
    let named = with(running.read(1), json!({ "name": "y".repeat(255) }));
    assert_eq!(ignored(&running.admin.put(&one, &named)), None);
}
