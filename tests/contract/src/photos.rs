//! [`Photos`].

use std::{collections::BTreeSet, time::Duration};

use futures_util::{TryStreamExt as _, future::join_all};
use patrol_domain::{
    ids::MediaId,
    media::{MediaFiles, MediaType},
    photo::{ImageFormat, Photo, Photos},
};

use crate::sample::id;

/// Creates the empty photo store of a case, which nothing else uses.
pub trait Place: Sync {
    /// The photo store.
    fn photos(&self) -> &dyn Photos;

    /// The same place, for files of media.
    fn files(&self) -> &dyn MediaFiles;
}

fn photo_id(number: u128) -> MediaId {
    id(13, number)
}

/// A file that starts like an image of the format.
#[must_use]
pub fn picture(format: ImageFormat, length: usize) -> Photo {
    let start: &[u8] = match format {
        ImageFormat::Jpeg => b"\xff\xd8\xff\xe0",
        ImageFormat::Png => b"\x89PNG\r\n\x1a\n",
        ImageFormat::Webp => b"RIFF\x10\0\0\0WEBPVP8L",
    };
    Photo { format, bytes: [start, &vec![7; length]].concat() }
}

async fn put(place: &impl Place, number: u128, photo: Photo) {
    place.photos().put(photo_id(number), photo).await.expect("a photo is stored");
}

async fn all(place: &impl Place) -> BTreeSet<MediaId> {
    let all = place.photos().all().await.expect("a read");
    let ids: BTreeSet<_> = all.iter().map(|(id, _)| *id).collect();
    assert_eq!(ids.len(), all.len(), "one is told twice");
    ids
}

/// A photo is read as it was stored, for each format and length.
pub async fn a_photo_comes_back_as_it_was_put(place: &impl Place) {
    let formats = [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::Webp];
    for (number, format) in (1..).zip(formats) {
        put(place, number, picture(format, 3_000_000)).await;
        put(place, number + 10, picture(format, 1)).await;
    }
    for (number, format) in (1..).zip(formats) {
        for (number, length) in [(number, 3_000_000), (number + 10, 1)] {
            let found = place.photos().get(photo_id(number)).await.expect("a read");
            assert!(found == Some(picture(format, length)), "{format:?} of {length}");
        }
    }
}

/// A photo that was never stored is `None`, and can be deleted.
pub async fn a_photo_that_is_not_there_is_none(place: &impl Place) {
    assert!(place.photos().get(photo_id(1)).await.expect("a read").is_none());
    assert_eq!(place.photos().exists(photo_id(1)).await, Ok(false));
    assert_eq!(place.photos().delete(photo_id(1)).await, Ok(()));
    assert_eq!(all(place).await, BTreeSet::new());
}

/// A deleted photo is gone; others stay.
pub async fn a_deleted_photo_is_gone(place: &impl Place) {
    for number in 1..=3 {
        put(place, number, picture(ImageFormat::Png, 10)).await;
    }
    for _ in 0..2 {
        assert_eq!(place.photos().delete(photo_id(2)).await, Ok(()));
        assert_eq!(place.photos().exists(photo_id(2)).await, Ok(false));
        assert!(place.photos().get(photo_id(2)).await.expect("a read").is_none());
    }
    assert_eq!(all(place).await, BTreeSet::from([photo_id(1), photo_id(3)]));
    assert!(place.photos().get(photo_id(3)).await.expect("a read").is_some());
    assert_eq!(place.photos().exists(photo_id(3)).await, Ok(true));
}

/// Photos that are stored and deleted concurrently do not affect each other.
pub async fn photos_that_change_at_once_are_each_as_they_were_left(place: &impl Place) {
    let photo = |number: u8| picture(ImageFormat::Jpeg, 1000 + usize::from(number));
    let change = async |number: u8| {
        put(place, number.into(), photo(number)).await;
        if number.is_multiple_of(3) {
            assert_eq!(place.photos().delete(photo_id(number.into())).await, Ok(()));
        }
    };
    join_all((1..=30).map(change)).await;
    let left: Vec<u8> = (1..=30_u8).filter(|number| !number.is_multiple_of(3)).collect();
    let ids = left.iter().map(|number| photo_id((*number).into()));
    assert_eq!(all(place).await, ids.collect());
    for number in left {
        let found = place.photos().get(photo_id(number.into())).await.expect("a read");
        assert!(found == Some(photo(number)), "{number}");
    }
}

