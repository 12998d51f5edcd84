//! `check`, and the places of photos.

use std::{
    fs,
    time::{Duration, SystemTime},
};

use crate::workspace::{COMPANY, Workspace};

const PHOTO: &str = "0190a000-0000-7000-8000-0000000000a1";
const OTHER: &str = "0190a000-0000-7000-8000-0000000000a2";

#[test]
fn photos_without_a_user_are_removed_except_recent_ones() {
    let workspace = Workspace::with(COMPANY);
    assert_eq!(workspace.run(&["check"]).ok(), "photos: 0 found, 0 unused removed, 0 missing\n");
    assert!(!workspace.path("data/photos").exists(), "a check makes no folder");
    fs::create_dir(workspace.path("data/photos")).unwrap();
    for name in [PHOTO, OTHER, "notes.txt"] {
        workspace.write(&format!("data/photos/{name}"), "x");
    }
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    let file =
        fs::File::options().write(true).open(workspace.path("data/photos").join(PHOTO)).unwrap();
    file.set_modified(old).unwrap();
    let said = "photos: 2 found, 1 unused would be removed, 0 missing\n";
    assert_eq!(workspace.run(&["check", "--dry-run"]).ok(), format!("{said}{PHOTO}\n"));
    assert!(workspace.path("data/photos").join(PHOTO).exists());
    let said = "photos: 2 found, 1 unused removed, 0 missing\n";
    assert_eq!(workspace.run(&["check"]).ok(), said);
    assert!(!workspace.path("data/photos").join(PHOTO).exists());
    assert!(workspace.path("data/photos").join(OTHER).exists());
    assert!(workspace.path("data/photos/notes.txt").exists());
}

#[test]
fn without_a_store_check_and_backup_fail() {
    let workspace = Workspace::new();
    for command in ["check", "backup"] {
        let line = [&[command][..], if command == "backup" { &["b.db"] } else { &[] }].concat();
        let error = workspace.run(&line).failed(1);
        assert!(error.contains("no store at data/patrol.db"), "{error}");
    }
    assert!(workspace.names().is_empty());
}

#[test]
fn a_folder_that_cannot_be_used_is_exit_1() {
    let workspace = Workspace::with(COMPANY);
    workspace.write("file", "");
    for command in ["serve", "check"] {
        let line = [command, "--photos-url", "file:file/photos", "--listen", "127.0.0.1:0"];
        let error = workspace.run(&line).failed(1);
        assert!(error.contains("file/photos") && error.contains("--photos-url"), "{error}");
    }
}
