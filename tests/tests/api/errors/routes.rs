//! Paths and methods.

use patrol_tests::{
    company::{CHECK_LIST, GATE, GUARD, LOCKED, PLAN, PORT, ROUND},
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
    for (path, allowed) in [
        (format!("/task-executions/{id}"), &["DELETE", "GET", "HEAD", "PATCH", "PUT"][..]),
        ("/task-executions".to_owned(), &["POST"]),
        ("/task-executions/info".to_owned(), &["GET", "HEAD"]),
        (format!("/task-executions/{id}/series"), &["PUT"]),
        (format!("/task-executions/{id}/copy"), &["POST"]),
        ("/scheduled-tasks".to_owned(), &["GET", "HEAD", "POST"]),
        (format!("/scheduled-tasks/{ROUND}"), &["DELETE", "GET", "HEAD", "PUT"]),
        ("/users".to_owned(), &["GET", "HEAD", "POST"]),
        ("/me".to_owned(), &["GET", "HEAD"]),
        (format!("/users/{GUARD}"), &["DELETE", "GET", "HEAD", "PATCH"]),
        (format!("/users/{GUARD}/photo"), &["DELETE", "GET", "HEAD", "POST"]),
        ("/users/batch".to_owned(), &["POST"]),
        ("/locations".to_owned(), &["GET", "HEAD", "POST"]),
        (format!("/locations/{PORT}"), &["DELETE", "GET", "HEAD", "PUT"]),
        ("/locations/graphic-plans".to_owned(), &[]),
        (format!("/locations/graphic-plans/{PLAN}"), &["DELETE", "GET", "HEAD"]),
        (format!("/locations/graphic-plans/{PLAN}/image"), &["GET", "HEAD"]),
        (format!("/locations/{PORT}/graphic-plans"), &["GET", "HEAD", "POST"]),
        ("/locations/points".to_owned(), &["GET", "HEAD", "POST"]),
        ("/locations/points/history".to_owned(), &["GET", "HEAD"]),
        (format!("/locations/points/{GATE}"), &["DELETE", "GET", "HEAD", "PUT"]),
        ("/check-lists".to_owned(), &["GET", "HEAD", "POST"]),
        (format!("/check-lists/{CHECK_LIST}"), &["DELETE", "GET", "HEAD", "PUT"]),
        (format!("/check-lists/{CHECK_LIST}/actions"), &["POST"]),
        ("/check-lists/actions".to_owned(), &[]),
        ("/check-lists/actions/actions".to_owned(), &["DELETE", "PUT"]),
        (format!("/check-lists/actions/{LOCKED}"), &["DELETE", "PUT"]),
        ("/scheduled-tasks/preview".to_owned(), &["POST"]),
        ("/tokens".to_owned(), &["GET", "HEAD", "POST"]),
        (format!("/tokens/{id}"), &["DELETE"]),
    ] {
        for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "FOO"] {
            if allowed.contains(&method) {
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
                assert_eq!(allow, allowed, "{method} {path}");
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
