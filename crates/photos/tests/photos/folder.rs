//! A folder of photos.

use std::{fs, iter, path::Path};

use patrol_contract::photos::picture;
use patrol_domain::{
    StoreError,
    ids::{MediaId, Uuid},
    photo::{ImageFormat, Photos},
};
use patrol_photos::{OpenError, PhotoStore, Place};
use tempfile::TempDir;

fn id(number: u128) -> MediaId {
    MediaId(Uuid::from_u128(number))
}

fn open(folder: &Path) -> Result<PhotoStore, OpenError> {
    PhotoStore::open(&Place::Folder(folder.to_owned()), iter::empty())
}

fn folder() -> (TempDir, PhotoStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("a/photos")).unwrap();
    (folder, store)
}

#[cfg(unix)]
#[tokio::test]
async fn a_folder_and_its_files_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;

    let (folder, store) = folder();
    store.put(id(1), picture(ImageFormat::Png, 1)).await.unwrap();
    let mode =
        |path: &str| fs::metadata(folder.path().join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("a/photos"), 0o700);
    assert_eq!(mode(&format!("a/photos/{}", id(1))), 0o600);
    // An existing folder keeps its permissions.
    fs::set_permissions(folder.path().join("a/photos"), fs::Permissions::from_mode(0o750)).unwrap();
    open(&folder.path().join("a/photos")).unwrap();
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
    // A directory is in the place of the file.
    fs::create_dir(place.join(id(1).to_string())).unwrap();
    let failed = store.put(id(1), picture(ImageFormat::Png, 1)).await;
    assert!(matches!(failed, Err(StoreError::Unavailable(_))), "{failed:?}");
    assert_eq!(fs::read_dir(&place).unwrap().count(), 1);
    fs::remove_dir_all(&place).unwrap();
    let failed = store.put(id(2), picture(ImageFormat::Png, 1)).await.unwrap_err().to_string();
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
    let Err(OpenError::Folder { path, .. }) = open(&file.join("x")) else {
        panic!("opened");
    };
    assert_eq!(path, file.join("x"));
}
