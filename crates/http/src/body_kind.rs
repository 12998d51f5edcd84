//! The kinds of request bodies, with their size and memory bounds.

use crate::settings::Settings;

/// The kind of body of an endpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BodyKind {
    /// The endpoint takes no body; a body that is sent anyway is ignored.
    Ignored,
    /// JSON with one resource.
    Json,
    /// JSON with many resources.
    Batch,
    /// A form with a photo: `multipart/form-data`.
    Form,
    /// A form with a medium, which is not held in memory: `multipart/form-data`.
    Media,
}

impl BodyKind {
    /// The maximum number of bytes of a form besides its photo or medium.
    pub(crate) const FORM_OVERHEAD: usize = 64 << 10;

    /// The maximum size in bytes.
    pub(crate) const fn limit(self, settings: &Settings) -> usize {
        match self {
            Self::Ignored => 0,
            Self::Json => settings.body_limit,
            Self::Batch => settings.batch_limit,
            Self::Form => settings.photo_limit.saturating_add(Self::FORM_OVERHEAD),
            Self::Media => settings.media_limit.saturating_add(Self::FORM_OVERHEAD),
        }
    }

    /// The maximum size of a body of any kind that is held in memory, in bytes.
    pub(crate) fn largest(settings: &Settings) -> usize {
        let limits = [Self::Json, Self::Batch, Self::Form].map(|kind| kind.limit(settings));
        limits.into_iter().max().unwrap_or_default()
    }

    /// The bytes of memory for each byte of the body, held until the response; the body itself is
    /// included. Parsing JSON takes more for a short time, but each worker parses one body at a
    /// time. A form is held once as received, and its photo once more.
    pub(crate) const fn memory_factor(self) -> usize {
        match self {
            Self::Ignored | Self::Media => 0,
            Self::Json | Self::Batch => 10,
            Self::Form => 2,
        }
    }
}
