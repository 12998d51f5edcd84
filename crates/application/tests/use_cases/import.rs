//! The import of people and points.

use std::sync::{Arc, Mutex};

use patrol_application::{Context, Failure, ImportService, rules};
use patrol_domain::{
    Existing, Fault, Limits, Named as _, New, Refusal, Rule, UniqueValue,
    access::Role,
    ids::{LocationId, UserId, Uuid},
    point::{Point, PointDraft},
    shared::{drafted::MockRecords, ports::MockIds},
    user::{MockUsers, User, UserDraft},
};

use crate::{ACTOR, clock};

fn context() -> Context {
    let mut ids = MockIds::new();
    let mut last = 100;
    ids.expect_next().returning(move || {
        last += 1;
        Uuid::from_u128(last)
    });
    Context::new(clock(), Arc::new(ids), rules(Limits::default()))
}

fn id(number: u128) -> UserId {
    UserId(Uuid::from_u128(number))
}

/// What is in the store before.
fn existing() -> Existing {
    let mut existing: Existing = [id(7)].into_iter().collect();
    existing.extend([LocationId(Uuid::from_u128(1)).into()]);
    existing.add_owner(UniqueValue::UserName, "e-7".to_owned(), Uuid::from_u128(7));
    existing.add_owner(UniqueValue::QrCode, "taken".to_owned(), Uuid::from_u128(8));
    existing
}

/// The import of users into a store, and the numbers of users that were stored.
fn people() -> (ImportService<User>, Arc<Mutex<Vec<usize>>>) {
    let stored = Arc::new(Mutex::new(Vec::new()));
    let counts = Arc::clone(&stored);
    let mut users = MockUsers::new();
    users.expect_create_all().returning(move |new: New<Vec<User>>, _| {
        // A store may call the function more than once.
        let _ = (new.make)(&existing());
        let made = (new.make)(&existing())?;
        counts.lock().unwrap().push(made.len());
        Ok(made)
    });
    (ImportService::new(Arc::new(users), context()), stored)
}

fn draft(number: &str) -> UserDraft {
    UserDraft {
        first_name: Some("Ada".to_owned()),
        last_name: Some("Guard".to_owned()),
        role: Some("EMPLOYEE".to_owned()),
        employee_no: Some(number.to_owned()),
        ..UserDraft::default()
    }
}

fn fault(identifier: &str, rule: Rule) -> Fault {
    Fault { identifier: identifier.to_owned(), rule }
}

#[tokio::test]
async fn a_check_shows_what_would_be_made_and_stores_nothing() {
    let (service, stored) = people();
    let drafts = vec![draft("1"), UserDraft { id: Some(id(5)), ..draft("2") }];
    let checked = service.check(ACTOR, drafts).await.unwrap();
    let made: Vec<_> = checked.into_iter().map(Result::unwrap).collect();
    assert_eq!(made[0].language, "en");
    assert!(made[0].id.0.as_u128() > 100);
    assert_eq!(made[1].id, id(5));
    assert_eq!(*stored.lock().unwrap(), [0]);
}

#[tokio::test]
async fn all_faults_of_all_drafts_are_told() {
    let (service, stored) = people();
    let drafts = || {
        vec![
            UserDraft { first_name: None, role: Some("BOSS".to_owned()), ..draft("1") },
            draft("2"),
            // The number of a draft that is refused itself, in other letters, and of a stored user.
            UserDraft { email: Some("E-7".to_owned()), ..draft("1") },
            UserDraft { id: Some(id(7)), ..draft("3") },
            UserDraft { id: Some(id(9)), ..draft("4") },
            UserDraft { id: Some(id(9)), ..draft("5") },
        ]
    };
    let checked = service.check(ACTOR, drafts()).await.unwrap();
    let faults: Vec<_> = checked.into_iter().map(|made| made.err().unwrap_or_default()).collect();
    let roles = Rule::Enum(Role::NAMES);
    assert_eq!(faults[0], [fault("firstName", Rule::NotNull), fault("role", roles)]);
    assert_eq!(faults[1], []);
    assert_eq!(
        faults[2],
        [
            fault("employeeNo", Rule::Unique),
            fault("email", Rule::Email),
            fault("email", Rule::Unique)
        ]
    );
    assert_eq!(faults[3], [fault("id", Rule::Unique)]);
    assert_eq!(faults[4], []);
    assert_eq!(faults[5], [fault("id", Rule::Unique)]);
    let Err(Failure::Refused(Refusal::Invalid(refused))) = service.import(ACTOR, drafts()).await
    else {
        panic!("not refused");
    };
    assert_eq!(refused[0], fault("[0].firstName", Rule::NotNull));
    assert_eq!(refused[6], fault("[5].id", Rule::Unique));
    // The check stored nothing, and the import nothing at all.
    assert_eq!(*stored.lock().unwrap(), [0]);
}

#[tokio::test]
async fn an_import_stores_all_records_in_their_order() {
    let (service, stored) = people();
    let made = service.import(ACTOR, vec![draft("1"), draft("2")]).await.unwrap();
    let numbers: Vec<_> = made.iter().map(|user| user.employee_no.as_deref()).collect();
    assert_eq!(numbers, [Some("1"), Some("2")]);
    assert_eq!(*stored.lock().unwrap(), [2]);
}

#[tokio::test]
async fn codes_of_points_are_unique_in_a_file_too() {
    let mut points = MockRecords::<Point>::new();
    points.expect_create_all().returning(|new, _| Ok((new.make)(&existing())?));
    let service = ImportService::<Point>::new(Arc::new(points), context());
    let point = |location, code: &str| PointDraft {
        location_id: Some(LocationId(Uuid::from_u128(location))),
        name: Some("Gate".to_owned()),
        kind: Some("QR".to_owned()),
        qr_code: Some(code.to_owned()),
        ..PointDraft::default()
    };
    let drafts =
        vec![point(1, "a"), point(2, "b"), point(1, "a"), point(1, "taken"), point(1, "A")];
    let checked = service.check(ACTOR, drafts).await.unwrap();
    let faults: Vec<_> = checked.into_iter().map(|made| made.err().unwrap_or_default()).collect();
    assert_eq!(
        faults,
        [
            vec![],
            vec![fault("locationId", Rule::Reference)],
            vec![fault("qrCode", Rule::Unique)],
            vec![fault("qrCode", Rule::Unique)],
            vec![],
        ]
    );
}
