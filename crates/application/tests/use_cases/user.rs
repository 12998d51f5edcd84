//! Users. The domain's tests cover the effect of changes.

use std::sync::Arc;

use patrol_application::{Actor, Context, Failure, UserService, permit_members, rules};
use patrol_domain::{
    EditError, Existing, Fault, Limits, Patch, Refusal, Rule, StoreError, Target, UniqueValue,
    Versioned,
    access::{Caller, Role},
    ids::{UserId, Uuid},
    shared::ports::MockIds,
    user::{BatchEdit, BatchEntry, MockUsers, User, UserBatch, UserDraft, UserPatch, UserStatus},
};

use crate::clock;

/// The id of a user that gets a new one.
const NEW: u128 = 99;

fn id(number: u128) -> UserId {
    UserId(Uuid::from_u128(number))
}

fn at(number: u128) -> Target<User> {
    Target::any_version(id(number))
}

pub(crate) fn user(number: u128) -> User {
    User::new(id(number), "Ada", "Guard", "en", Role::Employee)
}

fn service(users: MockUsers) -> UserService {
    let mut ids = MockIds::new();
    ids.expect_next().returning(|| Uuid::from_u128(NEW));
    UserService::new(
        Arc::new(users),
        Context::new(clock(), Arc::new(ids), rules(Limits::default())),
    )
}

fn caller(role: Role) -> Actor {
    Caller { user: id(1), role, token: None }.into()
}

fn numbered(number: &str) -> UserPatch {
    UserPatch { employee_no: Patch::Value(number.into()), ..UserPatch::default() }
}

fn batch(numbers: &[u128]) -> UserBatch {
    let entry =
        |number: &u128| BatchEntry { id: Some(id(*number)), patch: numbered(&number.to_string()) };
    UserBatch(numbers.iter().map(entry).collect())
}

