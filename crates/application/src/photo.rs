//! Photos of users.

mod figures;

use std::{collections::HashSet, sync::Arc};

use patrol_domain::{
    Clock, Ids, Monitored, Path, Rule, StoreError, Timestamp,
    event::Origin,
    ids::{MediaId, UserId},
    photo::{ImageError, Images, Photo, Photos, UserPhotos},
    user::{User, Users},
};

use self::figures::PhotoTallies;
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
    tallies: Arc<PhotoTallies>,
}

/// Milliseconds after which the upload of an announced object counts as interrupted. If the upload
/// is still running, it fails and can be repeated.
const SETTLED_AFTER: i64 = 10 * 60 * 1000;
/// The number of announcements to process at once.
const AT_ONCE: u32 = 500;

/// The result of a check of all photos.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PhotoCheck {
    /// The number of stored objects.
    pub objects: usize,
    /// Objects that no user has, except uploads in progress.
    pub unowned: Vec<MediaId>,
    /// Users whose photo is missing.
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
        let tallies = Arc::default();
        Self { users, user_photos, photos, images, clock, ids, tallies }
    }

    /// Counters of this service and its clones.
    #[must_use]
    pub fn monitored(&self) -> Arc<dyn Monitored> {
        self.tallies.clone()
    }

    /// Checks that the user exists and that `actor` may change its photo: an employee only its own,
    /// a manager not that of an administrator. [`Self::replace`] and [`Self::delete`] check the
    /// same; HTTP calls this before it reads the image.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Store`.
    pub async fn permit_change(&self, actor: Actor, id: UserId) -> Result<(), Failure> {
        permit(actor, Operation::ChangeUser)?;
        permit_members(actor, Some(id), &[], None)?;
        if let Actor::User { .. } = actor {
            let user = self.users.get(id).await?.ok_or(Failure::NotFound)?;
            permit_record(actor, &user)?;
        }
        Ok(())
    }

    /// Sets the photo of a user and removes the previous one. Returns the user after the change.
    ///
    /// # Errors
    /// `Denied`; `NotFound`; `Refused` with `photo` when the image is not acceptable; `Store`. The
    /// previous photo then stays.
    pub async fn replace(&self, actor: Actor, id: UserId, bytes: Vec<u8>) -> Result<User, Failure> {
        self.permit_change(actor, id).await?;
        let photo = self.images.clean(bytes).await.map_err(|error| match error {
            ImageError::Unusable => {
                self.tallies.refused.increment();
                Failure::fault(&Path::Root.field("photo"), Rule::Image)
            }
            ImageError::Busy(error) => Failure::Store(error),
        })?;
        let (media, now) = (MediaId(self.ids.next()), self.clock.now());
        self.user_photos.announce(media, now).await?;
        match self.hand_over(id, media, photo, actor.at(now)).await {
            Ok((user, old)) => {
                self.tallies.stored.increment();
                self.remove(old).await;
                Ok(user)
            }
            Err(failure) => {
                // A store that reports an error may still have done the work, so this checks again
                // whether the user has the photo.
                drop(self.remove_unwanted(vec![media]).await);
                Err(failure)
            }
        }
    }

    async fn hand_over(
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
    pub async fn get(&self, actor: Actor, id: UserId) -> Result<(MediaId, Photo), Failure> {
        let mut media = self.current(actor, id).await?;
        loop {
            if let Some(photo) = self.photos.get(media).await? {
                return Ok((media, photo));
            }
            // Either it was replaced just now, and the new one exists, or it is lost.
            let now = self.current(actor, id).await?;
            if now == media {
                return Err(Failure::NotFound);
            }
            media = now;
        }
    }

    /// Whether the object of this photo is stored.
    ///
    /// # Errors
    /// When the photo store fails.
    pub async fn is_stored(&self, _: Operator, photo: MediaId) -> Result<bool, StoreError> {
        self.photos.exists(photo).await
    }

    /// The id of the user's photo.
    ///
    /// # Errors
    /// `Denied`; `NotFound` when the user does not exist or has no photo; `Store`.
    pub async fn current(&self, actor: Actor, id: UserId) -> Result<MediaId, Failure> {
        permit(actor, Operation::Read)?;
        let user = self.users.get(id).await?.ok_or(Failure::NotFound)?;
        user.photo_id.ok_or(Failure::NotFound)
    }

    /// Removes the photo of the user.
    ///
    /// # Errors
    /// `Denied`; `NotFound` when the user does not exist or has no photo; `Store`.
    pub async fn delete(&self, actor: Actor, id: UserId) -> Result<(), Failure> {
        self.permit_change(actor, id).await?;
        let (_, old) = self.user_photos.set(id, None, actor.at(self.clock.now())).await?;
        if old.is_none() {
            return Err(Failure::NotFound);
        }
        self.remove(old).await;
        Ok(())
    }

    /// Removes an object that its user no longer has. It is announced, so the next [`Self::tidy`]
    /// retries after a failure.
    async fn remove(&self, old: Option<MediaId>) {
        let Some(old) = old else { return };
        if self.photos.delete(old).await.is_ok() {
            self.tallies.released.increment();
            drop(self.user_photos.settle(vec![old]).await);
        } else {
            self.tallies.delayed.increment();
        }
    }

    /// Removes objects of interrupted uploads and removals. Called at start and periodically.
    ///
    /// # Errors
    /// When a store fails; the remaining objects are found the next time.
    pub async fn tidy(&self, _: Operator) -> Result<usize, StoreError> {
        let until = self.settled_until();
        let mut removed = 0;
        loop {
            let announced = self.user_photos.announced(until, AT_ONCE).await?;
            if announced.is_empty() {
                return Ok(removed);
            }
            removed += self.remove_unwanted(announced).await?.len();
        }
    }

    /// Compares all objects with all users. Changes nothing.
    ///
    /// # Errors
    /// When a store fails.
    pub async fn look(&self, _: Operator) -> Result<PhotoCheck, StoreError> {
        let until = self.settled_until();
        let all = self.photos.all().await?;
        let objects: HashSet<_> = all.iter().map(|(id, _)| *id).collect();
        let (mut owned, mut missing, mut after) = (HashSet::new(), Vec::new(), None);
        loop {
            let owners = self.user_photos.owners(after, AT_ONCE).await?;
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

    /// Whether the user still has this photo although its object is missing. Checked again because
    /// the photo may have been uploaded or replaced after the objects were listed.
    async fn is_lost(&self, user: UserId, photo: MediaId) -> Result<bool, StoreError> {
        if self.photos.exists(photo).await? {
            return Ok(false);
        }
        let user = self.users.get(user).await?;
        Ok(user.is_some_and(|user| user.photo_id == Some(photo)))
    }

    /// Compares all objects with all users, and removes objects that no user has: `unowned` are the
    /// removed ones.
    ///
    /// # Errors
    /// When a store fails.
    pub async fn check(&self, operator: Operator) -> Result<PhotoCheck, StoreError> {
        let mut check = self.look(operator).await?;
        let mut removed = Vec::new();
        for some in check.unowned.chunks(usize::try_from(AT_ONCE).unwrap_or(1)) {
            removed.extend(self.remove_unwanted(some.to_vec()).await?);
        }
        check.unowned = removed;
        Ok(check)
    }

    /// Removes those of `photos` that no user has, and returns them. They are condemned first, so
    /// that a slow upload that ends at this moment cannot give one of them to a user.
    async fn remove_unwanted(&self, photos: Vec<MediaId>) -> Result<Vec<MediaId>, StoreError> {
        let condemned = self.user_photos.condemn(photos, self.clock.now()).await?;
        for photo in &condemned {
            self.photos.delete(*photo).await?;
            self.tallies.leftovers.increment();
        }
        if !condemned.is_empty() {
            self.user_photos.settle(condemned.clone()).await?;
        }
        Ok(condemned)
    }

    fn settled_until(&self) -> Timestamp {
        let now = self.clock.now();
        now.shifted(-SETTLED_AFTER).unwrap_or(now)
    }
}
