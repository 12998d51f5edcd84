//! Photos of users (interface 4.2, decisions 6).
//!
//! A photo lives in two stores: the picture as an object, and its id with the user. No transaction
//! spans both, so every object is *announced* in the user's store before it is written, and an
//! object is announced again when its user lets go of it. Whoever dies in between leaves an
//! announcement behind, by which the object is found and removed.

use async_trait::async_trait;
use thiserror::Error;

use crate::{
    shared::{
        error::{EditError, StoreError},
        ids::{MediaId, UserId},
        named::named,
        timestamp::Timestamp,
    },
    user::User,
};

named! {
    /// The formats that are kept. Recognised by content, never by name or declared type.
    ImageFormat {
        /// JPEG.
        Jpeg = "image/jpeg", 0;
        /// PNG.
        Png = "image/png", 1;
        /// WebP, not animated.
        Webp = "image/webp", 2;
    }
}

/// A picture that can be kept: upright, and nothing but pixels.
#[derive(Clone, PartialEq, Eq)]
pub struct Photo {
    /// Its format.
    pub format: ImageFormat,
    /// The encoded picture.
    pub bytes: Vec<u8>,
}

/// Why a picture is not kept.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ImageError {
    /// It is no picture of a known format, truncated, animated, or has too many pixels.
    #[error("not an image that can be kept")]
    Unusable,
    /// There is no room to decode it now.
    #[error(transparent)]
    Busy(#[from] StoreError),
}

/// Makes pictures that can be kept from what was sent.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Images: Send + Sync {
    /// The picture, upright and encoded anew in its own format, without anything but pixels. The
    /// size is read from the header before anything is decoded (decisions 6).
    async fn clean(&self, bytes: Vec<u8>) -> Result<Photo, ImageError>;
}

/// Keeps photos, by id.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Photos: Send + Sync {
    /// Stores a photo under an id that was never used. Durable when it returns.
    async fn put(&self, id: MediaId, photo: Photo) -> Result<(), StoreError>;

    /// The photo, or none.
    async fn get(&self, id: MediaId) -> Result<Option<Photo>, StoreError>;

    /// Removes the photo, if it is there.
    async fn delete(&self, id: MediaId) -> Result<(), StoreError>;

    /// The ids of all photos, with the time when each was stored.
    async fn all(&self) -> Result<Vec<(MediaId, Timestamp)>, StoreError>;
}

/// Which photo is whose, in the store of users. Every method is one transaction.
///
/// An announced object has one of two fates: [`Self::set`] gives it to a user, or [`Self::condemn`]
/// sees to it that no user ever gets it, after which it can be removed. Of the two that happen at
/// the same moment, exactly one MUST win: a photo that a user has is never removed, however long
/// its upload took.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait UserPhotos: Send + Sync {
    /// Announces an object that is about to be written.
    async fn announce(&self, photo: MediaId, at: Timestamp) -> Result<(), StoreError>;

    /// Gives the user this photo, or none. The announcement of the new one is taken back; the old
    /// one, if there was one, is announced, and condemned at once. Returns the user as it is now,
    /// and the old photo.
    ///
    /// # Errors
    /// `Missing` when there is no such user; `Unavailable` when the photo is not announced any
    /// more, or condemned.
    async fn set(
        &self,
        user: UserId,
        photo: Option<MediaId>,
        at: Timestamp,
    ) -> Result<(User, Option<MediaId>), EditError>;

    /// Condemns those of `photos` that no user has, announced before or not, and returns them in
    /// the order of `photos`; they stay announced until they are settled. The announcements of the
    /// others are taken back.
    async fn condemn(
        &self,
        photos: Vec<MediaId>,
        at: Timestamp,
    ) -> Result<Vec<MediaId>, StoreError>;

    /// Takes announcements back, once their objects are gone.
    async fn settle(&self, photos: Vec<MediaId>) -> Result<(), StoreError>;

    /// Announcements made before `until`, oldest first, at most `limit`.
    async fn announced(&self, until: Timestamp, limit: u32) -> Result<Vec<MediaId>, StoreError>;

    /// The users that have a photo, with it, by id: those after `after`, at most `limit`.
    async fn owners(
        &self,
        after: Option<UserId>,
        limit: u32,
    ) -> Result<Vec<(UserId, MediaId)>, StoreError>;
}
