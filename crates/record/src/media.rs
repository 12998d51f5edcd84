//! Media.

use patrol_domain::{
    Named as _,
    media::{MediaType, Medium, Sha256},
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::value::{Id, Time};

/// A medium. Its content is a resource of its own.
#[derive(Serialize, ToSchema, Debug)]
#[serde(rename_all = "camelCase")]
#[schema(as = Medium)]
pub struct MediumRecord {
    id: Id,
    /// The media type, recognised by content.
    #[schema(value_type = String, examples("image/jpeg"))]
    content_type: &'static str,
    /// Bytes.
    size: u64,
    /// The SHA-256 digest of the content, in hexadecimal digits.
    #[schema(pattern = "^[0-9a-f]{64}$")]
    sha256: String,
    created_at: Time,
    /// The user who sent it.
    user_id: Option<Id>,
}

impl MediumRecord {
    /// The record of a medium.
    #[must_use]
    pub fn new(medium: &Medium) -> Self {
        let Medium { id, object: _, kind, size, sha256, created_at, user_id } = medium;
        Self {
            id: Id::of(*id),
            content_type: MediaType::name(*kind),
            size: *size,
            sha256: hex(sha256),
            created_at: Time(*created_at),
            user_id: user_id.map(Id::of),
        }
    }
}

/// A digest in hexadecimal digits.
#[must_use]
pub fn hex(digest: &Sha256) -> String {
    digest.iter().flat_map(|byte| [byte >> 4, byte & 15]).filter_map(digit).collect()
}

fn digit(value: u8) -> Option<char> {
    char::from_digit(value.into(), 16)
}
