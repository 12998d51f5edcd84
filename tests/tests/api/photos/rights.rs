//! Who may change whose photo.

use image::ImageFormat;
use patrol_tests::{
    Running,
    company::{ADMIN, EMPLOYEE, GUARD, MANAGER, NOBODY},
    pictures::picture,
};

use super::{path, photo_id};

#[test]
fn an_employee_changes_its_own_photo_and_sees_all() {
    let running = Running::with([]);
    let (employee, png) = (running.api(EMPLOYEE), picture(ImageFormat::Png));
    let _ = employee.upload(&path(EMPLOYEE), &png).ok();
    employee.delete(&path(EMPLOYEE)).is_bare(204);
    for other in [GUARD, MANAGER, ADMIN] {
        let _ = running.admin.upload(&path(other), &png).ok();
        let kept = photo_id(&running, other);
        employee.upload(&path(other), &png).refused(403, "access.denied").shows(&[]);
        employee.upload(&path(other), b"x").refused(403, "access.denied").shows(&[]);
        employee.delete(&path(other)).refused(403, "access.denied").shows(&[]);
        assert_eq!(employee.get(&path(other)).status, 200);
        assert_eq!(photo_id(&running, other), kept);
    }
    let _ = employee.upload(&path(NOBODY), &png).refused(403, "access.denied");
    assert_eq!(running.store.photos().len(), 3);
}

#[test]
fn a_manager_changes_every_photo_but_those_of_administrators() {
    let running = Running::with([]);
    let (manager, png) = (running.api(MANAGER), picture(ImageFormat::Png));
    for user in [MANAGER, GUARD] {
        let _ = manager.upload(&path(user), &png).ok();
        manager.delete(&path(user)).is_bare(204);
    }
    // Refused whether the user has a photo or not.
    manager.delete(&path(ADMIN)).refused(403, "access.denied").shows(&[]);
    let _ = running.admin.upload(&path(ADMIN), &png).ok();
    let kept = photo_id(&running, ADMIN);
    manager.upload(&path(ADMIN), &png).refused(403, "access.denied").shows(&[]);
    manager.delete(&path(ADMIN)).refused(403, "access.denied").shows(&[]);
    assert_eq!(manager.get(&path(ADMIN)).status, 200);
    assert_eq!(photo_id(&running, ADMIN), kept);
}

#[test]
fn nobody_gets_in_without_a_token() {
    let running = Running::with([]);
    let (anybody, png) = (running.server.api(), picture(ImageFormat::Png));
    let _ = running.admin.upload(&path(GUARD), &png).ok();
    anybody.upload(&path(GUARD), &png).refused(401, "unauthorized").shows(&[]);
    anybody.get(&path(GUARD)).refused(401, "unauthorized").shows(&[]);
    anybody.delete(&path(GUARD)).refused(401, "unauthorized").shows(&[]);
    assert_eq!(running.admin.get(&path(GUARD)).status, 200);
}
