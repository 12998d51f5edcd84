//! PATCH /users/{id}: types and rules of its body.

use patrol_tests::{
    Running,
    company::{self, ADMIN, EMPLOYEE, FORMER, GUARD, MANAGER, NOBODY, PORT},
    detail,
};
use serde_json::{Value, json};

use super::{guard, path};

#[test]
fn every_member_of_the_wrong_type_is_named_with_the_type_expected() {
    let running = Running::with([]);
    let wrong = |identifier: &str, kind: &str| detail("data.type.invalid", identifier, &[kind]);
    let body = json!({
        "firstName": 1, "middleName": [], "lastName": {}, "employeeNo": 17, "employeePin": 42,
        "email": true, "phone": 1.5, "language": [], "role": 0, "status": false,
        "locationIds": [PORT, "x", 1, null], "tags": ["a", 1, null],
    });
    running.admin.patch(&path(GUARD), &body).misunderstood(&[
        wrong("firstName", "STRING"),
        wrong("middleName", "STRING"),
        wrong("lastName", "STRING"),
        wrong("employeeNo", "STRING"),
        wrong("employeePin", "STRING"),
        wrong("email", "STRING"),
        wrong("phone", "STRING"),
        wrong("language", "STRING"),
        wrong("role", "STRING"),
        wrong("status", "STRING"),
        wrong("locationIds[1]", "UUID"),
        wrong("locationIds[2]", "UUID"),
        wrong("locationIds[3]", "UUID"),
        wrong("tags[1]", "STRING"),
        wrong("tags[2]", "STRING"),
    ]);
    // Rules are not checked while types are wrong.
    let body = json!({ "firstName": "", "role": "BOSS", "tags": "x", "locationIds": {} });
    running
        .admin
        .patch(&path(GUARD), &body)
        .misunderstood(&[wrong("locationIds", "ARRAY"), wrong("tags", "ARRAY")]);
    assert_eq!(running.user(GUARD), guard());
}

#[test]
fn every_broken_rule_is_reported_in_the_order_of_the_fields() {
    let running = Running::with([]);
    let body = json!({
        "tags": ["", "x\u{0}"],
        "locationIds": [PORT, NOBODY],
        "status": "GONE",
        "role": null,
        "language": "english",
        "email": "m1@EXAMPLE.org",
        "employeeNo": "a1",
        "lastName": "\u{0}",
        "firstName": "",
    });
    running.admin.patch(&path(GUARD), &body).invalid(&[
        detail("validation.length.failed", "firstName", &["1", "255"]),
        detail("validation.characters.failed", "lastName", &[]),
        detail("validation.unique.failed", "employeeNo", &[]),
        detail("validation.unique.failed", "email", &[]),
        detail("validation.language.failed", "language", &[]),
        detail("validation.notnull.failed", "role", &[]),
        detail("validation.enum.failed", "status", &["ACTIVE", "INACTIVE"]),
        detail("validation.reference.failed", "locationIds[1]", &[]),
        detail("validation.length.failed", "tags[0]", &["1", "100"]),
        detail("validation.characters.failed", "tags[1]", &[]),
    ]);
    assert_eq!(running.user(GUARD), guard(), "nothing of it was done");
}

#[test]
fn bounds_count_characters_and_hold_exactly() {
    let running = Running::with([]);
    let long = |length: usize| "ж".repeat(length);
    for (name, least) in [
        ("firstName", 1),
        ("lastName", 1),
        ("middleName", 0),
        ("employeeNo", 1),
        ("employeePin", 0),
        ("phone", 0),
    ] {
        for length in [least, 255] {
            let text = long(length);
            let answer = running.admin.patch(&path(GUARD), &json!({ name: text }));
            assert_eq!(answer.ok()[name], text, "{name} of {length}");
        }
        let wrong = if least == 1 { vec![0, 256] } else { vec![256] };
        for length in wrong {
            let answer = running.admin.patch(&path(GUARD), &json!({ name: long(length) }));
            let bounds = [&least.to_string(), "255"];
            answer.invalid(&[detail("validation.length.failed", name, &bounds)]);
        }
        let zero = running.admin.patch(&path(GUARD), &json!({ name: "a\u{0}" }));
        zero.invalid(&[detail("validation.characters.failed", name, &[])]);
    }
    let tags: Vec<_> = (0..100).map(|n| format!("{n:0>100}")).collect();
    let _ = running.admin.patch(&path(GUARD), &json!({ "tags": tags })).ok();
    let more: Vec<_> = (0..101).map(|n| n.to_string()).collect();
    running.admin.patch(&path(GUARD), &json!({ "tags": more })).invalid(&[detail(
        "validation.length.failed",
        "tags",
        &["0", "100"],
    )]);
    running
        .admin
        .patch(&path(GUARD), &json!({ "tags": [long(100), long(101)] }))
        .invalid(&[detail("validation.length.failed", "tags[1]", &["1", "100"])]);
    let locations = vec![PORT; 10_000];
    let _ = running.admin.patch(&path(GUARD), &json!({ "locationIds": locations })).ok();
    running
        .admin
        .patch(&path(GUARD), &json!({ "locationIds": vec![PORT; 10_001] }))
        .invalid(&[detail("validation.length.failed", "locationIds", &["0", "10000"])]);
}

