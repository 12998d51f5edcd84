//! Employee numbers and email addresses together are unique.

use std::{sync::Barrier, thread};

use patrol_tests::{
    DataSet, Running, Store,
    company::{self, ADMIN, EMPLOYEE, GUARD},
    detail, with,
};
use serde_json::{Value, json};

use super::{BATCH, path};

/// The email address of [`ADMIN`], in another case.
const ADMIN_EMAIL: &str = "a1@EXAMPLE.org";

fn taken(identifier: &str) -> [Value; 1] {
    [detail("validation.unique.failed", identifier, &[])]
}

#[test]
fn a_number_is_not_another_user_s_email_and_the_other_way_round() {
    let running = Running::with([]);
    let set = |user: &str, change: Value| running.admin.patch(&path(user), &change);
    set(GUARD, json!({ "employeeNo": ADMIN_EMAIL })).invalid(&taken("employeeNo"));
    let _ = set(ADMIN, json!({ "employeeNo": "Ж-1@example.org" })).ok();
    let _ = set(EMPLOYEE, json!({ "employeeNo": "boss@example.org" })).ok();
    set(GUARD, json!({ "email": "BOSS@example.org" })).invalid(&taken("email"));
    // One user may have the same text as both.
    let both = json!({ "employeeNo": "both@example.org", "email": "both@example.org" });
    let _ = set(GUARD, both).ok();
    // Values that were given up are free.
    let _ = set(EMPLOYEE, json!({ "employeeNo": null })).ok();
    let _ = set(GUARD, json!({ "email": "boss@example.org" })).ok();
}

#[test]
fn a_batch_is_judged_by_what_is_there_after_it() {
    let running = Running::with([]);
    let batch = |first: Value, second: Value| {
        let entries =
            [with(json!({ "id": GUARD }), first), with(json!({ "id": EMPLOYEE }), second)];
        running.admin.post(BATCH, &json!(entries))
    };
    let clash = json!({ "employeeNo": "x@example.org" });
    batch(clash, json!({ "email": "X@example.org" })).invalid(&taken("[1].email"));
    batch(json!({}), json!({ "employeeNo": ADMIN_EMAIL })).invalid(&taken("[1].employeeNo"));
    // The later entry is reported, also when only the earlier one changes.
    let old = json!({ "employeeNo": "E1@example.org" });
    batch(old.clone(), json!({})).invalid(&taken("[1].email"));
    // A name that another entry gives up is free.
    let _ = batch(old, json!({ "email": "other@example.org" })).ok();
    assert_eq!(running.user(GUARD)["employeeNo"], "E1@example.org");
}

#[test]
fn an_import_names_line_and_member() {
    let store = Store::with(&company::people());
    let id = "0190a000-0001-7000-8000-0000000000b1";
    for (change, member) in [
        (json!({ "employeeNo": ADMIN_EMAIL, "email": "new@example.org" }), "employeeNo"),
        (json!({ "employeeNo": "N-1", "email": "E3@EXAMPLE.org" }), "email"),
    ] {
        let user = with(company::user(id, "EMPLOYEE", "N-1"), change);
        let refused = store.import(&DataSet::new([user])).exited(1);
        let named = refused.stderr.contains("line 1") && refused.stderr.contains(member);
        assert!(named, "{}", refused.stderr);
    }
    let first = with(company::user(id, "EMPLOYEE", "N-1"), json!({ "email": "n@example.org" }));
    let other = "0190a000-0001-7000-8000-0000000000b2";
    let change = json!({ "employeeNo": "N@example.org" });
    let second = with(company::user(other, "EMPLOYEE", "N-2"), change);
    let refused = store.import(&DataSet::new([first, second])).exited(1);
    assert!(refused.stderr.contains("line 2: employeeNo"), "{}", refused.stderr);
}

#[test]
fn of_two_users_who_get_one_name_at_once_exactly_one_has_it() {
    let running = Running::with([]);
    for round in 0..20 {
        let text = format!("zh{round}@example.org");
        let given = [(GUARD, json!({ "employeeNo": text })), (EMPLOYEE, json!({ "email": text }))];
        let barrier = Barrier::new(2);
        let answers: Vec<_> = thread::scope(|scope| {
            let clients: Vec<_> = given
                .iter()
                .map(|(user, change)| {
                    let (admin, barrier) = (&running.admin, &barrier);
                    scope.spawn(move || {
                        barrier.wait();
                        admin.patch(&path(user), change)
                    })
                })
                .collect();
            clients.into_iter().map(|client| client.join().unwrap()).collect()
        });
        let done = answers.iter().filter(|answer| answer.status == 200).count();
        assert_eq!(done, 1, "{answers:?}");
        let refused = answers.iter().find(|answer| answer.status != 200).unwrap();
        let _ = refused.refused(400, "validation.failed");
    }
}

/// A store in which the employee number of [`GUARD`] is the administrator's email address, as older
/// versions allowed.
pub(crate) fn clashing() -> Store {
    let store = Store::with(&company::company());
    store.execute(
        "UPDATE users SET employee_no = 'A1@example.org', employee_no_folded = 'a1@example.org' \
         WHERE employee_no = 'E2'",
    );
    store
}

#[test]
fn an_ambiguous_name_is_no_user_and_an_id_still_is_one() {
    let store = clashing();
    for command in ["create", "list"] {
        let mut arguments = vec!["token", command, "--user", ADMIN_EMAIL];
        if command == "create" {
            arguments.extend(["--name", "x"]);
        }
        let refused = store.run(&arguments).exited(1);
        assert_eq!(refused.stdout, "");
        for part in ["ambiguous", ADMIN, GUARD] {
            assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
        }
    }
    // Both users can still be changed in other ways, and the clash can be resolved.
    let running = Running::on(store);
    for user in [ADMIN, GUARD] {
        let _ = running.admin.patch(&path(user), &json!({ "phone": "112" })).ok();
    }
    let entries = [ADMIN, GUARD].map(|id| json!({ "id": id, "tags": ["a"] }));
    let _ = running.admin.post(BATCH, &json!(entries)).ok();
    running
        .admin
        .patch(&path(EMPLOYEE), &json!({ "employeeNo": ADMIN_EMAIL }))
        .invalid(&taken("employeeNo"));
    let _ = running.admin.patch(&path(GUARD), &json!({ "employeeNo": "E2" })).ok();
    assert!(!running.store.token(ADMIN_EMAIL).is_empty());
}
