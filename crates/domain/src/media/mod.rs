//! Media: photos, recordings and documents that prove what a report says. They are stored as they
//! came, byte for byte.
//!
//! The content of a medium is an object in the place of the photos, with an id of its own, and is
//! announced like an image: see [`crate::photo`]. So the same medium can be sent twice at once, and
//! nothing is overwritten.

mod kind;
mod port;

pub use kind::MediaType;
pub use port::{Media, MediaBytes, MediaFiles, NewMediaFile, ReceivedFile};
#[cfg(feature = "mock")]
pub use port::{MockMedia, MockMediaFiles};

use crate::shared::{
    existing::{Existing, References},
    fault::{Fault, Path, Refusal, Rule},
    identified::Identified,
    ids::{MediaId, UserId},
    timestamp::Timestamp,
};

/// How long after its upload a medium is kept that no entry of a report and no action names: 7 days.
pub const KEPT_UNUSED_MILLIS: i64 = 7 * 24 * 60 * 60 * 1000;

/// The SHA-256 digest of a content.
pub type Sha256 = [u8; 32];

/// A medium. It never changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Medium {
    /// Unique among media.
    pub id: MediaId,
    /// The object with the content.
    pub object: MediaId,
    /// Recognised by content.
    pub kind: MediaType,
    /// Bytes.
    pub size: u64,
    /// Of the content.
    pub sha256: Sha256,
    /// When the upload ended.
    pub created_at: Timestamp,
    /// Who sent it; `None` for the program itself.
    pub user_id: Option<UserId>,
}

impl Identified for Medium {
    type Id = MediaId;
    const HAS_VERSIONS: bool = true;
}

impl Medium {
    /// What the store has to look up before it stores this medium.
    #[must_use]
    pub fn references(&self) -> References {
        References::default().with([self.id])
    }

    /// The medium, if its id is free.
    ///
    /// # Errors
    /// `Invalid` with a fault of `id`.
    pub fn check_new(&self, existing: &Existing) -> Result<Self, Refusal> {
        if existing.has(self.id) {
            let identifier = Path::Root.field("id").to_string();
            return Err(Refusal::Invalid(vec![Fault { identifier, rule: Rule::Unique }]));
        }
        Ok(self.clone())
    }

    /// Whether this medium has the same content.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        (self.size, self.sha256) == (other.size, other.sha256)
    }
}
