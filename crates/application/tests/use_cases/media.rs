//! Uploads that are sent again, and the removal of media that nothing names.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use futures_util::stream;
use mockall::predicate::{always, eq};
use patrol_application::{Context, Failure, ImageService, MediaService, rules};
use patrol_domain::{
    EditError, Held, Holder, Limits, StoreError, Version, Versioned,
    ids::{MediaId, Uuid},
    media::{MediaType, Medium, MockMedia, MockMediaFiles, NewMediaFile, ReceivedFile},
    photo::{MockImageOwners, MockImages, MockPhotos},
    shared::ports::MockIds,
};

use crate::{ACTOR, OPERATOR, clock};

/// How long a medium is kept that nothing names, in milliseconds.
const SEVEN_DAYS: i64 = 7 * 24 * 60 * 60 * 1_000;

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
        created_at: patrol_domain::Timestamp::from_millis(-SEVEN_DAYS - 1).unwrap(),
        user_id: None,
    };
    Versioned { record, version: Version::of_new(medium_time()) }
}

fn medium_time() -> patrol_domain::Timestamp {
    patrol_domain::Timestamp::from_millis(0).unwrap()
}

/// A service over these media, and the objects that it removes.
fn service(media: MockMedia) -> (MediaService, Arc<Mutex<Vec<MediaId>>>) {
    service_with(media, MockMediaFiles::new())
}

fn service_with(
    mut media: MockMedia,
    files: MockMediaFiles,
) -> (MediaService, Arc<Mutex<Vec<MediaId>>>) {
    let removed = Arc::new(Mutex::new(Vec::new()));
    let (mut owners, mut photos) = (MockImageOwners::new(), MockPhotos::new());
    owners.expect_announce().returning(|_, _| Ok(()));
    owners.expect_mark_for_removal().returning(|images, _| Ok(images));
    owners.expect_end_announcements().returning(|_| Ok(()));
    let deleted = Arc::clone(&removed);
    photos.expect_delete().returning(move |id| {
        deleted.lock().unwrap().push(id);
        Ok(())
    });
    media.expect_get().returning(|id| Ok((id != self::id(3)).then(|| medium(id.0.as_u128()))));
    let mut ids = MockIds::new();
    ids.expect_next().returning(|| id(900).0);
    let images = ImageService::new(
        Arc::new(owners),
        Arc::new(photos),
        Arc::new(MockImages::new()),
        clock(),
        Arc::new(ids),
    );
    let context = Context::new(clock(), Arc::new(MockIds::new()), rules(Limits::default()));
    (MediaService::new(Arc::new(media), Arc::new(files), images, context), removed)
}

/// A file with the content of [`medium`] and this digest, which is stored only in place of this object.
struct SentAgain([u8; 32], Option<MediaId>);

#[async_trait]
impl NewMediaFile for SentAgain {
    async fn append(&mut self, _: &[u8]) -> Result<(), StoreError> {
        Ok(())
    }

    fn received(&self) -> ReceivedFile {
        ReceivedFile { size: 9, sha256: self.0, head: b"\xff\xd8\xff".to_vec() }
    }

    async fn store(self: Box<Self>, object: MediaId) -> Result<(), StoreError> {
        assert_eq!(Some(object), self.1, "it is stored again");
        Ok(())
    }
}

#[tokio::test]
async fn a_medium_that_is_sent_again_is_not_stored_again() {
    for (digest, expected) in
        [([1; 32], Ok((medium(1).record, false))), ([2; 32], Err(Failure::InUse(Vec::new())))]
    {
        let mut files = MockMediaFiles::new();
        files.expect_begin().returning(move |_| Ok(Box::new(SentAgain(digest, None))));
        files.expect_read().returning(|_, _| Ok(Some(Box::pin(stream::empty()))));
        let (service, removed) = service_with(MockMedia::new(), files);
        let upload = service.begin(ACTOR).await.unwrap();
        assert_eq!(service.end(ACTOR, Some(upload), Some(id(1))).await, expected);
        assert_eq!(*removed.lock().unwrap(), [id(900)]);
    }
}

#[tokio::test]
async fn a_lost_file_is_stored_when_it_is_sent_again() {
    let lost = medium(1).record;
    let mut files = MockMediaFiles::new();
    let object = lost.object;
    files.expect_begin().returning(move |_| Ok(Box::new(SentAgain([1; 32], Some(object)))));
    files.expect_read().with(eq(object), always()).returning(|_, _| Ok(None));
    let (service, removed) = service_with(MockMedia::new(), files);
    let upload = service.begin(ACTOR).await.unwrap();
    assert_eq!(service.end(ACTOR, Some(upload), Some(id(1))).await, Ok((lost, false)));
    assert_eq!(*removed.lock().unwrap(), [id(900)]);
}

#[tokio::test]
async fn what_is_named_or_removed_meanwhile_stays() {
    let mut media = MockMedia::new();
    media.expect_unused().returning(|until, after, _| {
        assert_eq!(until.millis(), -SEVEN_DAYS);
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
