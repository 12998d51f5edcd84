//! Paths and methods.

use std::collections::{BTreeMap, BTreeSet};

use patrol_tests::{
    Description,
    company::{GATE, GUARD, PORT, ROUND},
    detail, execution_id,
};

use super::{check_untouched, operations, running};

#[test]
fn an_unknown_path_is_not_found() {
    let running = running();
    let id = execution_id(1);
    for path in [
        "".to_owned(),
        "/".to_owned(),
        "/task-executions/".to_owned(),
        format!("/task-executions/{id}/"),
        "/task-executions/info/".to_owned(),
        format!("/task-executions/{id}/copy/"),
        format!("/task-executions/{id}/unknown"),
        format!("/task-executions/{id}/series/1"),
        format!("//task-executions/{id}"),
        format!("/Task-Executions/{id}"),
        format!("/v1/task-executions/{id}"),
        "/%00".to_owned(),
        "/scheduled-tasks/".to_owned(),
        format!("/scheduled-tasks/{ROUND}/"),
        format!("/scheduled-tasks/{ROUND}/steps"),
        "/users/".to_owned(),
        "/me/".to_owned(),
        "/users/batch/".to_owned(),
        format!("/users/{GUARD}/"),
        format!("/users/{GUARD}/photo/"),
        format!("/users/{GUARD}/photos"),
        "/locations/".to_owned(),
        "/locations/points/".to_owned(),
        format!("/locations/{PORT}/"),
        format!("/locations/points/{GATE}/history"),
        "/check-lists/".to_owned(),
        format!("/check-lists/{GATE}/actions/"),
        "/scheduled-tasks/preview/".to_owned(),
    ] {
        for method in ["GET", "POST", "DELETE", "OPTIONS"] {
            let answer = running.admin.send(method, &path, None);
            answer.refused(404, "not.found").shows(&[]);
        }
        // The route is checked before the token.
        let _ = running.server.api().get(&path).refused(404, "not.found");
    }
    let _ = running.admin.outside("/nowhere").refused(404, "not.found");
    let _ = running.admin.outside(&format!("/task-executions/{id}")).refused(404, "not.found");
}

#[test]
fn a_known_path_says_what_it_allows() {
    let running = running();
    let id = execution_id(1);
    let document = running.server.api().outside("/openapi.json").ok();
    // A path that ends in a name in the place of the id has its own methods, or none.
    let named = [
        ("/locations/graphic-plans", &[][..]),
        ("/check-lists/actions", &[]),
        ("/check-lists/actions/actions", &["DELETE", "PUT"]),
    ];
    let mut known: BTreeMap<_, BTreeSet<_>> = named
        .map(|(path, methods)| (path.to_owned(), methods.iter().map(ToString::to_string).collect()))
        .into();
    for (path, method, _) in Description(&document).operations() {
        let allowed = known.entry(path.replace("{id}", &id)).or_default();
        allowed.extend((method == "GET").then(|| "HEAD".to_owned()));
        allowed.insert(method);
    }
    for (path, allowed) in known {
        for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "FOO"] {
            if allowed.contains(method) {
                continue;
            }
            for api in [running.admin.clone(), running.server.api()] {
                let answer = api.send(method, &path, None);
                assert_eq!(answer.status, 405, "{method} {path}");
                if method != "HEAD" {
                    answer.refused(405, "method.not.allowed").shows(&[]);
                }
                let allow = answer.header("Allow").expect("Allow").split(',').map(str::trim);
                let mut allow: Vec<_> = allow.filter(|method| !method.is_empty()).collect();
                allow.sort_unstable();
                assert_eq!(allow, Vec::from_iter(&allowed), "{method} {path}");
            }
        }
    }
    check_untouched(&running);
}

#[test]
fn the_list_is_never_an_id() {
    let running = running();
    for method in ["PUT", "PATCH", "DELETE", "POST"] {
        let answer = running.admin.text(method, "/task-executions/info", "{}");
        let _ = answer.refused(405, "method.not.allowed");
    }
}

#[test]
fn the_list_in_place_of_an_id_is_a_malformed_id() {
    let running = running();
    for (method, path) in [("GET", "events"), ("POST", "copy"), ("PUT", "series")] {
        let answer = running.admin.text(method, &format!("/task-executions/info/{path}"), "{}");
        let malformed = detail("data.type.invalid", "id", &["UUID"]);
        answer.refused(400, "input.data.invalid").shows(&[malformed]);
    }
}

#[test]
fn an_id_may_be_encoded() {
    let running = running();
    let (_, path) = &operations()[0];
    let encoded = path.replace("0190a", "%3019%30a").replace("task", "t%61sk");
    let answer = running.admin.get(&encoded);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let _ = running.admin.get("/task-executions/%ff").refused(400, "data.type.invalid");
    let _ = running.admin.get("/task-executions/a%2Fb").refused(400, "data.type.invalid");
}
