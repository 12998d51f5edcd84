//! Ports and arguments that several features need.

use std::sync::Arc;

use patrol_application::ImageService;
use patrol_domain::{
    StoreError, Timestamp, Versioned,
    access::Role,
    ids::UserId,
    list::{Condition, Listed, Query},
    photo::{MockImageOwners, MockImages, MockPhotos},
    shared::ports::MockIds,
    user::{MockUsers, User},
};

use crate::{clock, user::user};

use super::{ADMIN, uuid};

/// The error of a port that is down.
pub(super) fn down() -> StoreError {
    StoreError::Unavailable("down".to_owned())
}

pub(super) fn ids() -> Arc<MockIds> {
    let mut ids = MockIds::new();
    ids.expect_next().returning(|| uuid(9));
    Arc::new(ids)
}

/// Users can be read one by one, and lists of them are empty. Writes fail.
pub(super) fn users() -> MockUsers {
    let mut users = MockUsers::new();
    users.expect_get().returning(|id| Ok(Some(Versioned::unversioned(known(id)))));
    users.expect_remove().returning(|_, _| Err(down().into()));
    users.expect_list().returning(|_| Box::pin(futures_util::stream::empty()));
    users.expect_create().returning(|_, _| Err(down().into()));
    users.expect_create_all().returning(|_, _| Err(down().into()));
    users.expect_update().returning(|_, _| Err(down().into()));
    users.expect_update_batch().returning(|_, _| Err(down().into()));
    users
}

fn known(id: UserId) -> User {
    let number = id.0.as_u128();
    let role = if number == ADMIN { Role::Admin } else { Role::Employee };
    User { role, ..user(number) }
}

pub(super) fn image_service(images: MockImages) -> ImageService {
    ImageService::new(
        Arc::new(MockImageOwners::new()),
        Arc::new(MockPhotos::new()),
        Arc::new(images),
        clock(),
        ids(),
    )
}

/// The first page of a list, without a filter.
pub(super) fn everything<L: Listed>() -> Query<L> {
    Query::of(Condition::All(Vec::new()), Timestamp::from_millis(0).unwrap())
}
