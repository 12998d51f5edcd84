//! PATCH of one user and of many.

use patrol_domain::{
    Existing, Named, Patch, References, Refusal, Rule, UniqueValue,
    access::Role,
    ids::{LocationId, UserId},
    user::{BatchEntry, User, UserBatch, UserDraft, UserPatch, UserStatus},
};

use crate::sample::{faults, id, nothing_exists, rules};

fn user(number: u128) -> User {
    User {
        middle_name: Some("M".into()),
        employee_no: Some(format!("E{number}")),
        employee_pin: Some("1234".into()),
        email: Some(format!("e{number}@example.org")),
        location_ids: vec![LocationId(id(50))],
        tags: vec!["night".into()],
        ..User::new(UserId(id(number)), "Ada", "Guard", "en", Role::Employee)
    }
}

fn admin(number: u128) -> User {
    User { role: Role::Admin, ..user(number) }
}

fn value(text: &str) -> Patch<String> {
    Patch::Value(text.into())
}

/// The lookup result when these users have these names.
fn with_names(names: &[(&str, u128)]) -> Existing {
    let mut existing = Existing::default();
    for (name, user) in names {
        existing.add_owner(UniqueValue::UserName, (*name).to_owned(), id(*user));
    }
    existing
}

#[test]
fn absent_keeps_null_clears_and_a_value_replaces() {
    let before = user(1);
    assert_eq!(UserPatch::default().apply(&before, &nothing_exists(), &rules()), Ok(None));
    let patch = UserPatch {
        middle_name: Patch::Null,
        email: Patch::Null,
        phone: value(""),
        language: value("pt-BR"),
        role: value("MANAGER"),
        status: value("INACTIVE"),
        location_ids: Patch::Value(vec![LocationId(id(50)), LocationId(id(50))]),
        tags: Patch::Value(vec![]),
        ..UserPatch::default()
    };
    let after = patch.apply(&before, &nothing_exists(), &rules()).unwrap().unwrap();
    let wanted = User {
        middle_name: None,
        email: None,
        phone: Some(String::new()),
        language: "pt-BR".into(),
        role: Role::Manager,
        status: UserStatus::Inactive,
        tags: vec![],
        ..before
    };
    assert_eq!(after, wanted);
}

#[test]
fn all_faults_are_reported_in_the_order_of_the_fields() {
    let patch = UserPatch {
        first_name: Patch::Null,
        middle_name: value("a\0"),
        last_name: value(""),
        employee_no: value("e2"),
        employee_pin: Patch::Null,
        email: value("no address"),
        phone: Patch::Null,
        language: value("english"),
        role: Patch::Null,
        status: value("GONE"),
        location_ids: Patch::Value(vec![LocationId(id(50)), LocationId(id(51))]),
        tags: Patch::Null,
    };
    let existing = with_names(&[("e2", 2)]);
    let length = Rule::Length { min: 1, max: 255 };
    let wanted = [
        ("firstName", Rule::NotNull),
        ("middleName", Rule::Characters),
        ("lastName", length),
        ("employeeNo", Rule::Unique),
        ("email", Rule::Email),
        ("language", Rule::Language),
        ("role", Rule::NotNull),
        ("status", Rule::Enum(UserStatus::NAMES)),
        ("locationIds[1]", Rule::Reference),
        ("tags", Rule::NotNull),
    ];
    let wanted = wanted.map(|(at, rule)| (at.to_owned(), rule));
    assert_eq!(faults(patch.apply(&user(1), &existing, &rules())), wanted);
}

#[test]
fn a_user_may_change_the_case_of_its_own_number() {
    let patch = UserPatch { employee_no: value("e1"), ..UserPatch::default() };
    let existing = with_names(&[("e1", 1)]);
    let after = patch.apply(&user(1), &existing, &rules()).unwrap().unwrap();
    assert_eq!(after.employee_no.as_deref(), Some("e1"));
}

