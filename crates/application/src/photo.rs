//! Photos of users.

mod metrics;

use std::{collections::HashSet, sync::Arc};

use patrol_domain::{
    Clock, Ids, Monitored, Path, Rule, StoreError, Timestamp,
    event::Origin,
    ids::{MediaId, UserId},
    photo::{ImageError, Images, Photo, Photos, UserPhotos},
    user::{User, Users},
};

use self::metrics::PhotoMetrics;
use crate::{
    failure::Failure,
    permission::{Actor, Operation, Operator, permit, permit_members, permit_record},
};

/// The use cases of photos.
#[derive(Clone)]
pub struct PhotoService {
    users: Arc<dyn Users>,
    user_photos: Arc<dyn UserPhotos>,
    photos: Arc<dyn Photos>,
    images: Arc<dyn Images>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    metrics: Arc<PhotoMetrics>,
}

/// Milliseconds after its announcement at which an upload counts as interrupted: 10 minutes. An upload
/// that still runs then may fail; the client can repeat it.
const MAX_UPLOAD_MILLIS: i64 = 10 * 60 * 1000;
/// The number of photos or users in one call of a store.
const CHUNK: u32 = 500;

/// The result of a comparison of all objects with all users.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PhotoCheck {
    /// The number of stored objects.
    pub objects: usize,
    /// Objects that are not the photo of a user, except uploads in progress.
    pub unowned: Vec<MediaId>,
    /// Users whose photo has no object.
    pub missing: Vec<UserId>,
}

impl PhotoService {
    /// Use cases that work with these ports.
    #[must_use]
    pub fn new(
        users: Arc<dyn Users>,
        user_photos: Arc<dyn UserPhotos>,
        photos: Arc<dyn Photos>,
        images: Arc<dyn Images>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
    ) -> Self {
        let metrics = Arc::default();
        Self { users, user_photos, photos, images, clock, ids, metrics }
    }

    /// The counters of this service and its clones, for the operator.
    #[must_use]
    pub fn monitored(&self) -> Arc<dyn Monitored> {
        self.metrics.clone()
    }

    /// Checks that the user exists and that `actor` may change the photo. An employee may change only
    /// its own photo, a manager not the photo of an administrator. HTTP calls this before it reports a
    /// missing image; [`Self::replace`] and [`Self::delete`] check the same.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "photo.permit_change", skip_all)]
    pub async fn permit_change(&self, actor: Actor, id: UserId) -> Result<(), Failure> {
        permit(actor, Operation::ChangeUser)?;
        permit_members(actor, Some(id), &[], None)?;
        if let Actor::User { .. } = actor {
            let user = self.users.get(id).await?.ok_or(Failure::NotFound)?.record;
            permit_record(actor, &user)?;
        }
        Ok(())
    }

    /// Sets the photo of a user and removes the previous one. Returns the user after the change.
    ///
    /// # Errors
    /// `Denied`; `NotFound`; `Refused` with a fault of `photo` when the image cannot be stored;
    /// `Store`. After an error the previous photo stays.
    #[tracing::instrument(target = "patrol::trace", name = "photo.replace", skip_all)]
    pub async fn replace(&self, actor: Actor, id: UserId, bytes: Vec<u8>) -> Result<User, Failure> {
        self.permit_change(actor, id).await?;
        let photo = self.images.clean(bytes).await.map_err(|error| match error {
            ImageError::Unusable => {
                self.metrics.refused.increment();
                Failure::fault(&Path::Root.field("photo"), Rule::Image)
            }
            ImageError::Busy(error) => Failure::Store(error),
        })?;
        let (media, now) = (MediaId(self.ids.next()), self.clock.now());
        self.user_photos.announce(media, now).await?;
        match self.store(id, media, photo, actor.origin_at(now)).await {
            Ok((user, old)) => {
                self.metrics.stored.increment();
                self.remove_replaced(old).await;
                Ok(user)
            }
            Err(failure) => {
                // A store may report an error although it did the work. So the object is removed
                // only if it is not the photo of the user.
                drop(self.remove_unowned(vec![media]).await);
                Err(failure)
            }
        }
    }

    /// Writes the object and makes it the photo of the user.
    async fn store(
        &self,
        id: UserId,
        media: MediaId,
        photo: Photo,
        by: Origin,
    ) -> Result<(User, Option<MediaId>), Failure> {
        self.photos.put(media, photo).await?;
        Ok(self.user_photos.set(id, Some(media), by).await?)
    }

    /// The user's photo with its id.
    ///
    /// # Errors
    /// `Denied`; `NotFound` when the user does not exist or has no photo; `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "photo.get", skip_all)]
    pub async fn get(&self, actor: Actor, id: UserId) -> Result<(MediaId, Photo), Failure> {
        let mut media = self.current(actor, id).await?;
        loop {
            if let Some(photo) = self.photos.get(media).await? {
                return Ok((media, photo));
            }
            // Either the photo was replaced between the two reads, or its object is lost.
            let current = self.current(actor, id).await?;
            if current == media {
                return Err(Failure::NotFound);
            }
            media = current;
        }
    }

    /// Whether the photo has an object.
    ///
    /// # Errors
    /// When the photo store fails.
    #[tracing::instrument(target = "patrol::trace", name = "photo.is_stored", skip_all)]
    pub async fn is_stored(&self, _: Operator, photo: MediaId) -> Result<bool, StoreError> {
        self.photos.exists(photo).await
    }

