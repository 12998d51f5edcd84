//! Text is compared in lower case, each character by itself: a text contains each of its parts.

use patrol_tests::{
    Running, Store,
    company::{self, EMPLOYEE, GATE, GUARD, YARD},
    detail, escaped, execution_id, planned, with,
};
use serde_json::{Value, json};

/// The names in a list, in its order.
fn names(running: &Running, list: &str, parameter: &str, value: &str) -> Vec<String> {
    let answer = running.admin.get(&format!("{list}?{parameter}={}", escaped(value))).ok();
    let items = answer["data"].as_array().expect("data is an array").iter();
    items.map(|item| item["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn a_part_of_a_greek_name_is_found_where_it_ends_with_a_sigma() {
    let name = "ΦΥΛΑΚΙΟ ΝΟΣΟΚΟΜΕΙΟΥ";
    let place = company::location("0190a000-0002-7000-8000-000000000009", name);
    let running = Running::with([place, with(planned(1), json!({ "name": name }))]);
    let _ = running
        .admin
        .patch(&format!("/users/{GUARD}"), &json!({ "lastName": name, "employeeNo": "ΑΣ" }))
        .ok();
    for list in ["/locations", "/task-executions/info"] {
        for (parameter, value) in [
            ("q", "νοσ"),
            ("q", "ΝΟΣΟ"),
            ("q", "ΝΟΣ"),
            ("q", "Σ"),
            ("name", "like:ΝΟΣ"),
            ("name", "ΝΟΣ"),
        ] {
            let found = names(&running, list, parameter, value);
            assert_eq!(found.len(), 1, "{list} {parameter}={value}");
        }
        assert_eq!(names(&running, list, "q", "νος").len(), 0);
    }
    let users = |query: &str| {
        let answer = running.admin.get(&format!("/users?{query}")).ok();
        answer["meta"]["count"].as_u64().expect("a count")
    };
    assert_eq!(users(&format!("q={}", escaped("ΝΟΣ"))), 1);
    assert_eq!(users(&format!("employeeNo={}", escaped("eq:ασ"))), 1);
    let number = |text: &str| {
        running.admin.patch(&format!("/users/{EMPLOYEE}"), &json!({ "employeeNo": text }))
    };
    number("ασ").invalid(&[detail("validation.unique.failed", "employeeNo", &[])]);
    let _ = number("ας").ok();
}

#[test]
fn texts_that_an_older_version_folded_are_found_after_a_start() {
    let name = json!({ "name": "ΝΟΣ", "tags": ["ΕΙΣ"] });
    let records = company::company().and([
        with(company::location(execution_id(7).as_str(), "old"), name.clone()),
        with(planned(1), with(name.clone(), json!({ "description": "ΤΗΣ" }))),
        planned(2),
    ]);
    let running = Running::on(Store::with(&records));
    let admin = running.admin.clone();
    let point = json!({
        "locationId": YARD, "type": "VIRTUAL", "graphicPlans": [], "name": "ΝΟΣ", "tags": ["ΕΙΣ"],
    });
    let _ = admin.put(&format!("/locations/points/{GATE}"), &point).ok();
    let _ = admin.patch(&format!("/users/{GUARD}"), &json!({ "employeeNo": "ΑΣ" })).ok();
    for token in ["ΝΟΣ", "νος"] {
        let _ = admin.post("/tokens", &json!({ "name": token })).json(201);
    }
    let Running { server, store, .. } = running;
    server.kill();
    // As the version before folded them.
    let mut statements = "UPDATE folding SET form = '';
        UPDATE users SET employee_no_folded = 'ας' WHERE employee_no = 'ΑΣ';"
        .to_owned();
    for table in ["locations", "task_executions", "point_history", "points"] {
        statements += &format!(
            "UPDATE {table} SET name_folded = 'νος', tags_folded = 'εις' WHERE name = 'ΝΟΣ';"
        );
    }
    statements += "UPDATE task_executions SET description_folded = 'της' WHERE name = 'ΝΟΣ';
        UPDATE tokens SET name_folded = 'νος' WHERE name = 'ΝΟΣ';";
    store.execute(&statements);
    let running = Running::on(store);
    for list in
        ["/locations", "/task-executions/info", "/locations/points", "/locations/points/history"]
    {
        for (parameter, value) in [("q", "ΝΟΣ"), ("q", "ΕΙΣ"), ("name", "like:ΝΟΣ")] {
            let found = names(&running, list, parameter, value);
            assert_eq!(found, ["ΝΟΣ"], "{list} {parameter}={value}");
        }
    }
    assert_eq!(names(&running, "/task-executions/info", "q", "ΤΗΣ"), ["ΝΟΣ"]);
    // By code point, ς comes before σ.
    assert_eq!(names(&running, "/tokens", "sort", "name")[1..], ["νος", "ΝΟΣ"]);
    let users = running.admin.get(&format!("/users?employeeNo={}", escaped("eq:ΑΣ"))).ok();
    assert_eq!(users["data"][0]["id"], GUARD);
}

#[test]
fn two_numbers_that_an_older_version_told_apart_stay_with_their_users() {
    let running = Running::with([]);
    let set = |user: &str, number: &str| {
        running.admin.patch(&format!("/users/{user}"), &json!({ "employeeNo": number }))
    };
    let _ = set(GUARD, "ασ").ok();
    let Running { server, store, .. } = running;
    server.kill();
    store.execute(
        "UPDATE folding SET form = '';
         UPDATE users SET employee_no = 'ΑΣ', employee_no_folded = 'ας' WHERE employee_no = 'E1'",
    );
    let running = Running::on(store);
    let number = |user: &str| running.user(user)["employeeNo"].clone();
    assert_eq!([number(EMPLOYEE), number(GUARD)], [Value::from("ΑΣ"), Value::from("ασ")]);
}
