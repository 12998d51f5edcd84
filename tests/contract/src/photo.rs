//! [`UserPhotos`](patrol_domain::photo::UserPhotos) and
//! [`ImageOwners`](patrol_domain::photo::ImageOwners).

use patrol_domain::{
    EditError, StoreError, Timestamp,
    event::Origin,
    ids::MediaId,
    photo::ImageOwner,
    user::{User, UserPatch},
};

use crate::{
    Adapter, Ports, records,
    sample::{exported, fill, id, of_user, time, user, user_id},
};

fn photo(number: u128) -> MediaId {
    id(13, number)
}

async fn filled<A: Adapter>(adapter: &A) -> Ports {
    let ports = adapter.fresh().await;
    fill(&ports, &[]).await;
    ports
}

async fn announce(ports: &Ports, number: u128, at: i64) {
    ports.image_owners.announce(photo(number), time(at)).await.expect("an announcement");
}

/// Announces the photo and gives it to user 1.
async fn give(ports: &Ports, number: u128, at: i64) {
    announce(ports, number, at).await;
    set(ports, Some(photo(number)), at).await.expect("a photo");
}

async fn set(ports: &Ports, photo: Option<MediaId>, at: i64) -> Result<Set, EditError> {
    ports.user_photos.set(user_id(1), photo, Origin::of_program(time(at))).await
}

type Set = (User, Option<MediaId>);

async fn announced(ports: &Ports) -> Vec<MediaId> {
    let end = Timestamp::from_millis(253_402_300_799_999).expect("a time");
    ports.image_owners.announced(end, u32::MAX).await.expect("a read")
}

fn having(photo: Option<MediaId>) -> User {
    User { photo_id: photo, ..user(1) }
}

async fn found(ports: &Ports) -> User {
    records::found(ports, user_id(1)).await.expect("the user")
}

fn is_given_up(set: &Result<Set, EditError>) -> bool {
    matches!(set, Err(EditError::Store(StoreError::Unavailable(_))))
}

/// An announced photo is given to a user and is no longer announced.
pub async fn an_announced_photo_is_given_to_a_user<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    announce(&ports, 1, 10).await;
    announce(&ports, 2, 20).await;
    let with_photo = having(Some(photo(1)));
    assert_eq!(set(&ports, Some(photo(1)), 30).await, Ok((with_photo.clone(), None)));
    assert!(found(&ports).await == with_photo);
    assert_eq!(announced(&ports).await, [photo(2)]);
    // An export has the id of the photo, not the file.
    assert!(exported(&ports).await.contains(&of_user(with_photo)));
}

/// A replaced or removed photo is announced and condemned: no user gets it again.
pub async fn an_old_photo_is_announced_and_condemned<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    give(&ports, 1, 10).await;
    announce(&ports, 2, 20).await;
    let with_new = having(Some(photo(2)));
    assert_eq!(set(&ports, Some(photo(2)), 30).await, Ok((with_new.clone(), Some(photo(1)))));
    assert_eq!(announced(&ports).await, [photo(1)]);
    assert_eq!(ports.image_owners.announced(time(30), 9).await, Ok(Vec::new()));
    assert!(is_given_up(&set(&ports, Some(photo(1)), 40).await));
    assert!(found(&ports).await == with_new);
    assert_eq!(announced(&ports).await, [photo(1)]);

    assert_eq!(set(&ports, None, 50).await, Ok((having(None), Some(photo(2)))));
    assert!(found(&ports).await == having(None));
    assert_eq!(announced(&ports).await, [photo(1), photo(2)]);
    assert_eq!(set(&ports, None, 60).await, Ok((having(None), None)));
}

/// Setting the photo that the user already has keeps it, even when it was announced again.
pub async fn the_current_photo_stays_when_it_is_set_again<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    give(&ports, 1, 10).await;
    announce(&ports, 1, 20).await;
    assert_eq!(set(&ports, Some(photo(1)), 30).await, Ok((having(Some(photo(1))), None)));
    assert!(found(&ports).await == having(Some(photo(1))));
    assert_eq!(announced(&ports).await, Vec::new());
}

/// `Missing` when the user does not exist; the photo stays announced.
pub async fn a_photo_for_a_user_that_is_not_there_is_missing<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    announce(&ports, 1, 10).await;
    for photo in [Some(photo(1)), None] {
        let set = ports.user_photos.set(user_id(99), photo, Origin::of_program(time(20))).await;
        assert_eq!(set, Err(EditError::Missing));
    }
    assert_eq!(announced(&ports).await, [photo(1)]);
}

/// A photo that was never announced, or is settled, cannot be given to a user.
pub async fn a_photo_that_is_not_announced_is_given_to_nobody<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    give(&ports, 1, 10).await;
    announce(&ports, 2, 20).await;
    assert_eq!(ports.image_owners.end_announcements(vec![photo(2), photo(9)]).await, Ok(()));
    assert_eq!(announced(&ports).await, []);
    for number in [2, 3] {
        assert!(is_given_up(&set(&ports, Some(photo(number)), 30).await));
    }
    assert!(found(&ports).await == having(Some(photo(1))));
    assert_eq!(announced(&ports).await, []);
}

