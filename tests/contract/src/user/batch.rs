//! Batch changes of users.

use patrol_domain::{
    EditError, Existing, Known, Patch, Refusal,
    access::Role,
    user::{BatchEdit, BatchEntry, User, UserBatch, UserPatch},
};

use super::{email, filled, found, number, role, rules, taken, value};
use crate::{
    Adapter, Ports, records,
    sample::{by, exported, user, user_id, whole_user},
};

type Changed = Result<Known<Vec<User>>, EditError>;

async fn change_all(ports: &Ports, patches: Vec<(u128, UserPatch)>) -> Changed {
    let entries = patches.into_iter();
    let batch = UserBatch(
        entries.map(|(user, patch)| BatchEntry { id: Some(user_id(user)), patch }).collect(),
    );
    let rules = rules();
    let ids = batch.entries_with_id().expect("ids").into_iter().map(|(_, id)| id).collect();
    let references = batch.references(&rules.limits);
    let change =
        Box::new(move |users: &[User], existing: &Existing| batch.apply(users, existing, &rules));
    ports.users.update_batch(BatchEdit { ids, references, change }, by()).await
}

/// All users of a batch are returned in its order, unchanged ones too.
pub async fn a_batch_answers_in_its_order<A: Adapter>(adapter: &A) {
    let ports = filled(adapter, &[whole_user(11), whole_user(12)]).await;
    let patches = vec![
        (12, UserPatch { phone: Patch::Null, ..UserPatch::default() }),
        (1, number("1")),
        (11, UserPatch::default()),
    ];
    let wanted = vec![
        User { phone: None, ..whole_user(12) },
        User { employee_no: Some("1".to_owned()), ..user(1) },
        whole_user(11),
    ];
    assert_eq!(change_all(&ports, patches).await, Ok(Ok(wanted.clone())));
    for user in wanted {
        assert_eq!(records::found::<User>(&ports, user.id).await, Some(user));
    }
    assert_eq!(change_all(&ports, Vec::new()).await, Ok(Ok(Vec::new())));
}

/// Within a batch users may swap numbers and emails, or rotate them.
pub async fn users_of_a_batch_swap_numbers_and_emails<A: Adapter>(adapter: &A) {
    let ports = filled(adapter, &[whole_user(11), whole_user(12), whole_user(13)]).await;
    let of = |from: u128| {
        let User { employee_no, email, .. } = whole_user(from);
        (employee_no.expect("a number"), email.expect("an email"))
    };
    let taking = |from| {
        let (number, email) = of(from);
        UserPatch { employee_no: value(number), email: value(email), ..UserPatch::default() }
    };
    let around = vec![(11, taking(12)), (12, taking(13)), (13, taking(11))];
    assert!(matches!(change_all(&ports, around).await, Ok(Ok(_))));
    for (user, from) in [(11, 12), (12, 13), (13, 11)] {
        let (number, email) = of(from);
        for name in [number, email] {
            let named = ports.users.find(&name).await.expect("a read");
            assert_eq!(named.iter().map(|user| user.id).collect::<Vec<_>>(), [user_id(user)]);
        }
    }
    // A name that one entry gives up is free for another entry, in either order.
    let given_up = UserPatch { employee_no: Patch::Null, ..UserPatch::default() };
    let pass = vec![(1, number(&of(12).0)), (11, given_up)];
    assert!(matches!(change_all(&ports, pass).await, Ok(Ok(_))));
    assert_eq!(found(&ports, 1).await.employee_no, Some(of(12).0));
}

/// When two concurrent batches set the same text, one as number and one as email, exactly one is
/// stored.
pub async fn of_two_batches_one_gets_the_name<A: Adapter>(adapter: &A) {
    let ports = filled(adapter, &[]).await;
    for round in 0..10 {
        let [one, other] = ["a", "b"].map(|name| format!("{name}{round}@b.example"));
        // In opposite order, to provoke a deadlock.
        let (first, second) = tokio::join!(
            change_all(&ports, vec![(1, number(&one)), (2, number(&other))]),
            change_all(&ports, vec![(3, email(&other)), (4, email(&one))]),
        );
        assert_eq!(u8::from(first.is_ok()) + u8::from(second.is_ok()), 1, "round {round}");
        let nothing =
            || UserPatch { employee_no: Patch::Null, email: Patch::Null, ..UserPatch::default() };
        let free = (1..=4).map(|user| (user, nothing())).collect();
        change_all(&ports, free).await.expect("a change").expect("all users");
    }
}

/// A batch that names missing users, or that is refused, changes nothing.
pub async fn a_batch_changes_all_or_none<A: Adapter>(adapter: &A) {
    let ports = filled(adapter, &[whole_user(11), whole_user(12)]).await;
    let before = exported(&ports).await;
    let unknown = vec![(98, number("a")), (11, number("b")), (99, number("c")), (12, number("d"))];
    assert_eq!(change_all(&ports, unknown).await, Ok(Err(vec![0, 2])));
    let clash = vec![(1, number("Ё")), (11, number("n")), (2, number("ё"))];
    assert_eq!(change_all(&ports, clash).await, taken("[2].employeeNo"));
    let outside = vec![(1, number("n")), (2, email("ANNA.12@example.com"))];
    assert_eq!(change_all(&ports, outside).await, taken("[1].email"));
    assert_eq!(exported(&ports).await, before);
}

/// A batch may replace the last administrator, but not remove it.
pub async fn a_batch_may_hand_over_the_administration<A: Adapter>(adapter: &A) {
    let ports = filled(adapter, &[User { role: Role::Admin, ..user(11) }]).await;
    let give_up = vec![(1, number("1")), (11, role(Role::Manager))];
    let refused = EditError::Refused(Refusal::State("[1].role".to_owned()));
    assert_eq!(change_all(&ports, give_up).await, Err(refused));
    assert_eq!(found(&ports, 1).await, user(1));
    let hand_over = vec![(11, role(Role::Manager)), (1, role(Role::Admin))];
    assert!(matches!(change_all(&ports, hand_over).await, Ok(Ok(_))));
    assert_eq!(found(&ports, 1).await.role, Role::Admin);
}
