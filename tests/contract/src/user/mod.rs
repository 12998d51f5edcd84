//! [`Users`](patrol_domain::user::Users).

mod batch;
mod create;
mod removal;

use std::sync::mpsc::channel;

use patrol_domain::{
    Edit, EditError, Existing, Fault, Limits, Named, Patch, References, Refusal, Rule, Rules,
    Target,
    access::{Digest, NewToken, Role, Token},
    ids::UserId,
    user::{BatchEdit, User, UserPatch, UserStatus},
};

use crate::{
    Adapter, Ports,
    records::{self, record},
    sample::{
        by, exported, id, import, location_id, of_user, time, user, user_id, whole_user, world,
    },
};

pub use batch::{
    a_batch_answers_in_its_order, a_batch_changes_all_or_none,
    a_batch_may_hand_over_the_administration, of_two_batches_one_gets_the_name,
    users_of_a_batch_swap_numbers_and_emails,
};
pub(crate) use removal::remove;
pub use removal::{
    a_removal_is_checked_first, a_removed_user_leaves_nothing_behind,
    executions_lose_a_removed_assignee_while_they_are_pending,
    of_two_removals_one_leaves_an_administrator,
};

pub use create::{
    a_new_user_takes_no_id_of_another, of_two_new_users_one_gets_the_name,
    what_is_listed_follows_every_change,
};

async fn filled<A: Adapter>(adapter: &A, users: &[User]) -> Ports {
    let ports = adapter.fresh().await;
    let mut records = world();
    records.extend(users.iter().cloned().map(of_user));
    import(&ports, records).await.expect("an import");
    ports
}

/// Found by employee number, else by email, ignoring case, Cyrillic included.
pub async fn a_user_is_found_by_number_or_email_in_any_case<A: Adapter>(adapter: &A) {
    let numbered = User { employee_no: Some("Ё-7".to_owned()), ..user(11) };
    let ports = filled(adapter, &[numbered.clone(), whole_user(12)]).await;
    for text in ["Ё-7", "ё-7"] {
        assert_eq!(ports.users.find(text).await, Ok(vec![numbered.clone()]), "{text}");
    }
    for text in ["anna.12@example.COM", "№ 12"] {
        assert_eq!(ports.users.find(text).await, Ok(vec![whole_user(12)]), "{text}");
    }
}

/// Stores a user without the check of names, as versions did before numbers and emails had to
/// differ.
async fn store(ports: &Ports, user: &User) {
    let (id, user) = (user.id, user.clone());
    let change = Box::new(move |_: &User, _: &Existing| Ok(Some(user.clone())));
    let edit = Edit { at: Target::any_version(id), references: References::default(), change };
    ports.users.update(edit, by()).await.expect("a change");
}

/// A text that is the number of one user and the email of another finds both, by id; a text that
/// one user has as both finds the user once.
pub async fn a_name_of_two_users_finds_both<A: Adapter>(adapter: &A) {
    let text = || Some("A@b.example".to_owned());
    let by_email = User { email: text(), ..user(12) };
    let by_number = User { employee_no: text(), ..user(11) };
    let ports = filled(adapter, &[user(12), user(11)]).await;
    store(&ports, &by_email).await;
    store(&ports, &by_number).await;
    let both = Ok(vec![by_number.clone(), by_email.clone()]);
    assert_eq!(ports.users.find("a@B.example").await, both);
    let twice = User { employee_no: text(), ..by_email };
    store(&ports, &User { employee_no: None, ..by_number }).await;
    store(&ports, &twice).await;
    assert_eq!(ports.users.find("a@B.example").await, Ok(vec![twice]));
}

/// A text that no user has finds none.
pub async fn an_unknown_text_finds_no_user<A: Adapter>(adapter: &A) {
    let ports = filled(adapter, &[whole_user(12)]).await;
    for text in ["", "anna", "%", "№ 1_", &user_id(12).to_string()] {
        assert_eq!(ports.users.find(text).await, Ok(Vec::new()), "{text}");
    }
}

fn rules() -> Rules {
    Rules { limits: Limits::default(), is_email: |text| text.contains('@') }
}

fn value(text: impl Into<String>) -> Patch<String> {
    Patch::Value(text.into())
}

fn number(text: &str) -> UserPatch {
    UserPatch { employee_no: value(text), ..UserPatch::default() }
}