/// Photos without a user are condemned, announced or not, until they are settled. The photo of a
/// user is not.
pub async fn what_a_user_has_is_not_condemned<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    give(&ports, 1, 10).await;
    announce(&ports, 2, 20).await;
    let photos = vec![photo(3), photo(1), photo(2)];
    let condemned = vec![photo(3), photo(2)];
    // Again, because the process that wanted to remove them may have died.
    for at in [30, 40] {
        let answer = ports.image_owners.mark_for_removal(photos.clone(), time(at)).await;
        assert_eq!(answer.as_ref(), Ok(&condemned));
        // A photo that was announced before keeps its time.
        assert_eq!(announced(&ports).await, [photo(2), photo(3)]);
        assert_eq!(ports.image_owners.announced(time(21), 9).await, Ok(vec![photo(2)]));
    }
    assert!(is_given_up(&set(&ports, Some(photo(2)), 50).await));
    assert!(found(&ports).await == having(Some(photo(1))));
    assert_eq!(ports.image_owners.end_announcements(condemned).await, Ok(()));
    assert_eq!(announced(&ports).await, []);
    assert!(is_given_up(&set(&ports, Some(photo(2)), 60).await));
}

/// Announcements are sorted by time, then by id, and limited by time and number.
pub async fn announcements_come_oldest_first<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    for (number, at) in [(1, 30), (4, 20), (3, 20), (2, 10)] {
        announce(&ports, number, at).await;
    }
    let announced = |until, limit| ports.image_owners.announced(time(until), limit);
    assert_eq!(announced(31, 9).await, Ok(vec![photo(2), photo(3), photo(4), photo(1)]));
    assert_eq!(announced(30, 9).await, Ok(vec![photo(2), photo(3), photo(4)]));
    assert_eq!(announced(31, 2).await, Ok(vec![photo(2), photo(3)]));
    assert_eq!(announced(10, 9).await, Ok(Vec::new()));
}

/// Users with a photo are sorted by id, and limited by id and number. A user without a photo is not
/// listed.
pub async fn owners_of_photos_come_by_id<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    let owners = |after: Option<u128>, limit| {
        let after = after.map(|number| ImageOwner::User(user_id(number)));
        ports.image_owners.owners(after, limit)
    };
    assert_eq!(owners(None, 9).await, Ok(Vec::new()));
    for (user, number) in [(3, 1), (1, 2), (2, 3)] {
        announce(&ports, number, 10).await;
        let given = ports
            .user_photos
            .set(user_id(user), Some(photo(number)), Origin::of_program(time(20)))
            .await;
        given.expect("a photo");
    }
    let owner = |user, image| (ImageOwner::User(user_id(user)), photo(image));
    let (one, two, three) = (owner(1, 2), owner(2, 3), owner(3, 1));
    assert_eq!(owners(None, 9).await, Ok(vec![one, two, three]));
    assert_eq!(owners(None, 2).await, Ok(vec![one, two]));
    assert_eq!(owners(Some(2), 2).await, Ok(vec![three]));
    assert_eq!(owners(Some(3), 2).await, Ok(Vec::new()));
    ports.user_photos.set(user_id(2), None, Origin::of_program(time(30))).await.expect("no photo");
    assert_eq!(owners(None, 9).await, Ok(vec![one, three]));
}

/// When a photo is given and condemned at the same moment, exactly one succeeds.
pub async fn a_photo_is_either_given_or_condemned<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    let mut current = None;
    for number in 1..=30 {
        announce(&ports, number, 10).await;
        let given = set(&ports, Some(photo(number)), 20);
        let condemned = ports.image_owners.mark_for_removal(vec![photo(number)], time(20));
        // Alternates which request is sent first.
        let (given, condemned) = if number % 2 == 0 {
            tokio::join!(given, condemned)
        } else {
            let (condemned, given) = tokio::join!(condemned, given);
            (given, condemned)
        };
        if condemned.expect("an answer").is_empty() {
            assert!(given.is_ok(), "{number}");
            current = Some(photo(number));
        } else {
            assert!(is_given_up(&given), "{number}");
        }
        assert!(found(&ports).await == having(current), "{number}");
    }
}

/// Concurrent changes of a user and of its photo are both stored.
pub async fn a_photo_and_a_change_wait_for_each_other<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    for number in 1..=20 {
        announce(&ports, number, 10).await;
        let tags = vec![number.to_string()];
        let patch =
            UserPatch { tags: patrol_domain::Patch::Value(tags.clone()), ..UserPatch::default() };
        let (given, changed) = tokio::join!(
            set(&ports, Some(photo(number)), 20),
            crate::user::change(&ports, 1, patch),
        );
        given.expect("a photo");
        changed.expect("a change");
        assert!(found(&ports).await == User { tags, ..having(Some(photo(number))) }, "{number}");
    }
}
