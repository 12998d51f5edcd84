//! Media that nothing names are removed.

use std::sync::{Arc, Mutex};

use patrol_application::{Context, ImageService, MediaService, rules};
use patrol_domain::{
    EditError, Held, Holder, Limits, StoreError, Version, Versioned,
    ids::{MediaId, Uuid},
    media::{KEPT_UNUSED_MILLIS, MediaType, Medium, MockMedia, MockMediaFiles},
    photo::{MockImageOwners, MockImages, MockPhotos},
    shared::ports::MockIds,
};

use crate::{OPERATOR, clock};

fn id(number: u128) -> MediaId {
    MediaId(Uuid::from_u128(number))
}

/// A medium whose object has a number that is 100 higher.
fn medium(number: u128) -> Versioned<Medium> {
    let record = Medium {
        id: id(number),
        object: id(100 + number),
        kind: MediaType::Jpeg,
        size: 9,
        sha256: [1; 32],
        created_at: patrol_domain::Timestamp::from_millis(-KEPT_UNUSED_MILLIS - 1).unwrap(),
        user_id: None,
    };
    Versioned { record, version: Version::of_new(medium_time()) }
}

fn medium_time() -> patrol_domain::Timestamp {
    patrol_domain::Timestamp::from_millis(0).unwrap()
}

/// A service over these media, and the objects that it removes.
fn service(mut media: MockMedia) -> (MediaService, Arc<Mutex<Vec<MediaId>>>) {
    let removed = Arc::new(Mutex::new(Vec::new()));
    let (mut owners, mut photos) = (MockImageOwners::new(), MockPhotos::new());
    owners.expect_end_announcements().returning(|_| Ok(()));
    let deleted = Arc::clone(&removed);
    photos.expect_delete().returning(move |id| {
        deleted.lock().unwrap().push(id);
        Ok(())
    });
    media.expect_get().returning(|id| Ok((id != self::id(3)).then(|| medium(id.0.as_u128()))));
    let images = ImageService::new(
        Arc::new(owners),
        Arc::new(photos),
        Arc::new(MockImages::new()),
        clock(),
        Arc::new(MockIds::new()),
    );
    let context = Context::new(clock(), Arc::new(MockIds::new()), rules(Limits::default()));
    (MediaService::new(Arc::new(media), Arc::new(MockMediaFiles::new()), images, context), removed)
}

#[tokio::test]
async fn what_is_named_or_removed_meanwhile_stays() {
    let mut media = MockMedia::new();
    media.expect_unused().returning(|until, after, _| {
        assert_eq!(until.millis(), -KEPT_UNUSED_MILLIS);
        Ok(match after {
            None => vec![id(1), id(2), id(3)],
            Some(last) if last == id(3) => vec![id(4), id(5)],
            Some(_) => Vec::new(),
        })
    });
    media.expect_delete().returning(|at, _| match at.id.0.as_u128() {
        2 => Err(EditError::InUse(vec![Held { by: Holder::TaskExecutions, count: 1 }])),
        4 => Err(EditError::Missing),
        _ => Ok(()),
    });
    let (service, removed) = service(media);
    assert_eq!(service.remove_unused(OPERATOR).await, Ok(2));
    assert_eq!(*removed.lock().unwrap(), [id(101), id(105)]);
}

#[tokio::test]
async fn a_store_that_fails_ends_the_run() {
    let mut media = MockMedia::new();
    media.expect_unused().returning(|_, _, _| Ok(vec![id(1), id(2)]));
    let down = StoreError::Unavailable("down".to_owned());
    let failure = down.clone();
    media.expect_delete().returning(move |_, _| Err(failure.clone().into()));
    let (service, removed) = service(media);
    assert_eq!(service.remove_unused(OPERATOR).await, Err(down));
    assert_eq!(*removed.lock().unwrap(), []);
}
