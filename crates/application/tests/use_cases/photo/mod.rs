//! Photos: the user store and the photo store stay consistent after failures, crashes and concurrent
//! calls.

mod plans;
mod stores;

use std::sync::Arc;

use patrol_application::{Failure, ImageCheck, PhotoService};
use patrol_domain::{
    Path, Refusal, Rule, StoreError, Versioned,
    access::{Caller, Role},
    ids::{UserId, Uuid},
    photo::ImageOwner,
    user::{MockUsers, User},
};

use self::stores::{Failing, Stores, USER, cut_short, interleaved, minute, photo};
use crate::{ACTOR, OPERATOR, user::user};

const PICTURE: &[u8] = &[1, 2, 3];

#[tokio::test]
async fn a_new_photo_replaces_the_old_one() {
    for stores in [Arc::new(Stores::default()), Stores::with_photo()] {
        let user = stores.service(minute(0)).replace(ACTOR, USER, PICTURE.into()).await.unwrap();
        assert_eq!(user.photo_id, Some(photo(101)));
        assert_eq!(stores.state().current, Some(photo(101)));
        assert!(stores.is_tidy());
    }
}

#[tokio::test]
async fn a_deleted_photo_is_removed_from_both_stores() {
    let stores = Stores::with_photo();
    let service = stores.service(minute(0));
    assert_eq!(service.delete(ACTOR, USER).await, Ok(()));
    assert_eq!(stores.state().current, None);
    assert!(stores.is_tidy());
    assert_eq!(service.delete(ACTOR, USER).await, Err(Failure::NotFound));
    assert_eq!(service.delete(ACTOR, UserId(Uuid::from_u128(2))).await, Err(Failure::NotFound));
}

#[tokio::test]
async fn a_photo_of_two_users_stays_until_neither_has_it() {
    let stores = Stores::with_photo();
    stores.state().of_another = Some(photo(1));
    let service = stores.service(minute(0));
    service.replace(ACTOR, USER, PICTURE.into()).await.unwrap();
    assert!(stores.state().objects.contains_key(&photo(1)));
    stores.state().of_another = None;
    stores.images(minute(11)).compare_and_remove(OPERATOR).await.unwrap();
    assert!(stores.is_tidy());
}

#[tokio::test]
async fn an_unusable_image_is_refused_before_anything_is_written() {
    let stores = Stores::with_photo();
    let service = stores.service(minute(0));
    let refused = Failure::fault(&Path::Root.field("photo"), Rule::Image);
    assert!(
        service.replace(ACTOR, USER, Vec::new()).await.is_err_and(|failure| failure == refused)
    );
    let busy = Failure::Store(StoreError::Unavailable("no room".to_owned()));
    assert!(service.replace(ACTOR, USER, vec![0]).await.is_err_and(|failure| failure == busy));
    assert_eq!(stores.state().current, Some(photo(1)));
    assert!(stores.is_tidy());
}

#[tokio::test]
async fn a_failed_upload_keeps_the_old_photo() {
    for call in 1..=6 {
        for failing in [Failing::Before, Failing::After] {
            let stores = Stores::with_photo();
            stores.state().failing = Some((call, failing));
            let answer = stores.service(minute(0)).replace(ACTOR, USER, PICTURE.into()).await;
            // The third call gives the photo to the user: a later failure does no harm.
            assert_eq!(answer.is_err(), call <= 3, "{call} {failing:?}");
            let is_new = call > 3 || (call, failing) == (3, Failing::After);
            let wanted = photo(if is_new { 101 } else { 1 });
            assert_eq!(stores.state().current, Some(wanted), "{call} {failing:?}");
            assert!(stores.state().objects.contains_key(&wanted), "{call} {failing:?}");
            stores.state().failing = None;
            stores.images(minute(11)).tidy(OPERATOR).await.unwrap();
            assert!(stores.is_tidy(), "{call} {failing:?}");
        }
    }
}

#[tokio::test]
async fn a_later_clean_up_removes_what_a_crash_left_behind() {
    for calls in 0..=5 {
        let stores = Stores::with_photo();
        let service = stores.service(minute(0));
        assert!(cut_short(service.replace(ACTOR, USER, PICTURE.into()), calls).is_none());
        assert_eq!(stores.is_tidy(), calls == 0, "{calls}");
        // The clean-up may be interrupted as well, at any call.
        for calls in 0..6 {
            drop(cut_short(stores.images(minute(11)).tidy(OPERATOR), calls));
        }
        stores.images(minute(11)).tidy(OPERATOR).await.unwrap();
        let wanted = photo(if calls < 3 { 1 } else { 101 });
        assert_eq!(stores.state().current, Some(wanted), "{calls}");
        assert!(stores.is_tidy(), "{calls}");
    }
    for calls in 0..=3 {
        let stores = Stores::with_photo();
        assert!(cut_short(stores.service(minute(0)).delete(ACTOR, USER), calls).is_none());
        stores.images(minute(11)).tidy(OPERATOR).await.unwrap();
        assert_eq!(stores.state().current.is_none(), calls > 0, "{calls}");
        assert!(stores.is_tidy(), "{calls}");
    }
}

