//! How an endpoint answers what is wrong before its handler runs (decisions 2).

/// How an endpoint answers what is wrong with a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Manners {
    /// A path id that is no UUID.
    pub(crate) id: IdFault,
    /// What body it takes.
    pub(crate) body: Body,
    /// Broken rules.
    pub(crate) rules: RuleFault,
    /// Several resources where one is meant.
    pub(crate) several: Several,
}

/// What answers a path id that is no UUID.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum IdFault {
    /// `data.type.invalid` itself.
    Top,
    /// `input.data.invalid` with `data.type.invalid` among the details.
    Detail,
}

/// The body that an endpoint takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Body {
    /// None; what is sent all the same is not looked at.
    Ignored,
    /// JSON.
    Json {
        /// What answers another Content-Type, and a Content-Encoding.
        media: MediaFault,
    },
}

/// What answers a Content-Type that the endpoint does not take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MediaFault {
    /// 406 `not.acceptable`.
    NotAcceptable,
    /// 400 `input.data.invalid`, where the interface shows no 406.
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
        rules: RuleFault::Validation,
        several: Several::Unknown,
    };

    /// What most endpoints with a JSON body do.
    pub(crate) const JSON: Self =
        Self { body: Body::Json { media: MediaFault::NotAcceptable }, ..Self::PLAIN };
}