#[test]
fn the_last_active_administrator_cannot_be_demoted_or_disabled() {
    let demote = UserPatch { role: value("MANAGER"), ..UserPatch::default() };
    let disable = UserPatch { status: value("INACTIVE"), ..UserPatch::default() };
    let one = Existing { active_admins: [UserId(id(1))].into(), ..Existing::default() };
    let two =
        Existing { active_admins: [UserId(id(1)), UserId(id(2))].into(), ..Existing::default() };
    for (patch, member) in [(&demote, "role"), (&disable, "status")] {
        assert!(patch.references(&rules().limits).active_admins);
        let refused = patch.apply(&admin(1), &one, &rules());
        assert_eq!(refused, Err(Refusal::State(member.to_owned())));
        assert!(patch.apply(&admin(1), &two, &rules()).is_ok());
        // An inactive administrator does not count as the last one.
        let inactive = User { status: UserStatus::Inactive, ..admin(1) };
        let none = Existing::default();
        assert!(patch.apply(&inactive, &none, &rules()).is_ok());
    }
    let rename = UserPatch { first_name: value("Eve"), ..UserPatch::default() };
    assert!(!rename.references(&rules().limits).active_admins);
    assert!(rename.apply(&admin(1), &one, &rules()).is_ok());
}

fn batch(patches: Vec<(u128, UserPatch)>) -> UserBatch {
    let entries = patches.into_iter();
    UserBatch(
        entries.map(|(number, patch)| BatchEntry { id: Some(UserId(id(number))), patch }).collect(),
    )
}

#[test]
fn two_users_may_swap_numbers_within_a_batch() {
    let number = |text| UserPatch { employee_no: value(text), ..UserPatch::default() };
    let existing = with_names(&[("e1", 1), ("e2", 2)]);
    let users = [user(1), user(2)];
    let swap = batch(vec![(1, number("E2")), (2, number("E1"))]);
    let after = swap.apply(&users, &existing, &rules()).unwrap();
    let numbers: Vec<_> =
        after.into_iter().map(|user| user.and_then(|user| user.employee_no)).collect();
    assert_eq!(numbers, [Some("E2".to_owned()), Some("E1".to_owned())]);

    // A conflict is reported for the later entry, also when only the earlier entry changes.
    let conflict = batch(vec![(1, number("e2")), (2, UserPatch::default())]);
    assert_eq!(
        faults(conflict.apply(&users, &existing, &rules())),
        [("[1].employeeNo".to_owned(), Rule::Unique)]
    );
    // A user outside the batch keeps its name.
    let outside = batch(vec![(1, number("e2"))]);
    assert_eq!(
        faults(outside.apply(&users[..1], &existing, &rules())),
        [("[0].employeeNo".to_owned(), Rule::Unique)]
    );
}

#[test]
fn a_text_is_the_number_or_the_email_of_one_user_only() {
    let number = |text| UserPatch { employee_no: value(text), ..UserPatch::default() };
    let email = |text| UserPatch { email: value(text), ..UserPatch::default() };
    let taken = |at: &str| vec![(at.to_owned(), Rule::Unique)];
    let existing = with_names(&[("a@b.c", 2), ("e1@example.org", 1)]);
    let apply = |patch: &UserPatch| patch.apply(&user(1), &existing, &rules());
    let names = References::default().with_values(UniqueValue::UserName, ["a@b.c".to_owned()]);
    assert_eq!(number("A@b.c").references(&rules().limits), names);
    assert_eq!(faults(apply(&number("A@B.c"))), taken("employeeNo"));
    assert_eq!(faults(apply(&email("A@B.c"))), taken("email"));
    // One user may have the same text as both.
    assert!(apply(&number("E1@example.org")).is_ok());
    let both = UserPatch { email: value("new@b.c"), ..number("new@b.c") };
    assert!(apply(&both).is_ok());

    let users = [user(1), user(2)];
    let change =
        |first, second| batch(vec![(1, first), (2, second)]).apply(&users, &existing, &rules());
    assert_eq!(faults(change(number("x@b.c"), email("X@b.c"))), taken("[1].email"));
    assert_eq!(faults(change(email("e2"), UserPatch::default())), {
        let mut faults = vec![("[0].email".to_owned(), Rule::Email)];
        faults.extend(taken("[1].employeeNo"));
        faults
    });
    // A user can get a number that another entry of the batch removes.
    let users = [user(1), User { email: Some("a@b.c".into()), ..user(2) }];
    let pass = batch(vec![(1, number("a@b.c")), (2, email("other@b.c"))]);
    assert!(pass.apply(&users, &existing, &rules()).is_ok());
}

#[test]
fn users_with_a_stored_conflict_can_change_other_members() {
    let name = || Some("a@b.c".to_owned());
    let one = User { employee_no: name(), ..user(1) };
    let other = User { email: name(), ..user(2) };
    let existing = with_names(&[("a@b.c", 1), ("a@b.c", 2)]);
    let phone = || UserPatch { phone: value("112"), ..UserPatch::default() };
    assert!(phone().apply(&one, &existing, &rules()).is_ok());
    let users = [one.clone(), other];
    assert!(batch(vec![(1, phone()), (2, phone())]).apply(&users, &existing, &rules()).is_ok());
    // A user may send its own number again; another user cannot get that number.
    let again = UserPatch { employee_no: value("A@b.c"), ..UserPatch::default() };
    assert!(again.apply(&one, &existing, &rules()).is_ok());
    let third = again.apply(&user(3), &existing, &rules());
    assert_eq!(faults(third), [("employeeNo".to_owned(), Rule::Unique)]);
}