/// Covers all interleavings of the calls of two use cases.
const SCHEDULES: std::ops::Range<u32> = 0..1 << 12;

#[test]
fn an_upload_of_more_than_ten_minutes_is_stored_or_refused() {
    let (mut kept, mut refused) = (0, 0);
    for schedule in SCHEDULES {
        let stores = Stores::with_photo();
        let (now, later) = (stores.service(minute(0)), stores.images(minute(11)));
        let upload = now.replace(ACTOR, USER, PICTURE.into());
        // The store panics when the photo of a user is removed.
        let (answer, tidied) = match schedule % 2 {
            0 => interleaved(upload, later.tidy(OPERATOR), schedule >> 1),
            _ => {
                let check = async {
                    later.compare_and_remove(OPERATOR).await.map(|check| check.unowned.len())
                };
                interleaved(upload, check, schedule >> 1)
            }
        };
        tidied.unwrap();
        match answer {
            Ok(_) => kept += 1,
            Err(failure) => {
                assert!(matches!(failure, Failure::Store(StoreError::Unavailable(_))));
                refused += 1;
            }
        }
        let state = stores.state();
        let current = state.current.expect("a photo");
        assert!(state.objects.keys().eq([&current]), "{schedule:b}");
        assert!(state.announced.is_empty(), "{schedule:b}");
    }
    assert!(kept > 0 && refused > 0);
}

#[test]
fn two_concurrent_changes_leave_at_most_one_photo() {
    for schedule in SCHEDULES {
        let stores = Stores::with_photo();
        let (one, other) = (stores.service(minute(0)), stores.service(minute(0)));
        let upload = one.replace(ACTOR, USER, PICTURE.into());
        if schedule % 2 == 0 {
            let (one, other) =
                interleaved(upload, other.replace(ACTOR, USER, PICTURE.into()), schedule);
            let current = stores.state().current;
            let answers = [one.unwrap().photo_id, other.unwrap().photo_id];
            assert!(answers.contains(&current) && answers[0] != answers[1]);
        } else {
            let (one, other) = interleaved(upload, other.delete(ACTOR, USER), schedule >> 1);
            one.unwrap();
            other.unwrap();
        }
        assert!(stores.is_tidy(), "{schedule:b}");
    }
}

#[tokio::test]
async fn a_running_upload_is_not_removed() {
    let stores = Stores::with_photo();
    let service = stores.service(minute(0));
    // Announced and stored, not yet given to the user.
    assert!(cut_short(service.replace(ACTOR, USER, PICTURE.into()), 2).is_none());
    let just = stores.images(minute(10));
    assert_eq!(just.tidy(OPERATOR).await, Ok(0));
    let found = ImageCheck { objects: 2, ..ImageCheck::default() };
    assert_eq!(just.compare(OPERATOR).await.as_ref(), Ok(&found));
    assert_eq!(just.compare_and_remove(OPERATOR).await, Ok(found));
    assert!(stores.state().objects.contains_key(&photo(101)));
    assert_eq!(stores.images(minute(11)).tidy(OPERATOR).await, Ok(1));
    assert!(stores.is_tidy());
}

#[tokio::test]
async fn a_comparison_can_remove_objects_without_a_user() {
    let stores = Stores::with_photo();
    for orphan in 2..=1_200 {
        stores.state().objects.insert(photo(orphan), minute(0));
    }
    let unowned: Vec<_> = (2..=1_200).map(photo).collect();
    let found = ImageCheck { objects: 1_200, unowned, missing: Vec::new() };
    let service = stores.images(minute(11));
    // `compare` removes nothing.
    assert_eq!(service.compare(OPERATOR).await.as_ref(), Ok(&found));
    assert_eq!(stores.state().objects.len(), 1_200);
    assert_eq!(service.compare_and_remove(OPERATOR).await, Ok(found));
    assert!(stores.is_tidy());
    let found = ImageCheck { objects: 1, ..ImageCheck::default() };
    assert_eq!(service.compare_and_remove(OPERATOR).await, Ok(found));
}

