//! Photos of users.

use std::sync::Arc;

use futures_util::TryFutureExt as _;
use patrol_domain::{
    Clock, Path, Rule,
    ids::{MediaId, UserId},
    photo::{Photo, UserPhotos},
    user::{User, Users},
};

use crate::{
    failure::Failure,
    image::ImageService,
    permission::{Actor, Operation, permit, permit_members, permit_record},
};

/// The use cases of photos.
#[derive(Clone)]
pub struct PhotoService {
    users: Arc<dyn Users>,
    user_photos: Arc<dyn UserPhotos>,
    images: ImageService,
    clock: Arc<dyn Clock>,
}

impl PhotoService {
    /// Use cases that work with these ports.
    #[must_use]
    pub fn new(
        users: Arc<dyn Users>,
        user_photos: Arc<dyn UserPhotos>,
        images: ImageService,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { users, user_photos, images, clock }
    }

    /// Checks that the user exists and that `actor` may change the photo. An employee may change only
    /// its own photo, a manager not the photo of an administrator. HTTP calls this before it reports a
    /// missing image; [`Self::replace`] and [`Self::delete`] check the same.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `CallerInvalid`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "photo.permit_change", skip_all)]
    pub async fn permit_change(&self, actor: Actor, id: UserId) -> Result<(), Failure> {
        permit(actor, Operation::ChangeUser)?;
        permit_members(actor, Some(id), &[], None)?;
        if let Actor::User { .. } = actor {
            let user = self.users.get(id).await?.ok_or_else(|| actor.missing(id))?.record;
            permit_record(actor, &user)?;
        }
        Ok(())
    }

    /// Sets the photo of a user and removes the previous one. Returns the user after the change.
    ///
    /// # Errors
    /// `Denied`; `NotFound`; `CallerInvalid`; `Refused` with a fault of `photo` when the image cannot be stored;
    /// `Store`. After an error the previous photo stays.
    #[tracing::instrument(target = "patrol::trace", name = "photo.replace", skip_all)]
    pub async fn replace(&self, actor: Actor, id: UserId, bytes: Vec<u8>) -> Result<User, Failure> {
        self.permit_change(actor, id).await?;
        let Some(image) = self.images.clean(bytes).await? else {
            return Err(Failure::fault(&Path::Root.field("photo"), Rule::Image));
        };
        let (media, by) = (self.images.new_id(), actor.origin_at(self.clock.now()));
        let set = self.user_photos.set(id, Some(media), by);
        let set = set.map_err(|error| actor.failure_of(id, error));
        self.images.store(media, image.photo, set).await
    }

    /// The user's photo with its id.
    ///
    /// # Errors
    /// `Denied`; `NotFound` when the user does not exist or has no photo; `CallerInvalid`; `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "photo.get", skip_all)]
    pub async fn get(&self, actor: Actor, id: UserId) -> Result<(MediaId, Photo), Failure> {
        self.images.find(|| self.current(actor, id)).await
    }

    /// The id of the user's photo.
    ///
    /// # Errors
    /// `Denied`; `NotFound` when the user does not exist or has no photo; `CallerInvalid`; `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "photo.current", skip_all)]
    pub async fn current(&self, actor: Actor, id: UserId) -> Result<MediaId, Failure> {
        permit(actor, Operation::Read)?;
        let user = self.users.get(id).await?.ok_or_else(|| actor.missing(id))?.record;
        user.photo_id.ok_or(Failure::NotFound)
    }

    /// Deletes the photo of the user.
    ///
    /// # Errors
    /// `Denied`; `NotFound` when the user does not exist or has no photo; `CallerInvalid`; `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "photo.delete", skip_all)]
    pub async fn delete(&self, actor: Actor, id: UserId) -> Result<(), Failure> {
        self.permit_change(actor, id).await?;
        let set = self.user_photos.set(id, None, actor.origin_at(self.clock.now())).await;
        let (_, old) = set.map_err(|error| actor.failure_of(id, error))?;
        if old.is_none() {
            return Err(Failure::NotFound);
        }
        self.images.remove_replaced(old).await;
        Ok(())
    }
}
