//! The store of photos.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;

use patrol_domain::{
    StoreError,
    ids::{MediaId, Uuid},
    photo::{ImageFormat, Photo, Photos},
};
use patrol_photos::{OpenError, PhotoStore, Place};
use tempfile::TempDir;

fn id(number: u128) -> MediaId {
    MediaId(Uuid::from_u128(number))
}

/// What begins as a picture of the format does.
fn photo(format: ImageFormat, length: usize) -> Photo {
    let start: &[u8] = match format {
        ImageFormat::Jpeg => b"\xff\xd8\xff\xe0",
        ImageFormat::Png => b"\x89PNG\r\n\x1a\n",
        ImageFormat::Webp => b"RIFF\x10\0\0\0WEBPVP8L",
    };
    Photo { format, bytes: [start, &vec![7; length]].concat() }
}

fn folder() -> (TempDir, PhotoStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = PhotoStore::open(&Place::Folder(folder.path().join("a/photos"))).unwrap();
    (folder, store)
}

/// The stores that a test can have.
fn each() -> (TempDir, [PhotoStore; 2]) {
    let (folder, store) = folder();
    (folder, [store, PhotoStore::open(&Place::Memory).unwrap()])
}

#[tokio::test]
async fn what_was_put_is_had_until_it_is_deleted() {
    let (_folder, stores) = each();
    for store in stores {
        let formats = [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::Webp];
        for (number, format) in (1..).zip(formats) {
            store.put(id(number), photo(format, 100_000)).await.unwrap();
        }
        for (number, format) in (1..).zip(formats) {
            let found = store.get(id(number)).await.unwrap();
            assert!(found == Some(photo(format, 100_000)), "{format:?}");
        }
        store.delete(id(2)).await.unwrap();
        store.delete(id(2)).await.unwrap();
        assert!(store.get(id(2)).await.unwrap().is_none());
        assert!(store.get(id(9)).await.unwrap().is_none());
        let mut all: Vec<_> = store.all().await.unwrap().into_iter().map(|(id, _)| id).collect();
        all.sort_unstable();
        assert_eq!(all, [id(1), id(3)]);
    }
}

#[tokio::test]
async fn all_tells_when_a_photo_was_stored() {
    let (_folder, stores) = each();
    for store in stores {
        store.put(id(1), photo(ImageFormat::Png, 1)).await.unwrap();
        let all = store.all().await.unwrap();
        let uploaded = all.first().unwrap().1.millis();
        // 2024 or later: a time of the machine, in milliseconds.
        assert!(uploaded > 1_704_067_200_000, "{uploaded}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_folder_and_its_files_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;

    let (folder, store) = folder();
    store.put(id(1), photo(ImageFormat::Png, 1)).await.unwrap();
    let mode =
        |path: &str| fs::metadata(folder.path().join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("a/photos"), 0o700);
    assert_eq!(mode(&format!("a/photos/{}", id(1))), 0o600);
    // One that is there keeps its rights.
    fs::set_permissions(folder.path().join("a/photos"), fs::Permissions::from_mode(0o750)).unwrap();
    PhotoStore::open(&Place::Folder(folder.path().join("a/photos"))).unwrap();
    assert_eq!(mode("a/photos"), 0o750);
}

#[tokio::test]
async fn what_a_killed_process_has_left_is_found_and_removed() {
    let (folder, store) = folder();
    let unfinished = folder.path().join(format!("a/photos/{}.part", id(1)));
    fs::write(&unfinished, "half").unwrap();
    assert!(store.get(id(1)).await.unwrap().is_none());
    let all = store.all().await.unwrap();
    assert_eq!(all.into_iter().map(|(id, _)| id).collect::<Vec<_>>(), [id(1)]);
    store.delete(id(1)).await.unwrap();
    assert!(!unfinished.exists());
}

#[tokio::test]
async fn files_of_others_are_left_alone() {
    let (folder, store) = folder();
    for name in ["notes.txt", "0190a000", "x.part"] {
        fs::write(folder.path().join("a/photos").join(name), "x").unwrap();
    }
    assert!(store.all().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_put_that_fails_leaves_nothing_behind() {
    let (folder, store) = folder();
    let place = folder.path().join("a/photos");
    // Something stands where the file is to go.
    fs::create_dir(place.join(id(1).to_string())).unwrap();
    let failed = store.put(id(1), photo(ImageFormat::Png, 1)).await;
    assert!(matches!(failed, Err(StoreError::Unavailable(_))), "{failed:?}");
    assert_eq!(fs::read_dir(&place).unwrap().count(), 1);
    fs::remove_dir_all(&place).unwrap();
    let failed = store.put(id(2), photo(ImageFormat::Png, 1)).await.unwrap_err().to_string();
    assert!(!failed.contains("photos/"), "{failed}");
}

#[tokio::test]
async fn a_file_that_is_no_picture_is_corrupt() {
    let (folder, store) = folder();
    fs::write(folder.path().join(format!("a/photos/{}", id(1))), "text").unwrap();
    assert!(matches!(store.get(id(1)).await, Err(StoreError::Corrupt { .. })));
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let Err(OpenError::Folder { path, .. }) = PhotoStore::open(&Place::Folder(file.join("x")))
    else {
        panic!("opened");
    };
    assert_eq!(path, file.join("x"));
}