#[tokio::test]
async fn a_comparison_finds_users_whose_photo_is_missing() {
    let stores = Stores::with_photo();
    stores.state().objects.clear();
    stores.state().objects.insert(photo(2), minute(0));
    let found =
        ImageCheck { objects: 1, unowned: vec![photo(2)], missing: vec![ImageOwner::User(USER)] };
    assert_eq!(stores.images(minute(11)).compare_and_remove(OPERATOR).await, Ok(found));
    assert_eq!(stores.state().current, Some(photo(1)), "it may come back");
}

#[test]
fn a_photo_that_changes_during_a_comparison_is_not_reported_as_missing() {
    for schedule in SCHEDULES {
        let stores = Stores::with_photo();
        let (service, images) = (stores.service(minute(0)), stores.images(minute(0)));
        let (_, found) = if schedule % 2 == 0 {
            let upload = async { service.replace(ACTOR, USER, PICTURE.into()).await.map(drop) };
            interleaved(upload, images.compare(OPERATOR), schedule >> 1)
        } else {
            interleaved(service.delete(ACTOR, USER), images.compare(OPERATOR), schedule >> 1)
        };
        assert_eq!(found.unwrap().missing, [], "{schedule:b}");
    }
}

#[tokio::test]
async fn the_clean_up_removes_more_objects_than_fit_into_one_call() {
    let stores = Stores::with_photo();
    for left in 2..=1_200 {
        let announced = (minute(0), left % 2 == 0);
        stores.state().announced.insert(photo(left), announced);
        stores.state().objects.insert(photo(left), minute(0));
    }
    assert_eq!(stores.images(minute(11)).tidy(OPERATOR).await, Ok(1_199));
    assert!(stores.is_tidy());
}

fn service(users: MockUsers, stores: &Arc<Stores>) -> PhotoService {
    let clock = Arc::new(patrol_domain::shared::ports::MockClock::new());
    let (users, images) = (Arc::new(users), stores.images(minute(0)));
    PhotoService::new(users, stores.clone(), images, clock)
}

#[tokio::test]
async fn an_employee_changes_its_own_photo_and_a_manager_not_that_of_an_administrator() {
    let own = UserId(Uuid::from_u128(1));
    let stores = Stores::with_photo();
    for (role, of, subject, allowed) in [
        (Role::Employee, 1, Role::Employee, true),
        (Role::Employee, 2, Role::Employee, false),
        (Role::Manager, 2, Role::Manager, true),
        (Role::Manager, 2, Role::Admin, false),
        (Role::Admin, 2, Role::Admin, true),
    ] {
        let mut users = MockUsers::new();
        let user = move || Versioned::unversioned(User { role: subject, ..user(of) });
        users.expect_get().returning(move |_| Ok(Some(user())));
        let id = UserId(Uuid::from_u128(of));
        let answer = service(users, &stores)
            .permit_change(Caller { user: own, role, token: None }.into(), id)
            .await;
        let wanted = if allowed { Ok(()) } else { Err(Failure::Refused(Refusal::Denied)) };
        assert_eq!(answer, wanted, "{role:?} {of} {subject:?}");
    }
    let other = UserId(Uuid::from_u128(2));
    for (missing, failure) in [(other, Failure::NotFound), (own, Failure::CallerInvalid)] {
        let mut users = MockUsers::new();
        users.expect_get().returning(|_| Ok(None));
        let caller = Caller { user: own, role: Role::Manager, token: None };
        let answer = service(users, &stores).permit_change(caller.into(), missing).await;
        assert_eq!(answer, Err(failure));
    }
}

#[tokio::test]
async fn a_photo_is_found_when_it_is_replaced_while_it_is_read() {
    let stores = Stores::with_photo();
    for (has, wanted) in [
        (vec![None], Err(Failure::NotFound)),
        (vec![Some(None)], Err(Failure::NotFound)),
        (vec![Some(Some(1))], Ok(photo(1))),
        (vec![Some(Some(7)), Some(Some(1))], Ok(photo(1))),
        (vec![Some(Some(7)), Some(None)], Err(Failure::NotFound)),
        (vec![Some(Some(7)), Some(Some(8)), Some(Some(1))], Ok(photo(1))),
        (vec![Some(Some(7)), Some(Some(7))], Err(Failure::NotFound)),
    ] {
        let mut users = MockUsers::new();
        let mut order = mockall::Sequence::new();
        for has in has {
            users.expect_get().times(1).in_sequence(&mut order).returning(move |_| {
                let user = |number: Option<u128>| User { photo_id: number.map(photo), ..user(1) };
                Ok(has.map(user).map(Versioned::unversioned))
            });
        }
        let answer = service(users, &stores).get(ACTOR, USER).await;
        assert_eq!(answer.map(|(media, _)| media), wanted);
    }
}
