//! `/people`.

use patrol_tests::company::{ADMIN, EMPLOYEE, MANAGER, NOBODY};
use serde_json::json;

use super::{PASSWORD, admin, browser, running};

#[test]
fn only_administrators_manage_sign_ins() {
    let running = running();
    for (name, status) in [("M1", 200), ("E1", 403)] {
        let mut browser = browser(&running).signed_in(name, PASSWORD);
        assert_eq!(browser.get("/people").status, status, "{name}");
        assert_eq!(browser.get("/tokens?user=all").status, 403, "{name}");
        let page = browser.open("/tokens");
        for action in ["invite", "sign-out", "remove-sign-in"] {
            let path = format!("/people/{ADMIN}/{action}");
            assert_eq!(browser.submit(&page, &path, &[]).status, 403, "{name} {action}");
        }
    }
}

#[test]
fn people_are_listed_and_searched() {
    let running = running();
    let mut admin = admin(&running);
    let page = admin.open("/people");
    for text in ["<h1>People</h1>", "Ada Ash", "Max Ash", "Administrator", "Invite Eve Ash"] {
        assert!(page.text.contains(text), "{text}: {}", page.text);
    }
    assert!(page.text.contains("</time></td>"), "the administrator's sign-in: {}", page.text);
    let found = admin.open("/people?search=eVe");
    assert!(found.text.contains("Eve Ash") && !found.text.contains("Max Ash"));
    assert_eq!(found.value_of("search"), "eVe");
    // The name as it is shown, the employee number.
    for search in ["eve+as", "e1"] {
        let found = admin.open(&format!("/people?search={search}"));
        assert!(found.text.contains("Eve Ash") && !found.text.contains("Max Ash"), "{search}");
    }
    let none = admin.open("/people?search=%22%3E%3Cb%3E");
    assert!(none.text.contains("Nothing found."), "{}", none.text);
    assert!(!none.text.contains("\"><b>"), "what was typed is escaped");
    assert_eq!(admin.get("/people?offset=x").status, 400);
}

#[test]
fn an_administrator_signs_others_out_and_removes_their_sign_in() {
    let running = running();
    let mut admin = admin(&running);
    let mut employee = browser(&running).signed_in("E1", PASSWORD);
    let page = admin.open("/people");
    let answer = admin.submit(&page, &format!("/people/{EMPLOYEE}/sign-out"), &[("search", "e")]);
    answer.leads_to(&format!("/people?search=e&offset=0&done=signed-out&person={EMPLOYEE}"));
    employee.get("/tokens").leads_to("/sign-in");
    let mut employee = browser(&running).signed_in("E1", PASSWORD);
    let answer = admin.submit(&page, &format!("/people/{EMPLOYEE}/remove-sign-in"), &[]);
    let list = format!("/people?search=&offset=0&done=removed&person={EMPLOYEE}");
    answer.leads_to(&list);
    assert!(admin.open(&list).text.contains("The sign-in of Eve Ash is removed."));
    employee.get("/tokens").leads_to("/sign-in");
    browser(&running).sign_in("E1", PASSWORD).refused("Sign-in failed");
    assert_eq!(running.user(EMPLOYEE)["userLinked"], false);
    // Where the browser goes when the language of the page with the link is changed.
    admin.get(&format!("/people/{EMPLOYEE}/invite")).leads_to("/people");
    admin.get("/import/records").leads_to("/import");
    for id in [NOBODY, "x"] {
        assert_eq!(admin.submit(&page, &format!("/people/{id}/invite"), &[]).status, 404, "{id}");
    }
}

#[test]
fn a_new_role_or_status_ends_the_sessions() {
    let running = running();
    for (user, name, change) in [
        (MANAGER, "M1", serde_json::json!({ "role": "EMPLOYEE" })),
        (EMPLOYEE, "E1", serde_json::json!({ "status": "INACTIVE" })),
    ] {
        let mut browser = browser(&running).signed_in(name, PASSWORD);
        let _ = browser.open("/tokens");
        let _ = running.admin.patch(&format!("/users/{user}"), &change).ok();
        browser.get("/tokens").leads_to("/sign-in");
    }
    // The session does not come back with the status.
    let mut employee = browser(&running);
    let _ = running
        .admin
        .patch(&format!("/users/{EMPLOYEE}"), &serde_json::json!({ "status": "ACTIVE" }))
        .ok();
    employee = employee.signed_in("E1", PASSWORD);
    for status in ["INACTIVE", "ACTIVE"] {
        let change = serde_json::json!({ "status": status });
        let _ = running.admin.patch(&format!("/users/{EMPLOYEE}"), &change).ok();
    }
    employee.get("/tokens").leads_to("/sign-in");
}

#[test]
fn nobody_is_invited_who_could_not_sign_in() {
    let running = running();
    let mut admin = admin(&running);
    let user = json!({ "firstName": "Ivo", "lastName": "Stone", "role": "EMPLOYEE" });
    let user = running.admin.post("/users", &user).json(201);
    let path = format!("/people/{}", user["id"].as_str().unwrap());
    let page = admin.open("/people?search=Ivo");
    let refused = admin.submit(&page, &format!("{path}/invite"), &[]);
    refused.refused("Ivo Stone has no email and no employee number to sign in with.");
    assert!(!refused.text.contains("/invitation/"), "{}", refused.text);
    let question = admin.open(&format!("{path}/delete")).text;
    assert!(question.contains("this person alone is open to everybody afterwards."), "{question}");
}