fn email(text: &str) -> UserPatch {
    UserPatch { email: value(text), ..UserPatch::default() }
}

fn role(role: Role) -> UserPatch {
    UserPatch { role: value(role.name()), ..UserPatch::default() }
}

fn edit(id: UserId, patch: UserPatch) -> Edit<User> {
    let rules = rules();
    Edit {
        at: Target::any_version(id),
        references: patch.references(&rules.limits),
        change: Box::new(move |user: &User, existing| patch.apply(user, existing, &rules)),
    }
}

pub(crate) async fn change(ports: &Ports, user: u128, patch: UserPatch) -> Result<User, EditError> {
    ports.users.update(edit(user_id(user), patch), by()).await.map(record)
}

async fn found(ports: &Ports, user: u128) -> User {
    records::found(ports, user_id(user)).await.expect("the user")
}

fn taken<T>(identifier: &str) -> Result<T, EditError> {
    let fault = Fault { identifier: identifier.to_owned(), rule: Rule::Unique };
    Err(EditError::Refused(Refusal::Invalid(vec![fault])))
}

/// Each member is stored, null too; the others are not changed.
pub async fn a_change_of_each_member_is_stored<A: Adapter>(adapter: &A) {
    let ports = filled(adapter, &[whole_user(11)]).await;
    let none = UserPatch::default;
    let locations = |numbers: &[u128]| numbers.iter().copied().map(location_id).collect::<Vec<_>>();
    let patches = [
        UserPatch { first_name: value("Ян"), ..none() },
        UserPatch { middle_name: value("М"), ..none() },
        UserPatch { last_name: value("Ли"), ..none() },
        UserPatch { employee_no: value("Ё-1"), ..none() },
        UserPatch { employee_pin: value(""), ..none() },
        UserPatch { email: value("Ян@example.org"), ..none() },
        UserPatch { phone: value("112"), ..none() },
        UserPatch { language: value("ru"), ..none() },
        role(Role::Employee),
        UserPatch { status: value("INACTIVE"), ..none() },
        UserPatch { location_ids: Patch::Value(locations(&[4, 2])), ..none() },
        UserPatch { tags: Patch::Value(vec!["б".to_owned(), "А".to_owned()]), ..none() },
        UserPatch { middle_name: Patch::Null, ..none() },
        UserPatch { employee_no: Patch::Null, ..none() },
        UserPatch { employee_pin: Patch::Null, ..none() },
        UserPatch { email: Patch::Null, ..none() },
        UserPatch { phone: Patch::Null, ..none() },
        UserPatch { location_ids: Patch::Value(Vec::new()), ..none() },
        UserPatch { tags: Patch::Value(Vec::new()), ..none() },
    ];
    let existing: Existing = locations(&[2, 4]).into_iter().collect();
    let mut wanted = whole_user(11);
    for (at, patch) in patches.into_iter().enumerate() {
        wanted = patch.apply(&wanted, &existing, &rules()).expect("a patch").expect("a change");
        assert_eq!(change(&ports, 11, patch).await, Ok(wanted.clone()), "patch {at}");
        assert_eq!(found(&ports, 11).await, wanted, "patch {at}");
    }
    assert!(exported(&ports).await.contains(&of_user(wanted)));
    // Other users are not changed.
    assert_eq!(found(&ports, 1).await, user(1));
}

/// A change of a batch gets the lookup: which of the named records exist, and which records have
/// the named values.
pub async fn a_batch_gets_the_lookup<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    records::fill_named(&ports).await;
    let (references, known) = records::named();
    let (teller, given) = channel();
    let change = Box::new(move |users: &[User], existing: &Existing| {
        teller.send((users.to_vec(), existing.clone())).expect("a listener");
        Err(Refusal::Denied)
    });
    let refused = ports
        .users
        .update_batch(BatchEdit { ids: vec![user_id(1)], references, change }, by())
        .await;
    assert_eq!(refused, Err(EditError::Refused(Refusal::Denied)));
    assert_eq!(given.recv(), Ok((vec![user(1)], known)));
}

/// A change of the user keeps the photo.
pub async fn a_change_leaves_the_photo<A: Adapter>(adapter: &A) {
    let ports = filled(adapter, &[whole_user(11)]).await;
    let references = References::default();
    let take = Box::new(|user: &User, _: &Existing| {
        let phone = Some("112".to_owned());
        Ok(Some(User { photo_id: Some(id(13, 1)), phone, ..user.clone() }))
    });
    ports
        .users
        .update(Edit { at: Target::any_version(user_id(11)), references, change: take }, by())
        .await
        .expect("a change");
    let wanted = User { phone: Some("112".to_owned()), ..whole_user(11) };
    assert_eq!(found(&ports, 11).await, wanted);
}

