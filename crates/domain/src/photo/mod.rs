//! Photos of users.
//!
//! The image is an object in the photo store; its id is stored with the user. No transaction spans
//! both stores, so the user store keeps a list of *announced* objects: an object is announced
//! before it is written, and again when its user gets another photo or none. A crash in between
//! leaves an announced object, which is found and removed later, never a user who points at a
//! missing photo.

use async_trait::async_trait;
use thiserror::Error;

use crate::{
    event::Origin,
    shared::{
        error::{EditError, StoreError},
        ids::{MediaId, UserId},
        timestamp::Timestamp,
    },
    user::User,
};

/// The supported formats. They are recognised by content, never by file name or declared type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImageFormat {
    /// JPEG, encoded anew with quality 90.
    Jpeg,
    /// PNG, encoded anew with 8 bits a channel.
    Png,
    /// WebP, encoded anew without loss. Animations are refused.
    Webp,
}

impl ImageFormat {
    /// The media type, for example `image/png`.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Jpeg => "image/jpeg",
            Self::Png => "image/png",
            Self::Webp => "image/webp",
        }
    }
}

/// An image that is ready to be stored: upright and without metadata.
#[derive(Clone, PartialEq, Eq)]
pub struct Photo {
    /// The format of `bytes`.
    pub format: ImageFormat,
    /// The encoded file.
    pub bytes: Vec<u8>,
}

/// Why an image is refused.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ImageError {
    /// The file has no supported format, is truncated or animated, or has too many pixels.
    #[error("not an image that can be kept")]
    Unusable,
    /// The memory budget for decoding is used up; the client can retry.
    #[error(transparent)]
    Busy(#[from] StoreError),
}

/// Turns uploaded files into images that can be stored.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Images: Send + Sync {
    /// The image, turned upright and encoded anew in its own format, so that metadata such as the
    /// place it was taken does not survive. The size is read from the header before anything is
    /// decoded.
    async fn clean(&self, bytes: Vec<u8>) -> Result<Photo, ImageError>;
}

/// Stores photos by id, as objects that never change.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Photos: Send + Sync {
    /// Stores a photo under an id that was never used. Durable when it returns.
    async fn put(&self, id: MediaId, photo: Photo) -> Result<(), StoreError>;

    /// The photo, or `None` when it does not exist.
    async fn get(&self, id: MediaId) -> Result<Option<Photo>, StoreError>;

    /// Whether the photo exists. Does not read it, so it may still be unreadable.
    async fn exists(&self, id: MediaId) -> Result<bool, StoreError>;

    /// Removes the photo. Does nothing when it does not exist.
    async fn delete(&self, id: MediaId) -> Result<(), StoreError>;

    /// The ids of all photos, with the time at which each was stored.
    async fn all(&self) -> Result<Vec<(MediaId, Timestamp)>, StoreError>;
}

/// Which user has which photo. Every method is one transaction.
///
/// An announced object ends in one of two ways: [`Self::set`] gives it to a user, or
/// [`Self::condemn`] makes sure that no user ever gets it, after which it can be removed. When both
/// happen at the same moment, exactly one MUST win: the photo of a user is never removed, however
/// long its upload took.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait UserPhotos: Send + Sync {
    /// Announces an object before it is written.
    async fn announce(&self, photo: MediaId, at: Timestamp) -> Result<(), StoreError>;

    /// Sets or clears the photo of a user. The new photo is no longer announced; the previous one,
    /// if any, is announced and condemned. Returns the user after the change, and the previous
    /// photo; `None` when the photo stays the same.
    ///
    /// # Errors
    /// `Missing` when there is no such user; `Unavailable` when the photo is no longer announced,
    /// or is condemned.
    async fn set(
        &self,
        user: UserId,
        photo: Option<MediaId>,
        by: Origin,
    ) -> Result<(User, Option<MediaId>), EditError>;

    /// Condemns those of `photos` that no user has, whether they were announced or not, and returns
    /// them in the order of `photos`. They stay announced until [`Self::settle`]. Photos that a
    /// user has are no longer announced.
    async fn condemn(
        &self,
        photos: Vec<MediaId>,
        at: Timestamp,
    ) -> Result<Vec<MediaId>, StoreError>;

    /// Ends the announcements of objects that have been removed.
    async fn settle(&self, photos: Vec<MediaId>) -> Result<(), StoreError>;

    /// Photos announced before `until`, oldest first, at most `limit`.
    async fn announced(&self, until: Timestamp, limit: u32) -> Result<Vec<MediaId>, StoreError>;

    /// Users who have a photo, with its id, in order of user id: at most `limit`, all after
    /// `after`.
    async fn owners(
        &self,
        after: Option<UserId>,
        limit: u32,
    ) -> Result<Vec<(UserId, MediaId)>, StoreError>;
}