    /// The id of the user's photo.
    ///
    /// # Errors
    /// `Denied`; `NotFound` when the user does not exist or has no photo; `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "photo.current", skip_all)]
    pub async fn current(&self, actor: Actor, id: UserId) -> Result<MediaId, Failure> {
        permit(actor, Operation::Read)?;
        let user = self.users.get(id).await?.ok_or(Failure::NotFound)?.record;
        user.photo_id.ok_or(Failure::NotFound)
    }

    /// Deletes the photo of the user.
    ///
    /// # Errors
    /// `Denied`; `NotFound` when the user does not exist or has no photo; `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "photo.delete", skip_all)]
    pub async fn delete(&self, actor: Actor, id: UserId) -> Result<(), Failure> {
        self.permit_change(actor, id).await?;
        let (_, old) = self.user_photos.set(id, None, actor.origin_at(self.clock.now())).await?;
        if old.is_none() {
            return Err(Failure::NotFound);
        }
        self.remove_replaced(old).await;
        Ok(())
    }

    /// Removes the object of a replaced or deleted photo. After a failure the next [`Self::tidy`] tries
    /// again, because the object is announced.
    async fn remove_replaced(&self, old: Option<MediaId>) {
        let Some(old) = old else { return };
        if self.photos.delete(old).await.is_ok() {
            self.metrics.replaced.increment();
            drop(self.user_photos.end_announcements(vec![old]).await);
        } else {
            self.metrics.delayed.increment();
        }
    }

    /// Removes the objects of interrupted uploads and removals, and returns their number. A periodic
    /// job calls this.
    ///
    /// # Errors
    /// When a store fails. The next run removes the remaining objects.
    #[tracing::instrument(target = "patrol::trace", name = "photo.tidy", skip_all)]
    pub async fn tidy(&self, _: Operator) -> Result<usize, StoreError> {
        let until = self.interrupted_before();
        let mut removed = 0;
        loop {
            let announced = self.user_photos.announced(until, CHUNK).await?;
            if announced.is_empty() {
                return Ok(removed);
            }
            removed += self.remove_unowned(announced).await?.len();
        }
    }

    /// Compares all objects with all users. Changes nothing.
    ///
    /// # Errors
    /// When a store fails.
    #[tracing::instrument(target = "patrol::trace", name = "photo.compare", skip_all)]
    pub async fn compare(&self, _: Operator) -> Result<PhotoCheck, StoreError> {
        let until = self.interrupted_before();
        let all = self.photos.all().await?;
        let objects: HashSet<_> = all.iter().map(|(id, _)| *id).collect();
        let (mut owned, mut missing, mut after) = (HashSet::new(), Vec::new(), None);
        loop {
            let owners = self.user_photos.owners(after, CHUNK).await?;
            let Some((last, _)) = owners.last() else { break };
            after = Some(*last);
            for (user, photo) in owners {
                if !objects.contains(&photo) && self.is_lost(user, photo).await? {
                    missing.push(user);
                }
                owned.insert(photo);
            }
        }
        let is_unowned = |(id, at): &(MediaId, Timestamp)| *at < until && !owned.contains(id);
        let unowned = all.iter().filter(|object| is_unowned(object)).map(|(id, _)| *id).collect();
        Ok(PhotoCheck { objects: objects.len(), unowned, missing })
    }

    /// Whether the user has this photo although it has no object. Reads both stores again, because the
    /// photo may have been uploaded or replaced after the objects were listed.
    async fn is_lost(&self, user: UserId, photo: MediaId) -> Result<bool, StoreError> {
        if self.photos.exists(photo).await? {
            return Ok(false);
        }
        let user = self.users.get(user).await?.map(|found| found.record);
        Ok(user.is_some_and(|user| user.photo_id == Some(photo)))
    }

    /// Compares all objects with all users, and removes the objects that are not the photo of a user.
    /// `unowned` of the result are the removed objects.
    ///
    /// # Errors
    /// When a store fails.
    #[tracing::instrument(target = "patrol::trace", name = "photo.compare_and_remove", skip_all)]
    pub async fn compare_and_remove(&self, operator: Operator) -> Result<PhotoCheck, StoreError> {
        let mut comparison = self.compare(operator).await?;
        let mut removed = Vec::new();
        for chunk in comparison.unowned.chunks(usize::try_from(CHUNK).unwrap_or(1)) {
            removed.extend(self.remove_unowned(chunk.to_vec()).await?);
        }
        comparison.unowned = removed;
        Ok(comparison)
    }

    /// Removes those of `photos` that no user has, and returns them. Marks them for removal first, so
    /// that a slow upload that ends at the same time cannot make one of them the photo of a user.
    async fn remove_unowned(&self, photos: Vec<MediaId>) -> Result<Vec<MediaId>, StoreError> {
        let marked = self.user_photos.mark_for_removal(photos, self.clock.now()).await?;
        for photo in &marked {
            self.photos.delete(*photo).await?;
            self.metrics.leftovers.increment();
        }
        if !marked.is_empty() {
            self.user_photos.end_announcements(marked.clone()).await?;
        }
        Ok(marked)
    }

    /// Uploads that were announced before this time count as interrupted.
    fn interrupted_before(&self) -> Timestamp {
        let now = self.clock.now();
        now.shifted(-MAX_UPLOAD_MILLIS).unwrap_or(now)
    }
}
