//! How an endpoint reports faults of a request. The differences between endpoints are kept because
//! clients rely on them; see `docs/api/errors.md`.

use crate::error::Code;

/// The fault style of an endpoint: a code, where only the top-level code differs between endpoints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FaultStyle {
    /// For a malformed id in the path.
    pub(crate) id: IdFault,
    /// For a wrong Content-Type, and any Content-Encoding.
    pub(crate) media: Code,
    /// For malformed JSON.
    pub(crate) syntax: Code,
    /// For broken rules. Some endpoints report all faults of the body with `input.data.invalid`.
    pub(crate) rules: Code,
    /// For several resources where one is expected.
    pub(crate) several: SeveralFault,
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

/// The response to several resources: a list of ids in the path, or an array as body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SeveralFault {
    /// The same response as for any malformed id or wrong type.
    Ordinary,
    /// `multiple.resources.not.allowed` at the top level.
    Top,
    /// `input.data.invalid` with a detail `multiple.resources.not.allowed`.
    Detail,
}

impl FaultStyle {
    /// The style of most endpoints.
    pub(crate) const PLAIN: Self = Self {
        id: IdFault::Detail,
        media: Code::NotAcceptable,
        syntax: Code::InputInvalid,
        rules: Code::ValidationFailed,
        several: SeveralFault::Ordinary,
    };

    /// Broken rules are `input.data.invalid`.
    pub(crate) const RULES_AS_INPUT: Self = Self { rules: Code::InputInvalid, ..Self::PLAIN };

    /// All faults of the body are `input.data.invalid`.
    pub(crate) const BODY_AS_INPUT: Self =
        Self { media: Code::InputInvalid, ..Self::RULES_AS_INPUT };
}
