//! Users changed by concurrent requests.

use std::{sync::Barrier, thread};

use patrol_tests::{
    Running,
    company::{self, EMPLOYEE, GUARD},
    detail,
};
use serde_json::{Value, json};

use super::{BATCH, path};

/// Text members that accept any value.
const MEMBERS: [&str; 6] =
    ["firstName", "middleName", "lastName", "employeeNo", "employeePin", "phone"];

#[test]
fn a_hundred_clients_that_change_different_members_lose_nothing() {
    let running = Running::with([]);
    let admin = &running.admin.patient();
    for round in 0..3 {
        let barrier = &Barrier::new(100);
        thread::scope(|scope| {
            for n in 0..100 {
                scope.spawn(move || {
                    let member = MEMBERS[n % MEMBERS.len()];
                    let value = format!("round {round}, client {n}");
                    barrier.wait();
                    let change = json!({ member: value });
                    assert_eq!(admin.patch(&path(GUARD), &change).ok()[member], value);
                });
            }
        });
        let user = running.user(GUARD);
        for member in MEMBERS {
            let value = user[member].as_str().unwrap();
            let of_this_round = value.starts_with(&format!("round {round},"));
            assert!(of_this_round, "what was written to {member} is lost: {value}");
        }
    }
}

#[test]
fn of_two_who_get_the_same_number_at_once_exactly_one_is_refused() {
    let running = Running::with([]);
    for round in 0..20 {
        // In different cases; both by PATCH, both by a batch, or one by each.
        let given = [(GUARD, format!("Ж{round}")), (EMPLOYEE, format!("ж{round}"))];
        let barrier = Barrier::new(2);
        let answers: Vec<_> = thread::scope(|scope| {
            let clients: Vec<_> = given
                .iter()
                .enumerate()
                .map(|(at, (user, number))| {
                    let (admin, barrier) = (&running.admin, &barrier);
                    scope.spawn(move || {
                        barrier.wait();
                        let email = format!("{number}@example.org").replace(['Ж', 'ж'], "zh");
                        let change = json!({ "employeeNo": number, "email": email });
                        if round % (at + 2) == 0 {
                            admin.post(
                                BATCH,
                                &json!([patrol_tests::with(change, json!({ "id": user }))]),
                            )
                        } else {
                            admin.patch(&path(user), &change)
                        }
                    })
                })
                .collect();
            clients.into_iter().map(|client| client.join().unwrap()).collect()
        });
        let (done, refused): (Vec<_>, Vec<_>) =
            answers.iter().partition(|answer| answer.status == 200);
        assert_eq!((done.len(), refused.len()), (1, 1), "{answers:?}");
        let refusal = refused[0].refused(400, "validation.failed");
        let identifiers: Vec<_> = refusal.body["details"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| {
                assert_eq!(entry["code"], "validation.unique.failed");
                entry["identifier"].as_str().unwrap().trim_start_matches("[0].").to_owned()
            })
            .collect();
        assert_eq!(identifiers, ["employeeNo", "email"]);
    }
}

#[test]
fn of_two_administrators_who_go_at_once_one_stays() {
    let other = "0190a000-0001-7000-8000-0000000000aa";
    let running = Running::with([company::user(other, "ADMIN", "A2")]);
    let barrier = Barrier::new(2);
    let statuses: Vec<u16> = thread::scope(|scope| {
        let clients: Vec<_> = [company::ADMIN, other]
            .map(|user| {
                let (admin, barrier) = (&running.admin, &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    admin.patch(&path(user), &json!({ "role": "MANAGER" }))
                })
            })
            .into();
        let answers: Vec<_> = clients.into_iter().map(|client| client.join().unwrap()).collect();
        for answer in &answers {
            if answer.status == 400 {
                answer.misunderstood(&[detail("state.not.allowed", "role", &[])]);
            }
        }
        answers.iter().map(|answer| answer.status).collect()
    });
    let left: Vec<_> = [company::ADMIN, other]
        .map(|user| {
            let exported = running.exported();
            let line = exported.lines().find(|line| line.contains(user)).unwrap().to_owned();
            serde_json::from_str::<Value>(&line).unwrap()["role"] == "ADMIN"
        })
        .into();
    assert_eq!(left.iter().filter(|admin| **admin).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
}

#[test]
fn swaps_in_both_directions_at_once_all_come_to_their_end() {
    let running = Running::with([]);
    let swap = |a: &str, b: &str| json!([{ "id": GUARD, "employeeNo": a }, { "id": EMPLOYEE, "employeeNo": b }]);
    thread::scope(|scope| {
        for n in 0..20 {
            let (admin, swap) = (running.admin.patient(), &swap);
            scope.spawn(move || {
                let (a, b) = if n % 2 == 0 { ("E1", "E2") } else { ("E2", "E1") };
                admin.post(BATCH, &swap(a, b)).ok()
            });
        }
    });
    let mut numbers = [GUARD, EMPLOYEE].map(|user| running.user(user)["employeeNo"].to_string());
    numbers.sort();
    assert_eq!(numbers, ["\"E1\"", "\"E2\""]);
}