/// After a change, the user is found by the new number or email only.
pub async fn a_changed_user_is_found_by_its_new_names<A: Adapter>(adapter: &A) {
    let ports = filled(adapter, &[whole_user(11)]).await;
    let names = UserPatch { email: value("Ёж@example.org"), ..number("Ё-7") };
    let after = change(&ports, 11, names).await.expect("a change");
    for text in ["ё-7", "ёЖ@example.org"] {
        assert_eq!(ports.users.find(text).await, Ok(vec![after.clone()]), "{text}");
    }
    for text in ["№ 11", "anna.11@example.com"] {
        assert_eq!(ports.users.find(text).await, Ok(Vec::new()), "{text}");
    }
}

/// Numbers and emails are unique, ignoring case, Cyrillic included, and free after they were given
/// up.
pub async fn numbers_and_emails_are_unique_in_any_case<A: Adapter>(adapter: &A) {
    let ports = filled(adapter, &[whole_user(11)]).await;
    change(&ports, 11, UserPatch { email: value("Ёж@a.b"), ..number("Щит-7") }).await.unwrap();
    assert_eq!(change(&ports, 1, number("щИТ-7")).await, taken("employeeNo"));
    assert_eq!(change(&ports, 1, email("ёЖ@A.B")).await, taken("email"));
    assert_eq!(found(&ports, 1).await, user(1));
    // A different case of the user's own value is no clash; neither is a number equal to the user's
    // own email.
    change(&ports, 11, number("щит-7")).await.expect("a change");
    change(&ports, 1, email("щит-7@")).await.expect("a change");
    let nothing =
        UserPatch { employee_no: Patch::Null, email: Patch::Null, ..UserPatch::default() };
    change(&ports, 11, nothing).await.expect("a change");
    let both = UserPatch { email: value("ЁЖ@a.b"), ..number("ЩИТ-7") };
    change(&ports, 1, both).await.expect("a change");
}

/// Of users who get the same number concurrently exactly one succeeds.
pub async fn of_two_users_one_gets_the_number<A: Adapter>(adapter: &A) {
    let ports = filled(adapter, &[]).await;
    for round in 0..20 {
        let text = format!("Я-{round}");
        let (one, other) = tokio::join!(
            change(&ports, 1, number(&text)),
            change(&ports, 2, number(&text.to_lowercase())),
        );
        assert_eq!(u8::from(one.is_ok()) + u8::from(other.is_ok()), 1, "round {round}");
        let refused = if one.is_ok() { other } else { one };
        assert_eq!(refused, taken("employeeNo"), "round {round}");
    }
}

/// A number clashes with the email of another user, and an email with the number.
pub async fn numbers_and_emails_share_one_space_of_names<A: Adapter>(adapter: &A) {
    let ports = filled(adapter, &[whole_user(11)]).await;
    let before = exported(&ports).await;
    assert_eq!(change(&ports, 1, number("ANNA.11@example.com")).await, taken("employeeNo"));
    change(&ports, 11, number("x@y.example")).await.expect("a change");
    assert_eq!(change(&ports, 1, email("X@Y.example")).await, taken("email"));
    // One user may have the same text as both.
    change(&ports, 11, email("X@Y.example")).await.expect("a change");
    change(&ports, 11, number("№ 11")).await.expect("a change");
    change(&ports, 11, email("Anna.11@Example.com")).await.expect("a change");
    assert_eq!(exported(&ports).await, before);
}

/// When one user gets a text as number and another as email concurrently, exactly one succeeds.
pub async fn of_a_number_and_an_email_one_is_given<A: Adapter>(adapter: &A) {
    let ports = filled(adapter, &[]).await;
    for round in 0..20 {
        let text = format!("Я{round}@b.example");
        let (one, other) = tokio::join!(
            change(&ports, 1, number(&text)),
            change(&ports, 2, email(&text.to_lowercase())),
        );
        assert_eq!(u8::from(one.is_ok()) + u8::from(other.is_ok()), 1, "round {round}");
        let refused = if one.is_ok() { (other, "email") } else { (one, "employeeNo") };
        assert_eq!(refused.0, taken(refused.1), "round {round}");
    }
}