/// Each photo is listed with the time when it was stored, by the clock of the store.
pub async fn all_tell_when_they_were_stored(place: &impl Place) {
    put(place, 1, picture(ImageFormat::Png, 10)).await;
    let read = || async { place.photos().all().await.expect("a read") };
    let first = read().await;
    // 2024 or later, in milliseconds.
    assert!(first[0].1.millis() > 1_704_067_200_000, "{:?}", first[0].1);
    // The clocks of file systems and of S3 may have a resolution of a second.
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    put(place, 2, picture(ImageFormat::Png, 10)).await;
    let second = read().await;
    let stored = |id| second.iter().find(|(found, _)| *found == id).expect("the photo").1;
    assert_eq!(stored(photo_id(1)), first[0].1);
    assert!(stored(photo_id(1)) < stored(photo_id(2)));
}

/// The bytes of a file: 1 MiB and a little, so that it is read in several pieces.
fn content() -> Vec<u8> {
    (0_u32..262_151).flat_map(u32::to_le_bytes).collect()
}

/// A file is stored byte for byte, and any part of it is read. What is known of it is true for every
/// way to cut it into pieces.
pub async fn a_file_is_read_in_parts(place: &impl Place) {
    let content = content();
    let length = u64::try_from(content.len()).expect("a length");
    let mut digests = BTreeSet::new();
    for (number, piece) in [(1, 1_000_003), (2, 65_536), (3, 200)] {
        let mut new = place.files().begin(photo_id(number)).await.expect("a file");
        for piece in content.chunks(piece) {
            new.append(piece).await.expect("a piece");
        }
        let received = new.received();
        assert_eq!(received.size, length);
        assert_eq!(received.head, content[..MediaType::HEAD]);
        digests.insert(received.sha256);
        assert!(place.files().read(photo_id(number), 0..1).await.expect("a read").is_none());
        new.store(photo_id(number)).await.expect("a stored file");
        for part in [0..length, 0..1, 7..524_288, 524_287..524_290, length - 1..length] {
            let bytes = place.files().read(photo_id(number), part.clone()).await.expect("a read");
            let bytes = bytes.expect("the file").try_concat().await.expect("all bytes");
            let [start, end] =
                [part.start, part.end].map(|at| usize::try_from(at).expect("a place"));
            assert!(bytes == content[start..end], "{part:?}");
        }
    }
    assert_eq!(digests.len(), 1);
    assert_eq!(all(place).await, (1..4).map(photo_id).collect());
    place.photos().delete(photo_id(2)).await.expect("a deletion");
    assert!(place.files().read(photo_id(2), 0..1).await.expect("a read").is_none());
}

/// A file can be stored under another id than the one with which it began, in place of a lost one.
pub async fn a_file_takes_the_place_of_another(place: &impl Place) {
    let mut new = place.files().begin(photo_id(1)).await.expect("a file");
    new.append(&content()).await.expect("a piece");
    new.store(photo_id(2)).await.expect("a stored file");
    assert_eq!(all(place).await, BTreeSet::from([photo_id(2)]));
    let bytes = place.files().read(photo_id(2), 0..4).await.expect("a read").expect("the file");
    assert_eq!(bytes.try_concat().await.expect("all bytes"), content()[..4]);
}

/// An upload that breaks off leaves nothing.
pub async fn a_file_that_is_dropped_leaves_nothing(place: &impl Place) {
    let mut new = place.files().begin(photo_id(1)).await.expect("a file");
    new.append(&content()).await.expect("a piece");
    drop(new);
    assert_eq!(all(place).await, BTreeSet::new());
}
