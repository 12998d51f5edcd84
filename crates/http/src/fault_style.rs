//! How an endpoint reports faults of a request. Endpoints differ, since clients expect it of them;
//! see `docs/api/errors.md`.

use crate::services::Settings;

/// How an endpoint reports faults of a request: one value for each route.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FaultStyle {
    /// For a path id that is not a UUID.
    pub(crate) id: IdFault,
    /// The body that the endpoint takes.
    pub(crate) body: Body,
    /// For a wrong Content-Type, and any Content-Encoding.
    pub(crate) media: BodyFault,
    /// For malformed JSON.
    pub(crate) syntax: BodyFault,
    /// For broken rules.
    pub(crate) rules: RuleFault,
    /// For several resources where one is meant.
    pub(crate) several: Several,
    /// Whether no cache may keep an answer of the path: `Cache-Control: no-store`.
    pub(crate) no_store: bool,
}

/// What answers a path id that is not a UUID.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum IdFault {
    /// `data.type.invalid` itself.
    Top,
    /// `input.data.invalid` with `data.type.invalid` among the details.
    Detail,
    /// `not.found`: a path with such an id names no resource.
    NotFound,
}

/// The body that an endpoint takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Body {
    /// None; what is sent all the same is not looked at.
    Ignored,
    /// JSON that holds one resource.
    Json,
    /// JSON that holds many.
    Batch,
    /// A form with a photo: `multipart/form-data`.
    Form,
}

/// What answers a body that is not of the kind that the endpoint takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BodyFault {
    /// 406 `not.acceptable`.
    NotAcceptable,
    /// 400 `input.data.invalid`.
    Invalid,
}

/// The code of the answer to broken rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RuleFault {
    /// `validation.failed`.
    Validation,
    /// `input.data.invalid`, where the interface shows no other.
    Input,
}

/// What answers several resources: a list of ids in the path, or an array for a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Several {
    /// What answers any other malformed id or wrong type.
    Unknown,
    /// `multiple.resources.not.allowed` itself.
    Top,
    /// `input.data.invalid` with `multiple.resources.not.allowed` among the details.
    Detail,
}

impl FaultStyle {
    /// What most endpoints without a body do.
    pub(crate) const PLAIN: Self = Self {
        id: IdFault::Detail,
        body: Body::Ignored,
        media: BodyFault::NotAcceptable,
        syntax: BodyFault::Invalid,
        rules: RuleFault::Validation,
        several: Several::Unknown,
        no_store: false,
    };

    /// What most endpoints with a JSON body do.
    pub(crate) const JSON: Self = Self { body: Body::Json, ..Self::PLAIN };
}

impl Body {
    /// Room for what a form holds beside its photo, in bytes.
    const ENVELOPE: usize = 64 << 10;

    /// Greatest body of this kind, in bytes.
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

    /// Bytes of memory that a request holds for each byte of such a body, the body included, until it
    /// is answered. Reading JSON takes more than this for a moment, one body at a time on each
    /// worker. A form is held once as it came, and its photo once more.
    pub(crate) const fn weight(self) -> usize {
        match self {
            Self::Ignored => 0,
            Self::Json | Self::Batch => 10,
            Self::Form => 2,
        }
    }
}