/// Concurrent changes of different members of one user are all stored.
pub async fn changes_of_one_user_wait_for_each_other<A: Adapter>(adapter: &A) {
    const WRITERS: usize = 100;
    let ports = filled(adapter, &[user(11)]).await;
    let none = UserPatch::default;
    let patches = [
        UserPatch { first_name: value("1"), ..none() },
        UserPatch { middle_name: value("2"), ..none() },
        UserPatch { last_name: value("3"), ..none() },
        UserPatch { employee_no: value("4"), ..none() },
        UserPatch { employee_pin: value("5"), ..none() },
        UserPatch { email: value("6@"), ..none() },
        UserPatch { phone: value("7"), ..none() },
        UserPatch { language: value("ru"), ..none() },
        role(Role::Manager),
        UserPatch { location_ids: Patch::Value(vec![location_id(1)]), ..none() },
    ];
    let tagged = |writer: usize| Edit {
        at: Target::any_version(user_id(11)),
        references: References::default(),
        change: Box::new(move |user: &User, _: &Existing| {
            let mut next = user.clone();
            next.tags.push(writer.to_string());
            Ok(Some(next))
        }),
    };
    let tags = WRITERS - patches.len();
    let edits =
        patches.into_iter().map(|patch| edit(user_id(11), patch)).chain((0..tags).map(tagged));
    let writers = edits.map(|edit| {
        let users = ports.users.clone();
        tokio::spawn(async move { users.update(edit, by()).await })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.expect("a writer").expect("a change");
    }
    let mut after = found(&ports, 11).await;
    after.tags.sort_unstable_by_key(|tag| tag.parse::<usize>().expect("a number"));
    let wanted = User {
        first_name: "1".to_owned(),
        middle_name: Some("2".to_owned()),
        last_name: "3".to_owned(),
        employee_no: Some("4".to_owned()),
        employee_pin: Some("5".to_owned()),
        email: Some("6@".to_owned()),
        phone: Some("7".to_owned()),
        language: "ru".to_owned(),
        role: Role::Manager,
        location_ids: vec![location_id(1)],
        tags: (0..tags).map(|tag| tag.to_string()).collect(),
        ..user(11)
    };
    assert!(after == wanted, "a change was lost");
}

/// When the last two active administrators are demoted concurrently, one stays.
pub async fn the_last_active_administrator_stays<A: Adapter>(adapter: &A) {
    let admin = |number| User { role: Role::Admin, ..user(number) };
    let ports = filled(adapter, &[admin(11), admin(12)]).await;
    let (one, other) = tokio::join!(
        change(&ports, 11, role(Role::Employee)),
        change(&ports, 12, role(Role::Employee)),
    );
    let last = if one.is_ok() { 12 } else { 11 };
    let refused = if one.is_ok() { other } else { one };
    let stays = |member: &str| Err(EditError::Refused(Refusal::State(member.to_owned())));
    assert_eq!(refused, stays("role"));
    let disable = UserPatch { status: value("INACTIVE"), ..UserPatch::default() };
    assert_eq!(change(&ports, last, disable).await, stays("status"));
    assert_eq!(found(&ports, last).await, admin(last));
}

/// A token has the current role and status of its user.
pub async fn a_change_of_role_and_status_holds_for_tokens<A: Adapter>(adapter: &A) {
    let ports = filled(adapter, &[]).await;
    let token = Token {
        id: id(20, 1),
        user_id: user_id(1),
        name: "phone".to_owned(),
        created_at: time(0),
        expires_at: None,
        last_used_at: None,
    };
    let digest = Digest([1; 32]);
    ports.tokens.create(NewToken { token, digest, max_tokens: 1 }, by()).await.expect("a token");
    change(&ports, 1, role(Role::Manager)).await.expect("a change");
    let owner = ports.tokens.owner(digest).await.expect("a read");
    assert_eq!(owner.map(|owner| owner.role), Some(Role::Manager));
    let disable = UserPatch { status: value("INACTIVE"), ..UserPatch::default() };
    change(&ports, 1, disable).await.expect("a change");
    let owner = ports.tokens.owner(digest).await.expect("a read");
    assert_eq!(owner.map(|owner| owner.status), Some(UserStatus::Inactive));
}
