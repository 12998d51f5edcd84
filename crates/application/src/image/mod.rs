//! Images of all owners: the protocol between the store of the owners and the photo store.

mod metrics;

use std::{collections::HashSet, future::Future, sync::Arc};

use patrol_domain::{
    Clock, Counter, Ids, Monitored, StoreError, Timestamp,
    ids::MediaId,
    photo::{CleanImage, ImageError, ImageOwner, ImageOwners, Images, Photo, Photos},
};

use self::metrics::PhotoMetrics;
use crate::{
    failure::Failure,
    permission::{Actor, Operation, Operator, permit},
};

/// The use cases of images of no owner, those for jobs and commands, and what the services of the owners share.
#[derive(Clone)]
pub struct ImageService {
    owners: Arc<dyn ImageOwners>,
    photos: Arc<dyn Photos>,
    images: Arc<dyn Images>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    metrics: Arc<PhotoMetrics>,
}

/// Milliseconds after its announcement at which an upload counts as interrupted: 10 minutes. An upload
/// that still runs then may fail; the client can repeat it.
const MAX_UPLOAD_MILLIS: i64 = 10 * 60 * 1000;
/// The number of images or owners in one call of a store.
const CHUNK: u32 = 500;

/// The result of a comparison of all objects with all owners.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ImageCheck {
    /// The number of stored objects.
    pub objects: usize,
    /// Objects without an owner, except uploads in progress.
    pub unowned: Vec<MediaId>,
    /// Owners whose image has no object.
    pub missing: Vec<ImageOwner>,
}

impl ImageService {
    /// Use cases that work with these ports.
    #[must_use]
    pub fn new(
        owners: Arc<dyn ImageOwners>,
        photos: Arc<dyn Photos>,
        images: Arc<dyn Images>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
    ) -> Self {
        Self { owners, photos, images, clock, ids, metrics: Arc::default() }
    }

    /// The counters of this service and its clones, for the operator.
    #[must_use]
    pub fn monitored(&self) -> Arc<dyn Monitored> {
        self.metrics.clone()
    }

    /// The image in a file; `None` when the file is not an image that can be stored.
    pub(crate) async fn clean(&self, bytes: Vec<u8>) -> Result<Option<CleanImage>, Failure> {
        match self.images.clean(bytes).await {
            Ok(image) => Ok(Some(image)),
            Err(ImageError::Unusable) => {
                self.metrics.refused.increment();
                Ok(None)
            }
            Err(ImageError::Busy(error)) => Err(Failure::Store(error)),
        }
    }

    /// The texts of the QR codes in a picture; `None` when the file is not an image that can be read.
    ///
    /// # Errors
    /// `Denied`; `Store` when too many pictures are in work.
    #[tracing::instrument(target = "patrol::trace", name = "image.codes", skip_all)]
    pub async fn codes(
        &self,
        actor: Actor,
        bytes: Vec<u8>,
    ) -> Result<Option<Vec<String>>, Failure> {
        permit(actor, Operation::Read)?;
        match self.images.codes(bytes).await {
            Ok(codes) => Ok(Some(codes)),
            Err(ImageError::Unusable) => Ok(None),
            Err(ImageError::Busy(error)) => Err(Failure::Store(error)),
        }
    }

    /// The id of a new image.
    pub(crate) fn new_id(&self) -> MediaId {
        MediaId(self.ids.next())
    }

    /// Stores a new image. Then `attach` makes it the image of its owner, and returns the result
    /// and the previous image, which is removed. After an error the previous image stays.
    pub(crate) async fn store<T>(
        &self,
        id: MediaId,
        photo: Photo,
        attach: impl Future<Output = Result<(T, Option<MediaId>), Failure>>,
    ) -> Result<T, Failure> {
        self.owners.announce(id, self.clock.now()).await?;
        let stored = async {
            self.photos.put(id, photo).await?;
            attach.await
        };
        self.settle(id, stored).await
    }

    /// Announces an object whose upload may last `longer` milliseconds than that of an image, and
    /// returns its id.
    pub(crate) async fn announce_long(&self, longer: i64) -> Result<MediaId, Failure> {
        let (id, now) = (self.new_id(), self.clock.now());
        self.owners.announce(id, now.shifted(longer).unwrap_or(now)).await?;
        Ok(id)
    }

    /// Runs `stored`, which stores an announced object and gives it its owner. It returns the result
    /// and an object that is no longer needed, which is removed. After an error the new object is
    /// removed.
    pub(crate) async fn settle<T>(
        &self,
        id: MediaId,
        stored: impl Future<Output = Result<(T, Option<MediaId>), Failure>>,
    ) -> Result<T, Failure> {
        match stored.await {
            Ok((result, old)) => {
                self.metrics.stored.increment();
                self.remove_replaced(old).await;
                Ok(result)
            }
            Err(failure) => {
                // A store may report an error although it did the work. So the object is removed
                // only if it has no owner.
                drop(self.remove_unowned(vec![id], &self.metrics.leftovers).await);
                Err(failure)
            }
        }
    }

