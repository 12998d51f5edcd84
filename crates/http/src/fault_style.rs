//! How an endpoint reports faults of a request. Endpoints differ, because clients rely on it; see
//! `docs/api/errors.md`.

use crate::services::Settings;

/// The fault style of an endpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FaultStyle {
    /// For a malformed id in the path.
    pub(crate) id: IdFault,
    /// The kind of body; taken from the type of the body that the handler extracts.
    pub(crate) body: Body,
    /// For a wrong Content-Type, and any Content-Encoding.
    pub(crate) media: BodyFault,
    /// For malformed JSON.
    pub(crate) syntax: BodyFault,
    /// For broken rules.
    pub(crate) rules: RuleFault,
    /// For several resources where one is expected.
    pub(crate) several: Several,
}

/// The response to a malformed id in the path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum IdFault {
    /// `data.type.invalid` at the top level.
    Top,
    /// `input.data.invalid` with a detail `data.type.invalid`.
    Detail,
    /// `not.found`.
    NotFound,
}

/// The kind of body of an endpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Body {
    /// No body; one that is sent is ignored.
    Ignored,
    /// JSON with one resource.
    Json,
    /// JSON with many resources.
    Batch,
    /// A form with a photo: `multipart/form-data`.
    Form,
}

/// The response to a body of another kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BodyFault {
    /// 406 `not.acceptable`.
    NotAcceptable,
    /// 400 `input.data.invalid`.
    Invalid,
}

/// The top-level code of broken rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RuleFault {
    /// `validation.failed`.
    Validation,
    /// `input.data.invalid`, on endpoints that have no other code for a bad body.
    Input,
}

/// The response to several resources: a list of ids in the path, or an array as body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Several {
    /// The same as for any malformed id or wrong type.
    Unknown,
    /// `multiple.resources.not.allowed` at the top level.
    Top,
    /// `input.data.invalid` with a detail `multiple.resources.not.allowed`.
    Detail,
}

impl FaultStyle {
    /// The style of most endpoints.
    pub(crate) const PLAIN: Self = Self {
        id: IdFault::Detail,
        body: Body::Ignored,
        media: BodyFault::NotAcceptable,
        syntax: BodyFault::Invalid,
        rules: RuleFault::Validation,
        several: Several::Unknown,
    };
}

impl Body {
    /// The most bytes of a form besides its photo.
    const ENVELOPE: usize = 64 << 10;

    /// The greatest size of this kind of body, in bytes.
    pub(crate) const fn limit(self, settings: &Settings) -> usize {
        match self {
            Self::Ignored => 0,
            Self::Json => settings.body_limit,
            Self::Batch => settings.batch_limit,
            Self::Form => settings.photo_limit.saturating_add(Self::ENVELOPE),
        }
    }

    /// The most memory that one body of any kind takes, in bytes.
    pub(crate) fn most_memory(settings: &Settings) -> usize {
        let each = [Self::Json, Self::Batch, Self::Form];
        let memory = each.map(|body| body.limit(settings).saturating_mul(body.weight()));
        memory.into_iter().max().unwrap_or_default()
    }

    /// Bytes of memory that a request holds for each byte of its body until the response, the body
    /// included. Parsing JSON takes more for a short time, one body at a time on each worker. A
    /// form is held once as received, and its photo once more.
    pub(crate) const fn weight(self) -> usize {
        match self {
            Self::Ignored => 0,
            Self::Json | Self::Batch => 10,
            Self::Form => 2,
        }
    }
}
