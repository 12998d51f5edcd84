//! How an endpoint reports faults of a request. The differences between endpoints are kept because
//! clients rely on them; see `docs/api/errors.md`.

/// The fault style of an endpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FaultStyle {
    /// For a malformed id in the path.
    pub(crate) id: IdFault,
    /// For a wrong Content-Type, and any Content-Encoding.
    pub(crate) media: BodyFault,
    /// For malformed JSON.
    pub(crate) syntax: BodyFault,
    /// For broken rules.
    pub(crate) rules: RuleFault,
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

/// The response to a wrong Content-Type or Content-Encoding, or to malformed JSON.
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
    /// `input.data.invalid`, on endpoints that report all faults of the body with this code.
    Input,
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
        media: BodyFault::NotAcceptable,
        syntax: BodyFault::Invalid,
        rules: RuleFault::Validation,
        several: SeveralFault::Ordinary,
    };
}
