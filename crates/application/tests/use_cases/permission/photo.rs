//! The use cases of the photos of users.

use std::sync::Arc;

use patrol_application::{Actor, Failure, PhotoService};
use patrol_domain::{
    ids::UserId,
    photo::{ImageError, MockImages, MockUserPhotos},
};

use crate::clock;

use super::{
    ADMIN, OTHER, OWN,
    ports::{down, image_service, users},
    uuid,
};

pub(super) const PERMISSIONS: &[(&str, [bool; 3])] = &[
    ("current", [true, true, true]),
    ("get", [true, true, true]),
    ("permit_change own", [true, true, true]),
    ("replace own", [true, true, true]),
    ("replace other", [true, true, false]),
    ("replace administrator", [true, false, false]),
    ("delete own", [true, true, true]),
    ("delete other", [true, true, false]),
    ("delete administrator", [true, false, false]),
];

pub(super) async fn call(actor: Actor, what: &str) -> Result<(), Failure> {
    let (mut user_photos, mut images) = (MockUserPhotos::new(), MockImages::new());
    user_photos.expect_set().returning(|_, _, _| Err(down().into()));
    images.expect_clean().returning(|_| Err(ImageError::Unusable));
    let images = image_service(images);
    let (users, photos) = (Arc::new(users()), Arc::new(user_photos));
    let service = PhotoService::new(users, photos, images, clock());
    let id = UserId(uuid(match what.split(' ').nth(1) {
        Some("other") => OTHER,
        Some("administrator") => ADMIN,
        _ => OWN,
    }));
    match what.split(' ').next().unwrap() {
        "current" => service.current(actor, id).await.map(drop),
        "get" => service.get(actor, id).await.map(drop),
        "permit_change" => service.permit_change(actor, id).await,
        "replace" => service.replace(actor, id, Vec::new()).await.map(drop),
        "delete" => service.delete(actor, id).await,
        other => panic!("{other}"),
    }
}