#[test]
fn an_employee_changes_its_contact_data_and_a_manager_cannot_grant_admin() {
    let contact = ["email", "phone", "language"];
    let all = ["firstName", "role", "status", "tags"];
    type Sent<'a> = (&'a [&'a str], Option<&'a str>);
    let cases: [(Role, u128, Sent<'_>, bool); 11] = [
        (Role::Employee, 1, (&contact, None), true),
        (Role::Employee, 1, (&[], None), true),
        (Role::Employee, 1, (&["email", "firstName"], None), false),
        (Role::Employee, 1, (&["role"], Some("EMPLOYEE")), false),
        (Role::Employee, 1, (&["status"], None), false),
        (Role::Employee, 2, (&contact, None), false),
        (Role::Employee, 2, (&[], None), false),
        (Role::Manager, 2, (&all, Some("MANAGER")), true),
        (Role::Manager, 2, (&all, Some("ADMIN")), false),
        (Role::Manager, 1, (&["role"], Some("ADMIN")), false),
        (Role::Admin, 2, (&all, Some("ADMIN")), true),
    ];
    for (role, of, (members, named), allowed) in cases {
        let answer = permit_members(caller(role), Some(id(of)), members, named);
        let wanted = if allowed { Ok(()) } else { Err(Refusal::Denied) };
        assert_eq!(answer, wanted, "{role:?} {of} {members:?} {named:?}");
    }
    // A malformed id is not the caller's own.
    let malformed = permit_members(caller(Role::Employee), None, &contact, None);
    assert_eq!(malformed, Err(Refusal::Denied));
}

#[tokio::test]
async fn the_store_gets_the_references_and_returns_the_changed_user() {
    let mut users = MockUsers::new();
    users.expect_update().times(1).returning(|edit, _| {
        assert_eq!(edit.at.id, id(2));
        let names = &edit.references.values[&UniqueValue::UserName];
        assert!(names.iter().eq(["щ-7"]), "{names:?}");
        let changed = (edit.change)(&user(2), &Existing::default()).unwrap();
        Ok(Versioned::unversioned(changed.expect("a change")))
    });
    let after = service(users).patch(caller(Role::Manager), at(2), numbered("Щ-7")).await.unwrap();
    assert!(after.record == User { employee_no: Some("Щ-7".into()), ..user(2) });
}

#[tokio::test]
async fn a_new_user_gets_an_id_a_language_and_a_status() {
    let mut users = MockUsers::new();
    users.expect_create().times(2).returning(|new, _| Ok((new.make)(&Existing::default())?));
    let service = service(users);
    let draft = UserDraft {
        first_name: Some("Ada".to_owned()),
        last_name: Some("Guard".to_owned()),
        role: Some("EMPLOYEE".to_owned()),
        ..UserDraft::default()
    };
    let new = service.create(caller(Role::Manager), draft.clone()).await.unwrap();
    assert!(new == user(NEW));
    let given = UserDraft {
        id: Some(id(5)),
        language: Some("ru".to_owned()),
        status: Some("INACTIVE".to_owned()),
        ..draft
    };
    let new = service.create(caller(Role::Admin), given).await.unwrap();
    let status = UserStatus::Inactive;
    assert!(new == User { language: "ru".to_owned(), status, ..user(5) });
}

#[tokio::test]
async fn a_manager_cannot_change_an_administrator() {
    for (role, allowed) in [(Role::Manager, false), (Role::Admin, true)] {
        let mut users = MockUsers::new();
        users.expect_update().returning(|edit, _| {
            let admin = User { role: Role::Admin, ..user(2) };
            (edit.change)(&admin, &Existing::default())?;
            Ok(Versioned::unversioned(admin))
        });
        users.expect_update_batch().returning(|BatchEdit { change, .. }, _| {
            let users = vec![user(1), User { role: Role::Admin, ..user(2) }];
            change(&users, &Existing::default()).map(|_| Ok(users)).map_err(EditError::from)
        });
        let service = service(users);
        let one = service.patch(caller(role), at(2), numbered("7")).await;
        let many = service.patch_batch(caller(role), batch(&[1, 2])).await;
        assert_eq!(one.is_ok(), allowed);
        assert_eq!(many.is_ok(), allowed);
        if !allowed {
            assert!(one.is_err_and(|failure| failure == Refusal::Denied.into()));
            assert!(many.is_err_and(|failure| failure == Refusal::Denied.into()));
        }
    }
}

#[tokio::test]
async fn a_missing_user_is_not_found_and_an_outage_is_reported() {
    let outage = StoreError::Unavailable("away".into());
    for (error, failure) in [
        (EditError::Missing, Failure::NotFound),
        (EditError::Store(outage.clone()), Failure::Store(outage)),
    ] {
        let mut users = MockUsers::new();
        users.expect_update().return_once(move |_, _| Err(error));
        let answer = service(users).patch(caller(Role::Admin), at(2), UserPatch::default()).await;
        assert!(answer.is_err_and(|answer| answer == failure));
    }
}

#[tokio::test]
async fn a_caller_who_was_deleted_is_no_longer_valid() {
    for (of, failure) in [(1, Failure::CallerInvalid), (2, Failure::NotFound)] {
        let mut users = MockUsers::new();
        users.expect_get().return_once(|_| Ok(None));
        users.expect_update().return_once(|_, _| Err(EditError::Missing));
        users.expect_remove().return_once(|_, _| Err(EditError::Missing));
        let (service, admin) = (service(users), caller(Role::Admin));
        let is_it = |answer: Failure| answer == failure;
        assert!(service.get(admin, id(of)).await.is_err_and(is_it), "get {of}");
        let patched = service.patch(admin, at(of), UserPatch::default()).await;
        assert!(patched.is_err_and(is_it), "patch {of}");
        assert!(service.delete(admin, at(of)).await.is_err_and(is_it), "delete {of}");
    }
}

#[tokio::test]
async fn a_batch_is_one_change_in_the_order_of_its_entries() {
    let mut users = MockUsers::new();
    users.expect_update_batch().times(1).returning(|BatchEdit { ids, references, change }, _| {
        assert_eq!(ids, [id(3), id(2)]);
        let names = &references.values[&UniqueValue::UserName];
        assert!(names.iter().eq(["2", "3"]), "{names:?}");
        let changed = change(&[user(3), user(2)], &Existing::default()).unwrap();
        Ok(Ok(changed.into_iter().flatten().collect()))
    });
    let after = service(users).patch_batch(caller(Role::Manager), batch(&[3, 2])).await.unwrap();
    let numbers: Vec<_> = after.iter().map(|user| user.employee_no.as_deref()).collect();
    assert_eq!(numbers, [Some("3"), Some("2")]);
}

#[tokio::test]
async fn unknown_and_repeated_users_of_a_batch_are_reported() {
    let mut users = MockUsers::new();
    users.expect_update_batch().times(1).returning(|_, _| Ok(Err(vec![1])));
    let unknown = service(users).patch_batch(caller(Role::Admin), batch(&[2, 9])).await;
    assert!(unknown.is_err_and(|failure| failure == Failure::Unknown(vec!["[1].id".to_owned()])));

    // The caller itself, deleted after its token was verified.
    let mut users = MockUsers::new();
    users.expect_update_batch().times(1).returning(|_, _| Ok(Err(vec![1])));
    let own = service(users).patch_batch(caller(Role::Admin), batch(&[2, 1])).await;
    assert!(own.is_err_and(|failure| failure == Failure::CallerInvalid));

    // The store is not called for these.
    let service = service(MockUsers::new());
    let repeated = service.patch_batch(caller(Role::Admin), batch(&[2, 3, 2])).await;
    assert!(repeated.is_err_and(|failure| failure == Failure::Repeated(vec!["[2].id".to_owned()])));
}

#[tokio::test]
async fn an_entry_without_an_id_does_not_hide_the_faults_of_others() {
    let mut without_id = batch(&[2, 3, 4]);
    without_id.0[1].id = None;
    without_id.0[2].patch.language = Patch::Value("?".into());
    let mut users = MockUsers::new();
    users.expect_update_batch().times(1).returning(|BatchEdit { ids, change, .. }, _| {
        assert_eq!(ids, [id(2), id(4)]);
        Err(change(&[user(2), user(4)], &Existing::default()).map(drop).unwrap_err().into())
    });
    let fault = |place: &str, rule| Fault { identifier: place.into(), rule };
    let faults = vec![fault("[1].id", Rule::NotNull), fault("[2].language", Rule::Language)];
    let refused = Failure::Refused(Refusal::Invalid(faults));
    let answer = service(users).patch_batch(caller(Role::Admin), without_id.clone()).await;
    assert!(answer.is_err_and(|failure| failure == refused));

    // A missing record is reported before other faults, by its path in the body.
    let mut users = MockUsers::new();
    users.expect_update_batch().times(1).returning(|_, _| Ok(Err(vec![1])));
    let unknown = service(users).patch_batch(caller(Role::Admin), without_id).await;
    assert!(unknown.is_err_and(|failure| failure == Failure::Unknown(vec!["[2].id".to_owned()])));
}
