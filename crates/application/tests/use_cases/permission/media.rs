//! The use cases of media.

use std::sync::Arc;

use patrol_application::{Actor, Context, Failure, ImageService, MediaService, rules};
use patrol_domain::{
    Limits,
    ids::MediaId,
    media::{MediaType, Medium, MockMedia, MockMediaFiles},
    photo::{MockImageOwners, MockImages, MockPhotos},
};

use crate::clock;

use super::{
    ports::{down, ids},
    uuid,
};

pub(super) const PERMISSIONS: &[(&str, [bool; 3])] = &[
    ("begin", [true, true, true]),
    ("end", [true, true, true]),
    ("get", [true, true, true]),
    ("read", [true, true, true]),
];

pub(super) async fn call(actor: Actor, what: &str) -> Result<(), Failure> {
    let (mut media, mut files, mut owners) =
        (MockMedia::new(), MockMediaFiles::new(), MockImageOwners::new());
    media.expect_get().returning(|_| Err(down()));
    files.expect_read().returning(|_, _| Err(down()));
    owners.expect_announce().returning(|_, _| Err(down()));
    let images = ImageService::new(
        Arc::new(owners),
        Arc::new(MockPhotos::new()),
        Arc::new(MockImages::new()),
        clock(),
        ids(),
    );
    let context = Context::new(clock(), ids(), rules(Limits::default()));
    let service = MediaService::new(Arc::new(media), Arc::new(files), images, context);
    let id = MediaId(uuid(1));
    let medium = Medium {
        id,
        object: MediaId(uuid(2)),
        kind: MediaType::Pdf,
        size: 1,
        sha256: [0; 32],
        created_at: patrol_domain::Timestamp::from_millis(0).unwrap(),
        user_id: None,
    };
    match what {
        "begin" => service.begin(actor).await.map(drop),
        "end" => service.end(actor, None, Some(id)).await.map(drop),
        "get" => service.get(actor, id).await.map(drop),
        "read" => service.read(actor, &medium, 0..1).await.map(drop),
        other => panic!("{other}"),
    }
}
