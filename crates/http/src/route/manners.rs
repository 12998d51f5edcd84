//! How an endpoint answers what is wrong before its handler runs (decisions 2).

use crate::{error::Code, services::Settings};

/// How an endpoint answers what is wrong with a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Manners {
    /// A path id that is no UUID.
    pub(crate) id: IdFault,
    /// What body it takes.
    pub(crate) body: Body,
    /// Another Content-Type, and a Content-Encoding.
    pub(crate) media: BodyFault,
    /// A body that is not well-formed.
    pub(crate) syntax: BodyFault,
    /// Broken rules.
    pub(crate) rules: RuleFault,
    /// Several resources where one is meant.
    pub(crate) several: Several,
    /// Whether no cache may keep an answer of the path: `Cache-Control: no-store`.
    pub(crate) no_store: bool,
}

/// What answers a path id that is no UUID.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum IdFault {
    /// `data.type.invalid` itself.
    Top,
    /// `input.data.invalid` with `data.type.invalid` among the details.
    Detail,
    /// `not.found`: what has no id is not there.
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

/// The code under which broken rules are told.
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

impl Manners {
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
    pub(super) fn most_memory(settings: &Settings) -> usize {
        let each = [Self::Json, Self::Batch, Self::Form];
        let memory = each.map(|body| body.limit(settings).saturating_mul(body.weight()));
        memory.into_iter().max().unwrap_or_default()
    }

    /// Bytes of memory that a request holds for each byte of such a body, the body included, until it
    /// is answered. Reading JSON takes more than this for a moment, one body at a time on each
    /// worker. A form is held once as it came, and its photo once more.
    pub(super) const fn weight(self) -> usize {
        match self {
            Self::Ignored => 0,
            Self::Json | Self::Batch => 10,
            Self::Form => 2,
        }
    }
}

impl From<BodyFault> for Code {
    fn from(fault: BodyFault) -> Self {
        match fault {
            BodyFault::NotAcceptable => Self::NotAcceptable,
            BodyFault::Invalid => Self::InputInvalid,
        }
    }
}