#[test]
fn a_language_is_two_or_three_letters_with_an_optional_region() {
    let running = Running::with([]);
    for language in ["en", "ru", "pt-BR", "fil", "es-419", "de-ch"] {
        let answer = running.admin.patch(&path(GUARD), &json!({ "language": language }));
        assert_eq!(answer.ok()["language"], language);
    }
    for language in ["", "e", "engl", "en-", "en_US", "en-USA", "ру", "en-US-x", "12"] {
        running.admin.patch(&path(GUARD), &json!({ "language": language })).invalid(&[detail(
            "validation.language.failed",
            "language",
            &[],
        )]);
    }
}

#[test]
fn an_email_is_one() {
    let running = Running::with([]);
    for email in ["a@b.example", "first.last+tag@sub.example.org"] {
        let answer = running.admin.patch(&path(GUARD), &json!({ "email": email }));
        assert_eq!(answer.ok()["email"], email);
    }
    for email in ["x", "x@", "@example.org", "a b@example.org", "a@b@example.org"] {
        running.admin.patch(&path(GUARD), &json!({ "email": email })).invalid(&[detail(
            "validation.email.failed",
            "email",
            &[],
        )]);
    }
}

#[test]
fn values_of_enumerations_are_exact() {
    let running = Running::with([]);
    for role in ["admin", "Manager", "", "USER"] {
        let roles = ["EMPLOYEE", "MANAGER", "ADMIN"];
        running.admin.patch(&path(GUARD), &json!({ "role": role })).invalid(&[detail(
            "validation.enum.failed",
            "role",
            &roles,
        )]);
    }
    for role in ["EMPLOYEE", "MANAGER", "ADMIN"] {
        let answer = running.admin.patch(&path(GUARD), &json!({ "role": role }));
        assert_eq!(answer.ok()["role"], role);
    }
}

#[test]
fn numbers_and_emails_are_unique_whatever_the_case() {
    let running = Running::with([]);
    let set = |user: &str, change: Value| running.admin.patch(&path(user), &change);
    let taken = |name: &str| [detail("validation.unique.failed", name, &[])];
    let _ = set(EMPLOYEE, json!({ "employeeNo": "Ёлка-Ж", "email": "Someone@Example.org" })).ok();
    for number in ["Ёлка-Ж", "ёлка-ж", "ЁЛКА-Ж", "ёЛКА-Ж"] {
        set(GUARD, json!({ "employeeNo": number })).invalid(&taken("employeeNo"));
    }
    for email in ["Someone@Example.org", "someone@example.org", "SOMEONE@EXAMPLE.ORG"] {
        set(GUARD, json!({ "email": email })).invalid(&taken("email"));
    }
    // INACTIVE users keep their numbers.
    set(GUARD, json!({ "employeeNo": "e3" })).invalid(&taken("employeeNo"));
    // A user keeps its own number in another case.
    assert_eq!(set(EMPLOYEE, json!({ "employeeNo": "ёлка-ж" })).ok()["employeeNo"], "ёлка-ж");
    // Similar letters are different values.
    let _ = set(GUARD, json!({ "employeeNo": "елка-ж" })).ok();
    // Values that were given up are free, and users without a value do not clash.
    let none = json!({ "employeeNo": null, "email": null });
    let _ = set(EMPLOYEE, none.clone()).ok();
    let _ = set(MANAGER, none).ok();
    let free = json!({ "employeeNo": "ЁЛКА-Ж", "email": "someone@example.org" });
    assert_eq!(set(GUARD, free).ok()["employeeNo"], "ЁЛКА-Ж");
}

#[test]
fn a_location_that_is_linked_is_known() {
    let running = Running::with([]);
    let body = json!({ "locationIds": [NOBODY, PORT, company::GATE] });
    running.admin.patch(&path(GUARD), &body).invalid(&[
        detail("validation.reference.failed", "locationIds[0]", &[]),
        detail("validation.reference.failed", "locationIds[2]", &[]),
    ]);
}

#[test]
fn the_last_active_administrator_stays() {
    let running = Running::with([]);
    let patch = |user: &str, change: Value| running.admin.patch(&path(user), &change);
    for (change, member) in [
        (json!({ "role": "MANAGER" }), "role"),
        (json!({ "status": "INACTIVE" }), "status"),
        (json!({ "status": "INACTIVE", "firstName": "" }), "status"),
        (json!({ "status": "INACTIVE", "role": "ADMIN" }), "status"),
    ] {
        patch(ADMIN, change).misunderstood(&[detail("state.not.allowed", member, &[])]);
    }
    let _ = patch(ADMIN, json!({ "role": "ADMIN", "status": "ACTIVE", "phone": "1" })).ok();
    // An INACTIVE administrator does not count.
    let _ = patch(FORMER, json!({ "role": "ADMIN" })).ok();
    patch(ADMIN, json!({ "role": "EMPLOYEE" })).misunderstood(&[detail(
        "state.not.allowed",
        "role",
        &[],
    )]);
    // With another administrator, this one may be demoted.
    let _ = patch(MANAGER, json!({ "role": "ADMIN" })).ok();
    let _ = patch(MANAGER, json!({ "status": "INACTIVE" })).ok();
    let _ = patch(FORMER, json!({ "status": "ACTIVE" })).ok();
    let _ = patch(ADMIN, json!({ "role": "MANAGER" })).ok();
}
