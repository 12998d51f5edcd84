//! Images: the photos of users and the pictures of graphic plans. The files of media are stored like
//! them.
//!
//! An image is an object in the photo store; its id is stored with its owner, a user, a graphic plan or a
//! medium. No transaction spans both stores, so the store of the owners has a list of *announced* objects. An object
//! is announced before it is written, and announced again when its owner gets another image or none. A
//! crash in between leaves a stale announcement, never an owner that points at a missing image. A
//! periodic job removes the objects of stale announcements.

use async_trait::async_trait;
use thiserror::Error;

use crate::{
    event::Origin,
    shared::{
        error::{EditError, StoreError},
        ids::{GraphicPlanId, MediaId, UserId},
        timestamp::Timestamp,
    },
    user::User,
};

/// The supported formats. The content of the file decides, not its name or the media type that the
/// client sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImageFormat {
    /// JPEG; encoded again with quality 90.
    Jpeg,
    /// PNG; encoded again with 8 bits per channel.
    Png,
    /// WebP; encoded again without loss. Animations are refused.
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

/// An image that can be stored: upright and without metadata.
#[derive(Clone, PartialEq, Eq)]
pub struct Photo {
    /// The format of `bytes`.
    pub format: ImageFormat,
    /// The encoded file.
    pub bytes: Vec<u8>,
}

/// An image that can be stored, and its size.
#[derive(Clone, PartialEq, Eq)]
pub struct CleanImage {
    /// The image.
    pub photo: Photo,
    /// Its width in pixels, upright.
    pub width: u32,
    /// Its height in pixels, upright.
    pub height: u32,
}

/// The owner of an image or of another object. Sorts users before graphic plans before media, and each
/// kind by id.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ImageOwner {
    /// A user with a photo.
    User(UserId),
    /// A graphic plan with a picture.
    GraphicPlan(GraphicPlanId),
    /// A medium.
    Medium(MediaId),
}

/// Why an image was not cleaned.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ImageError {
    /// The file is not JPEG, PNG or WebP, is truncated or animated, or has too many pixels.
    #[error("not an image that can be stored")]
    Unusable,
    /// Other uploads use the whole memory budget; the client can retry.
    #[error(transparent)]
    Busy(StoreError),
}

/// The most pixels of an image whose QR codes are read.
pub const MAX_CODES_PIXELS: u64 = 4_000_000;

/// Turns uploaded files into images that can be stored, and reads codes in images.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Images: Send + Sync {
    /// The image, turned upright and encoded again in the same format. This removes metadata, for
    /// example the place where the photo was taken. The size is read from the header before the
    /// image is decoded, so that a small file cannot take a lot of memory.
    async fn clean(&self, bytes: Vec<u8>) -> Result<CleanImage, ImageError>;

    /// The texts of the QR codes in an image of at most [`MAX_CODES_PIXELS`], each once. A code that
    /// cannot be read is left out.
    async fn codes(&self, bytes: Vec<u8>) -> Result<Vec<String>, ImageError>;
}

/// A store of photos. An object never changes.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Photos: Send + Sync {
    /// Stores a photo under a new id. The photo is durable when the method returns.
    async fn put(&self, id: MediaId, photo: Photo) -> Result<(), StoreError>;

    /// The photo, or `None` when it does not exist.
    async fn get(&self, id: MediaId) -> Result<Option<Photo>, StoreError>;

    /// Whether the photo exists. Does not check that the photo can be read.
    async fn exists(&self, id: MediaId) -> Result<bool, StoreError>;

    /// Deletes the photo. Does nothing when the photo does not exist.
    async fn delete(&self, id: MediaId) -> Result<(), StoreError>;

    /// The ids of all photos, each with the time at which the photo was stored.
    async fn all(&self) -> Result<Vec<(MediaId, Timestamp)>, StoreError>;
}

/// The owners of images, and the announced objects. Every method is one transaction.
///
/// An announced object either becomes the image of an owner ([`UserPhotos::set`], or the creation of
/// a graphic plan or a medium), or is marked for removal ([`Self::mark_for_removal`]), after which no
/// owner can get it. Of concurrent calls for the same object exactly one MUST succeed, so that the image of
/// an owner is never removed, not even after a very slow upload.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ImageOwners: Send + Sync {
    /// Announces an object before it is written.
    async fn announce(&self, image: MediaId, at: Timestamp) -> Result<(), StoreError>;

    /// Marks the images without an owner for removal, and returns them in the order of `images`.
    /// Each of them is announced from now on, if it was not before, until
    /// [`Self::end_announcements`]. Ends the announcements of images that have an owner.
    async fn mark_for_removal(
        &self,
        images: Vec<MediaId>,
        at: Timestamp,
    ) -> Result<Vec<MediaId>, StoreError>;

    /// Ends the announcements of objects that were removed.
    async fn end_announcements(&self, images: Vec<MediaId>) -> Result<(), StoreError>;

    /// The images announced before `until`, the oldest first, at most `limit`.
    async fn announced(&self, until: Timestamp, limit: u32) -> Result<Vec<MediaId>, StoreError>;

    /// The next owners after `after`, in order, each with the id of its image: at most `limit`. An empty
    /// result means that there are no more owners.
    async fn owners(
        &self,
        after: Option<ImageOwner>,
        limit: u32,
    ) -> Result<Vec<(ImageOwner, MediaId)>, StoreError>;

    /// The image of the owner; `None` when the owner does not exist or has none.
    async fn image_of(&self, owner: ImageOwner) -> Result<Option<MediaId>, StoreError>;
}

/// The photos of users.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait UserPhotos: Send + Sync {
    /// Sets or clears the photo of a user. Ends the announcement of the new photo; announces the
    /// previous photo and marks it for removal. Returns the user after the change and the previous
    /// photo: `None` if the user had none, or if the photo stays the same.
    ///
    /// # Errors
    /// `Missing` when the user does not exist; `Unavailable` when the new photo is not announced, or
    /// is marked for removal.
    async fn set(
        &self,
        user: UserId,
        photo: Option<MediaId>,
        by: Origin,
    ) -> Result<(User, Option<MediaId>), EditError>;
}
