//! How requests fail: one model, one table, one body (interface 7, decisions 2).

mod answer;
mod code;
mod failure;
mod language;

use std::borrow::Cow;

use actix_web::http::header::HeaderValue;
use patrol_application::Failure;
use patrol_domain::{Refusal, StoreError};
use patrol_json::fields::TypeFault;

pub(crate) use code::Code;
pub(crate) use language::Language;

/// Why a handler gave no answer.
#[derive(Debug)]
pub(crate) enum ApiError {
    /// The use case failed; what that is called depends on the route.
    Failed(Failure),
    /// Something that is called the same on every route.
    Known(Box<Problem>),
}

/// What an error answer says, before it has a language and a time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Problem {
    /// What happened.
    pub(crate) code: Code,
    /// The field that the whole problem is about.
    pub(crate) identifier: Option<Cow<'static, str>>,
    /// What was expected.
    pub(crate) args: Vec<Cow<'static, str>>,
    /// Each single failure.
    pub(crate) details: Vec<Detail>,
    /// The methods that the path knows, with 405.
    pub(crate) allow: Option<HeaderValue>,
    /// After how many seconds to try again.
    pub(crate) retry_after: Option<u64>,
    /// Whether the rest of the request cannot be read, so that the connection has to end.
    pub(crate) close: bool,
    /// What the log says and the client does not learn.
    pub(crate) cause: Option<String>,
}

/// One failure among several.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Detail {
    /// What is wrong.
    pub(crate) code: Code,
    /// The field; none for the body as a whole.
    pub(crate) identifier: Option<Cow<'static, str>>,
    /// What was expected.
    pub(crate) args: Vec<Cow<'static, str>>,
}

impl Detail {
    /// A failure of the field `identifier`.
    pub(crate) fn new(code: Code, identifier: impl Into<Cow<'static, str>>) -> Self {
        Self { code, identifier: Some(identifier.into()), args: Vec::new() }
    }

    /// A failure of the body as a whole.
    pub(crate) const fn of_body(code: Code) -> Self {
        Self { code, identifier: None, args: Vec::new() }
    }

    /// The same failure with what was expected.
    pub(crate) fn expecting<A: Into<Cow<'static, str>>>(
        mut self,
        args: impl IntoIterator<Item = A>,
    ) -> Self {
        self.args = args.into_iter().map(Into::into).collect();
        self
    }
}

impl Problem {
    /// A problem that needs no more than its code.
    pub(crate) const fn new(code: Code) -> Self {
        Self {
            code,
            identifier: None,
            args: Vec::new(),
            details: Vec::new(),
            allow: None,
            retry_after: None,
            close: false,
            cause: None,
        }
    }

    /// Several failures under one code.
    pub(crate) fn with(code: Code, details: Vec<Detail>) -> Self {
        Self { details, ..Self::new(code) }
    }
}

impl ApiError {
    /// `input.data.invalid` with these details: what the body or the parameters got wrong.
    pub(crate) fn invalid(details: Vec<Detail>) -> Self {
        Problem::with(Code::InputInvalid, details).into()
    }

    /// `input.data.invalid` for members of the wrong type.
    pub(crate) fn types(faults: Vec<TypeFault>) -> Self {
        Self::invalid(faults.into_iter().map(Detail::from).collect())
    }

    /// Something went wrong that the client cannot mend; `cause` is for the log alone.
    pub(crate) fn internal(cause: impl Into<String>) -> Self {
        Self::Failed(Failure::Store(StoreError::Internal(cause.into())))
    }
}

impl From<TypeFault> for Detail {
    fn from(fault: TypeFault) -> Self {
        let TypeFault { identifier, expected } = fault;
        let detail = match identifier {
            Some(identifier) => Self::new(Code::TypeInvalid, identifier),
            None => Self::of_body(Code::TypeInvalid),
        };
        detail.expecting([expected.name()])
    }
}

impl From<Problem> for ApiError {
    fn from(problem: Problem) -> Self {
        Self::Known(Box::new(problem))
    }
}

impl From<Box<Problem>> for ApiError {
    fn from(problem: Box<Problem>) -> Self {
        Self::Known(problem)
    }
}

impl From<Code> for ApiError {
    fn from(code: Code) -> Self {
        Problem::new(code).into()
    }
}

impl From<Failure> for ApiError {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        Self::Failed(Failure::Refused(refusal))
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        Self::Failed(Failure::Store(error))
    }
}