#[test]
fn a_batch_may_replace_the_last_administrator() {
    let role = |role| UserPatch { role: value(role), ..UserPatch::default() };
    let existing = Existing { active_admins: [UserId(id(1))].into(), ..Existing::default() };
    let users = [admin(1), user(2)];
    let hand_over = batch(vec![(1, role("MANAGER")), (2, role("ADMIN"))]);
    assert!(hand_over.apply(&users, &existing, &rules()).is_ok());
    let give_up = batch(vec![(1, role("MANAGER")), (2, role("MANAGER"))]);
    assert_eq!(
        give_up.apply(&users, &existing, &rules()),
        Err(Refusal::State("[0].role".to_owned()))
    );
}

#[test]
fn a_batch_has_at_most_1000_entries_and_each_user_once() {
    let entries = |count: u128| batch((0..count).map(|n| (n, UserPatch::default())).collect());
    assert_eq!(entries(0).entries_with_id(), Ok(vec![]));
    assert_eq!(entries(1000).entries_with_id().unwrap().len(), 1000);
    assert_eq!(
        faults(entries(1001).entries_with_id()),
        [(String::new(), Rule::Length { min: 0, max: 1000 })]
    );
    let mut missing = entries(2);
    missing.0[1].id = None;
    let named = missing.entries_with_id().unwrap();
    assert_eq!(named.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [0]);
    let users = [user(1)];
    let refused = missing.apply(&users, &Existing::default(), &rules());
    assert_eq!(faults(refused), [("[1].id".to_owned(), Rule::NotNull)]);
    let patch = UserPatch::default;
    let twice = batch(vec![(1, patch()), (2, patch()), (1, patch()), (1, patch())]);
    assert_eq!(twice.repeated(), [2, 3]);
    // The limit counts entries, also those of the same user.
    let same = |count| batch((0..count).map(|_| (1, patch())).collect());
    assert_eq!(same(1000).repeated().len(), 999);
    assert_eq!(same(1001).repeated(), []);
}

/// A new user with all members.
fn draft() -> UserDraft {
    UserDraft {
        id: Some(UserId(id(1))),
        first_name: Some("Ada".into()),
        last_name: Some("Guard".into()),
        role: Some("EMPLOYEE".into()),
        employee_no: Some("E1".into()),
        email: Some("e1@example.org".into()),
        location_ids: vec![LocationId(id(50)), LocationId(id(51))],
        ..UserDraft::default()
    }
    .with_defaults()
}

#[test]
fn a_new_user_needs_a_free_id_free_names_and_locations_that_exist() {
    let references = draft().references(&rules().limits);
    let names: Vec<_> = references.values[&UniqueValue::UserName].iter().collect();
    assert_eq!(names, ["e1", "e1@example.org"]);
    assert_eq!(references.records.values().map(std::collections::BTreeSet::len).sum::<usize>(), 3);
    let places = || [LocationId(id(50)), LocationId(id(51))].into_iter().collect::<Existing>();
    assert!(draft().check(Some(&places()), &rules()).is_ok());
    let mut existing = with_names(&[("e1", 2), ("e1@example.org", 2)]);
    existing.extend([UserId(id(1)).into(), LocationId(id(50)).into()]);
    let refused = draft().check(Some(&existing), &rules());
    assert_eq!(
        faults(refused),
        [
            ("id".to_owned(), Rule::Unique),
            ("employeeNo".to_owned(), Rule::Unique),
            ("email".to_owned(), Rule::Unique),
            ("locationIds[1]".to_owned(), Rule::Reference),
        ]
    );
    // An import looks all of this up itself.
    assert!(draft().check(None, &rules()).is_ok());
}

#[test]
fn a_full_name_leaves_out_a_middle_name_that_is_absent_or_empty() {
    assert_eq!(user(1).full_name(), "Ada M Guard");
    assert_eq!(User { middle_name: None, ..user(1) }.full_name(), "Ada Guard");
    assert_eq!(User { middle_name: Some(String::new()), ..user(1) }.full_name(), "Ada Guard");
}