    /// The image that `current` returns the id of. It is asked again when the image has no object.
    pub(crate) async fn find<F>(&self, current: impl Fn() -> F) -> Result<(MediaId, Photo), Failure>
    where
        F: Future<Output = Result<MediaId, Failure>>,
    {
        let mut id = current().await?;
        loop {
            if let Some(photo) = self.photos.get(id).await? {
                return Ok((id, photo));
            }
            // Either the image was replaced between the two reads, or its object is lost.
            let now = current().await?;
            if now == id {
                return Err(Failure::NotFound);
            }
            id = now;
        }
    }

    /// Removes the object of a replaced or deleted image. After a failure the next [`Self::tidy`] tries
    /// again, because the object is announced.
    pub(crate) async fn remove_replaced(&self, old: Option<MediaId>) {
        let Some(old) = old else { return };
        // An imported image may have another owner too.
        if self.remove_unowned(vec![old], &self.metrics.replaced).await.is_err() {
            self.metrics.delayed.increment();
        }
    }

    /// Whether the image has an object.
    ///
    /// # Errors
    /// When the photo store fails.
    #[tracing::instrument(target = "patrol::trace", name = "image.is_stored", skip_all)]
    pub async fn is_stored(&self, _: Operator, image: MediaId) -> Result<bool, StoreError> {
        self.photos.exists(image).await
    }

    /// Removes the objects of interrupted uploads and removals, and returns their number. A periodic
    /// job calls this.
    ///
    /// # Errors
    /// When a store fails. The next run removes the remaining objects.
    #[tracing::instrument(target = "patrol::trace", name = "image.tidy", skip_all)]
    pub async fn tidy(&self, _: Operator) -> Result<usize, StoreError> {
        let until = self.interrupted_before();
        let mut removed = 0;
        loop {
            let announced = self.owners.announced(until, CHUNK).await?;
            if announced.is_empty() {
                return Ok(removed);
            }
            removed += self.remove_unowned(announced, &self.metrics.leftovers).await?.len();
        }
    }

    /// Compares all objects with all owners. Changes nothing.
    ///
    /// # Errors
    /// When a store fails.
    #[tracing::instrument(target = "patrol::trace", name = "image.compare", skip_all)]
    pub async fn compare(&self, _: Operator) -> Result<ImageCheck, StoreError> {
        let until = self.interrupted_before();
        let all = self.photos.all().await?;
        let objects: HashSet<_> = all.iter().map(|(id, _)| *id).collect();
        let (mut owned, mut missing, mut after) = (HashSet::new(), Vec::new(), None);
        loop {
            let owners = self.owners.owners(after, CHUNK).await?;
            let Some((last, _)) = owners.last() else { break };
            after = Some(*last);
            for (owner, image) in owners {
                if !objects.contains(&image) && self.is_lost(owner, image).await? {
                    missing.push(owner);
                }
                owned.insert(image);
            }
        }
        let is_unowned = |(id, at): &(MediaId, Timestamp)| *at < until && !owned.contains(id);
        let unowned = all.iter().filter(|object| is_unowned(object)).map(|(id, _)| *id).collect();
        Ok(ImageCheck { objects: objects.len(), unowned, missing })
    }

    /// Whether the owner has this image although it has no object. Reads both stores again, because the
    /// image may have been uploaded or replaced after the objects were listed.
    async fn is_lost(&self, owner: ImageOwner, image: MediaId) -> Result<bool, StoreError> {
        if self.photos.exists(image).await? {
            return Ok(false);
        }
        Ok(self.owners.image_of(owner).await? == Some(image))
    }

    /// Compares all objects with all owners, and removes the objects without an owner. `unowned` of the
    /// result are the removed objects.
    ///
    /// # Errors
    /// When a store fails.
    #[tracing::instrument(target = "patrol::trace", name = "image.compare_and_remove", skip_all)]
    pub async fn compare_and_remove(&self, operator: Operator) -> Result<ImageCheck, StoreError> {
        let mut comparison = self.compare(operator).await?;
        let mut removed = Vec::new();
        for chunk in comparison.unowned.chunks(usize::try_from(CHUNK).unwrap_or(1)) {
            removed.extend(self.remove_unowned(chunk.to_vec(), &self.metrics.leftovers).await?);
        }
        comparison.unowned = removed;
        Ok(comparison)
    }

    /// Removes those of `images` that have no owner, and returns them. Marks them for removal first, so
    /// that a slow upload that ends at the same time cannot give one of them to its owner. Counts them in
    /// `removed`.
    async fn remove_unowned(
        &self,
        images: Vec<MediaId>,
        removed: &Counter,
    ) -> Result<Vec<MediaId>, StoreError> {
        let marked = self.owners.mark_for_removal(images, self.clock.now()).await?;
        for image in &marked {
            self.photos.delete(*image).await?;
            removed.increment();
        }
        if !marked.is_empty() {
            self.owners.end_announcements(marked.clone()).await?;
        }
        Ok(marked)
    }

    /// Uploads that were announced before this time count as interrupted.
    fn interrupted_before(&self) -> Timestamp {
        let now = self.clock.now();
        now.shifted(-MAX_UPLOAD_MILLIS).unwrap_or(now)
    }
}
