//! New users, and the list of users.

use patrol_domain::{
    EditError, Fault, New, Patch, Refusal, Rule,
    access::Role,
    list::{Condition, Membership, Query, Test},
    user::{User, UserDraft, UserFilter, UserList, UserPatch},
};

use super::{change, filled, found, rules, taken, value};
use crate::{
    Adapter, Ports,
    listing::{everything, meeting, read},
    sample::{by, import, location_id, of_user, user, user_id, whole_user},
};

/// A new user with an employee number and an email address.
fn draft(number: u128, employee_no: Option<&str>, email: Option<&str>) -> UserDraft {
    UserDraft {
        id: Some(user_id(number)),
        first_name: Some("Яна".to_owned()),
        last_name: Some("Li".to_owned()),
        role: Some("EMPLOYEE".to_owned()),
        employee_no: employee_no.map(str::to_owned),
        email: email.map(str::to_owned),
        ..UserDraft::default()
    }
}

async fn create(ports: &Ports, draft: UserDraft) -> Result<User, EditError> {
    let (draft, rules) = (draft.with_defaults(), rules());
    let new = New {
        references: draft.references(&rules.limits),
        make: Box::new(move |existing| draft.check(Some(existing), &rules)),
    };
    ports.users.create(new, by()).await
}

async fn ids(ports: &Ports, query: Query<UserList>) -> Vec<u128> {
    let (users, total) = read(ports.users.list(query)).await;
    assert_eq!(u64::try_from(users.len()), Ok(total));
    let number = |id| (0..100).find(|number| user_id(*number) == id).expect("a number");
    users.into_iter().map(|user| number(user.id)).collect()
}

/// Every way to change users changes what filters and the quick search find.
pub async fn what_is_listed_follows_every_change<A: Adapter>(adapter: &A) {
    let ports = filled(adapter, &[]).await;
    let tagged = || {
        let tests = Test::Tags(Membership::Any, vec!["ночь".to_owned()]);
        ids(&ports, meeting(Condition::Is(UserFilter::Tags, tests)))
    };
    let here = || {
        let tests = Test::Ids(Membership::Any, vec![location_id(3).0]);
        ids(&ports, meeting(Condition::Is(UserFilter::Location, tests)))
    };
    let searched = |term: &str| {
        ids(&ports, Query { search: Some(term.to_owned()), ..everything::<UserList>() })
    };
    assert_eq!((tagged().await, searched("яна").await), (vec![], vec![]));
    let new = UserDraft {
        tags: vec!["ночь".to_owned()],
        location_ids: vec![location_id(3)],
        ..draft(11, None, None)
    };
    let created = create(&ports, new).await.expect("a user");
    assert_eq!(found(&ports, 11).await, created);
    assert_eq!((tagged().await, here().await), (vec![11], vec![11]));
    assert_eq!((searched("яна").await, searched("ян").await), (vec![11], vec![11]));
    import(&ports, vec![of_user(whole_user(12))]).await.expect("an import");
    assert_eq!((tagged().await, here().await), (vec![11, 12], vec![11, 12]));
    assert_eq!(searched("anna.12@ex").await, [12]);
    let patch = UserPatch {
        first_name: value("Zoë"),
        phone: value("+49 30 1234"),
        tags: Patch::Value(vec!["day".to_owned()]),
        location_ids: Patch::Value(Vec::new()),
        ..UserPatch::default()
    };
    change(&ports, 11, patch).await.expect("a change");
    assert_eq!((tagged().await, here().await), (vec![12], vec![12]));
    assert_eq!((searched("яна").await, searched("zoë").await), (vec![], vec![11]));
    assert_eq!((searched("30 12").await, searched("day").await), (vec![11], vec![11]));
}

/// Of two users who are created with the same text, as number or as email address, exactly one is
/// stored.
pub async fn of_two_new_users_one_gets_the_name<A: Adapter>(adapter: &A) {
    let ports = filled(adapter, &[]).await;
    for round in 0..20 {
        let name = format!("Я{round}@b.example");
        let (one, other) = (20 + 2 * round, 21 + 2 * round);
        let (first, second) = tokio::join!(
            create(&ports, draft(one, Some(&name), None)),
            create(&ports, draft(other, None, Some(&name.to_lowercase()))),
        );
        assert_eq!(u8::from(first.is_ok()) + u8::from(second.is_ok()), 1, "round {round}");
        let refused = if first.is_ok() { (second, "email") } else { (first, "employeeNo") };
        assert_eq!(refused.0, taken(refused.1), "round {round}");
    }
}

/// A new user does not get the id of another user.
pub async fn a_new_user_takes_no_id_of_another<A: Adapter>(adapter: &A) {
    let admin = User { role: Role::Admin, ..user(11) };
    let ports = filled(adapter, std::slice::from_ref(&admin)).await;
    let fault = Fault { identifier: "id".to_owned(), rule: Rule::Unique };
    let refused = create(&ports, draft(11, None, None)).await;
    assert_eq!(refused, Err(EditError::Refused(Refusal::Invalid(vec![fault]))));
    assert_eq!(found(&ports, 11).await, admin);
}
