//! Media: uploads, records, files, and the removal of what nothing names.

use std::{ops::Range, sync::Arc};

use patrol_domain::{
    EditError, New, Path, Rule, StoreError, Target, Versioned,
    ids::MediaId,
    media::{KEPT_UNUSED_MILLIS, Media, MediaBytes, MediaFiles, MediaType, Medium, NewMediaFile},
};

use crate::{
    context::Context,
    failure::Failure,
    image::ImageService,
    permission::{Actor, Operation, Operator, permit},
};

/// The longest time that an upload may take, in milliseconds: 1 hour.
pub const MAX_UPLOAD_MILLIS: i64 = 60 * 60 * 1000;

/// The number of media in one call of a store.
const CHUNK: u32 = 500;

/// The use cases of media.
#[derive(Clone)]
pub struct MediaService {
    media: Arc<dyn Media>,
    files: Arc<dyn MediaFiles>,
    images: ImageService,
    context: Context,
}

/// A file that a client is sending.
pub struct MediaUpload {
    object: MediaId,
    file: Box<dyn NewMediaFile>,
}

impl MediaService {
    /// Use cases that work with these ports.
    #[must_use]
    pub fn new(
        media: Arc<dyn Media>,
        files: Arc<dyn MediaFiles>,
        images: ImageService,
        context: Context,
    ) -> Self {
        Self { media, files, images, context }
    }

    /// POST: begins an upload. Dropping it cancels it.
    ///
    /// # Errors
    /// `Denied`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "media.begin", skip_all)]
    pub async fn begin(&self, actor: Actor) -> Result<MediaUpload, Failure> {
        permit(actor, Operation::Report)?;
        let object = self.images.announce_long(MAX_UPLOAD_MILLIS).await?;
        Ok(MediaUpload { object, file: self.files.begin(object).await? })
    }

    /// Ends an upload: stores the medium under `id`, or under a new id. Returns whether it is new; a
    /// medium that was sent before stays as it is.
    ///
    /// # Errors
    /// `Denied`; `Refused` when there is no file, or it is of no known kind; `InUse` when another
    /// medium has the id; `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "media.end", skip_all)]
    pub async fn end(
        &self,
        actor: Actor,
        upload: Option<MediaUpload>,
        id: Option<MediaId>,
    ) -> Result<(Medium, bool), Failure> {
        permit(actor, Operation::Report)?;
        let refused = |rule| Failure::fault(&Path::Root.field("file"), rule);
        let MediaUpload { object, file } = upload.ok_or_else(|| refused(Rule::NotNull))?;
        let received = file.received();
        let by = self.context.origin(actor);
        self.images
            .settle(object, async {
                let kind = MediaType::of(&received.head).ok_or_else(|| refused(Rule::Media))?;
                let new = Medium {
                    id: id.unwrap_or_else(|| MediaId(self.context.new_id())),
                    object,
                    kind,
                    size: received.size,
                    sha256: received.sha256,
                    created_at: by.at,
                    user_id: by.actor,
                };
                // A device sends again what it got no answer to: it is stored once more only when it was lost.
                if id.is_some()
                    && let Some(stored) = self.sent_before(&new).await?
                {
                    if self.files.read(stored.object, 0..1).await?.is_none() {
                        file.store(stored.object).await?;
                    }
                    return Ok(((stored, false), Some(object)));
                }
                file.store(object).await?;
                let (references, made) = (new.references(), new.clone());
                let make = Box::new(move |existing: &_| made.check_new(existing));
                match self.media.create(New { references, make }, by).await {
                    Ok(created) => Ok(((created, true), None)),
                    Err(EditError::Refused(_)) => {
                        let stored = self.sent_before(&new).await?;
                        let stored = stored.ok_or_else(|| Failure::InUse(Vec::new()))?;
                        Ok(((stored, false), Some(object)))
                    }
                    Err(error) => Err(error.into()),
                }
            })
            .await
    }

    /// The stored medium with the id and the content of `new`.
    ///
    /// # Errors
    /// `InUse` when the medium with this id has another content; `Store`.
    async fn sent_before(&self, new: &Medium) -> Result<Option<Medium>, Failure> {
        match self.media.get(new.id).await? {
            None => Ok(None),
            Some(stored) if stored.record.is_same(new) => Ok(Some(stored.record)),
            Some(_) => Err(Failure::InUse(Vec::new())),
        }
    }

    /// One medium.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "media.get", skip_all)]
    pub async fn get(&self, actor: Actor, id: MediaId) -> Result<Versioned<Medium>, Failure> {
        permit(actor, Operation::Read)?;
        self.media.get(id).await?.ok_or(Failure::NotFound)
    }

    /// The bytes of a part of the file.
    ///
    /// # Errors
    /// `Denied`; `NotFound` when the file is lost; `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "media.read", skip_all)]
    pub async fn read(
        &self,
        actor: Actor,
        medium: &Medium,
        part: Range<u64>,
    ) -> Result<MediaBytes, Failure> {
        permit(actor, Operation::Read)?;
        self.files.read(medium.object, part).await?.ok_or(Failure::NotFound)
    }

    /// Removes the media that nothing has named for 7 days since their upload, and returns their
    /// number. A periodic job calls this. A medium that a report names at the same time stays.
    ///
    /// # Errors
    /// When a store fails. The next run removes the remaining media.
    #[tracing::instrument(target = "patrol::trace", name = "media.remove_unused", skip_all)]
    pub async fn remove_unused(&self, operator: Operator) -> Result<usize, StoreError> {
        let by = self.context.origin(operator.into());
        let until = by.at.shifted(-KEPT_UNUSED_MILLIS).unwrap_or(by.at);
        let (mut removed, mut after) = (0, None);
        loop {
            let unused = self.media.unused(until, after, CHUNK).await?;
            let Some(last) = unused.last() else { return Ok(removed) };
            after = Some(*last);
            for id in unused {
                let Some(found) = self.media.get(id).await? else { continue };
                match self.media.delete(Target::any_version(id), by).await {
                    Ok(()) => removed += 1,
                    Err(EditError::Store(error)) => return Err(error),
                    // Named or removed meanwhile.
                    Err(_) => continue,
                }
                self.images.remove_replaced(Some(found.record.object)).await;
            }
        }
    }
}

impl MediaUpload {
    /// Appends a piece.
    ///
    /// # Errors
    /// When the place of the files fails.
    pub async fn append(&mut self, piece: &[u8]) -> Result<(), StoreError> {
        self.file.append(piece).await
    }
}
