//! Photos of users (interface 4.2, decisions 6).

mod figures;

use std::{collections::HashSet, sync::Arc};

use patrol_domain::{
    Clock, Ids, Monitored, Path, Rule, StoreError, Timestamp,
    access::Caller,
    ids::{MediaId, UserId},
    photo::{ImageError, Images, Photo, Photos, UserPhotos},
    user::{User, Users},
};

use self::figures::PhotoTallies;
use crate::{
    failure::Failure,
    user::{UserService, may_change},
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

/// Milliseconds after which an announced object is taken for one whose upload was cut short. One
/// that is still being written is refused to its user then, not lost.
const SETTLED_AFTER: i64 = 10 * 60 * 1000;
/// Announcements that are looked at together.
const AT_ONCE: u32 = 500;

/// What a check of the photos found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PhotoCheck {
    /// Objects that are stored.
    pub objects: usize,
    /// Objects that no user has, but for those that are just being written.
    pub unowned: Vec<MediaId>,
    /// Users whose photo is not there.
    pub missing: Vec<UserId>,
}

impl PhotoService {
    /// The use cases over these stores.
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

    /// What this service and its clones have done.
    #[must_use]
    pub fn monitored(&self) -> Arc<dyn Monitored> {
        self.tallies.clone()
    }

    /// The user whose photo the caller wants to change: an employee its own, a manager none of an
    /// administrator (decisions 3). Asked before the picture is looked at.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Store`.
    pub async fn subject(&self, caller: Caller, id: UserId) -> Result<User, Failure> {
        UserService::allow(caller, Some(id), &[], None)?;
        let user = self.users.get(id).await?.ok_or(Failure::NotFound)?;
        may_change(caller, &user)?;
        Ok(user)
    }

    /// Gives the user the picture; the old one is removed. Returns the user as it is now.
    ///
    /// # Errors
    /// `NotFound`; `Refused` with `photo` when it is no picture that can be kept; `Store`. The
    /// old photo then stays in place.
    pub async fn replace(&self, id: UserId, bytes: Vec<u8>) -> Result<User, Failure> {
        let photo = self.images.clean(bytes).await.map_err(|error| match error {
            ImageError::Unusable => {
                self.tallies.refused.increment();
                Failure::fault(&Path::Root.field("photo"), Rule::Image)
            }
            ImageError::Busy(error) => Failure::Store(error),
        })?;
        let (media, now) = (MediaId(self.ids.next()), self.clock.now());
        self.user_photos.announce(media, now).await?;
        match self.hand_over(id, media, photo, now).await {
            Ok((user, old)) => {
                self.tallies.stored.increment();
                self.remove(old).await;
                Ok(user)
            }
            Err(failure) => {
                // A store that fails may have done all the same what it was asked to, so this
                // asks again whether the user has it.
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
        at: Timestamp,
    ) -> Result<(User, Option<MediaId>), Failure> {
        self.photos.put(media, photo).await?;
        Ok(self.user_photos.set(id, Some(media), at).await?)
    }

    /// The user's photo, with its id.
    ///
    /// # Errors
    /// `NotFound` when there is no such user or it has no photo; `Store`.
    pub async fn get(&self, id: UserId) -> Result<(MediaId, Photo), Failure> {
        let mut media = self.current(id).await?;
        loop {
            if let Some(photo) = self.photos.get(media).await? {
                return Ok((media, photo));
            }
            // It was replaced just now, and the new one is there; or it is lost.
            let now = self.current(id).await?;
            if now == media {
                return Err(Failure::NotFound);
            }
            media = now;
        }
    }

    /// Whether the object of this photo is stored.
    ///
    /// # Errors
    /// When the place of the photos fails.
    pub async fn is_stored(&self, photo: MediaId) -> Result<bool, StoreError> {
        Ok(self.photos.get(photo).await?.is_some())
    }

    /// The id of the user's photo.
    ///
    /// # Errors
    /// `NotFound` when there is no such user or it has no photo; `Store`.
    pub async fn current(&self, id: UserId) -> Result<MediaId, Failure> {
        let user = self.users.get(id).await?.ok_or(Failure::NotFound)?;
        user.photo_id.ok_or(Failure::NotFound)
    }

    /// Takes the photo away from the user.
    ///
    /// # Errors
    /// `NotFound` when there is no such user or it has no photo; `Store`.
    pub async fn delete(&self, id: UserId) -> Result<(), Failure> {
        let (_, old) = self.user_photos.set(id, None, self.clock.now()).await?;
        if old.is_none() {
            return Err(Failure::NotFound);
        }
        self.remove(old).await;
        Ok(())
    }

    /// Removes an object that its user has let go of. It is announced, so what fails here is done by
    /// the next [`Self::tidy`].
    async fn remove(&self, old: Option<MediaId>) {
        let Some(old) = old else { return };
        if self.photos.delete(old).await.is_ok() {
            self.tallies.released.increment();
            drop(self.user_photos.settle(vec![old]).await);
        } else {
            self.tallies.delayed.increment();
        }
    }

    /// Removes what uploads and removals have left behind that were cut short. Called at start and
    /// from time to time.
    ///
    /// # Errors
    /// When a store fails; what is left is found again.
    pub async fn tidy(&self) -> Result<usize, StoreError> {
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

    /// Looks at every object and every user. Changes nothing.
    ///
    /// # Errors
    /// When a store fails.
    pub async fn look(&self) -> Result<PhotoCheck, StoreError> {
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

    /// Whether the user still has this photo, and it is not there: it may have been uploaded, or
    /// replaced, since the objects were listed.
    async fn is_lost(&self, user: UserId, photo: MediaId) -> Result<bool, StoreError> {
        if self.photos.get(photo).await?.is_some() {
            return Ok(false);
        }
        let user = self.users.get(user).await?;
        Ok(user.is_some_and(|user| user.photo_id == Some(photo)))
    }

    /// Looks, and removes the objects that no user has: `unowned` are those that were removed.
    ///
    /// # Errors
    /// When a store fails.
    pub async fn check(&self) -> Result<PhotoCheck, StoreError> {
        let mut check = self.look().await?;
        let mut removed = Vec::new();
        for some in check.unowned.chunks(usize::try_from(AT_ONCE).unwrap_or(1)) {
            removed.extend(self.remove_unwanted(some.to_vec()).await?);
        }
        check.unowned = removed;
        Ok(check)
    }

    /// Removes those of `photos` that no user has, and says which. They are condemned first, so that
    /// an upload that ends at this moment, after however long, cannot give one of them to a user.
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
