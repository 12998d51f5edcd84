//! The order of the checks.

use patrol_tests::{
    Running,
    company::{EMPLOYEE, NOBODY},
    completed, execution_id, planned,
};

/// Sends `body` to PUT of `id` and checks the response.
fn check(api: &patrol_tests::Api, id: &str, body: &[u8], expected: (u16, &str)) {
    let answer = api.send("PUT", &format!("/task-executions/{id}"), Some(body));
    let _ = answer.refused(expected.0, expected.1);
}

#[test]
fn each_check_comes_before_the_next() {
    let running = Running::with([planned(1), completed(2)]);
    let (nobody, employee) = (running.server.api(), running.api(EMPLOYEE));
    let json = running.admin.with("Content-Type", "application/json");
    let stale = json.with("If-Match", "\"stale\"");
    let (pending, over) = (execution_id(1), execution_id(2));
    let types = &b"{\"name\":1}"[..];

    // Route, then token.
    let _ = nobody.send("POST", "/task-executions/info", None).refused(405, "method.not.allowed");
    check(&nobody, "x", b"{", (401, "unauthorized"));
    // Operations that the role may never execute.
    check(&employee, "x", b"{", (403, "access.denied"));
    // Content-Type.
    check(&running.admin, "x", b"{", (406, "not.acceptable"));
    // Id.
    check(&stale, "x", b"{", (400, "data.type.invalid"));
    let large = vec![b' '; 3_000_000];
    check(&json, "x", &large, (400, "data.type.invalid"));
    // Size and syntax.
    check(&stale, NOBODY, b"{", (400, "input.data.invalid"));
    check(&stale, NOBODY, &large, (413, "payload.too.large"));
    // Types.
    check(&stale, NOBODY, types, (400, "input.data.invalid"));
    // Existence.
    check(&stale, NOBODY, b"{}", (404, "not.found"));
    // If-Match.
    check(&stale, &over, b"{}", (412, "precondition.failed"));
    // State.
    check(&json, &over, b"{}", (400, "input.data.invalid"));
    // Rules.
    check(&json, &pending, b"{}", (400, "validation.failed"));
}
