//! Errors of requests, before the language and the time of the response are known.

use std::{borrow::Cow, fmt};

use actix_web::{HttpResponse, ResponseError, http::header::HeaderValue};
use patrol_application::Failure;
use patrol_domain::{Refusal, StoreError};
use patrol_record::json::fields::TypeFault;

use super::code::Code;

/// The result of a handler.
pub(crate) type HandlerResult = Result<HttpResponse, ApiError>;

/// Why a handler or an extractor returned no response.
#[derive(Debug)]
pub(crate) enum ApiError {
    /// The use case failed; the error depends on the endpoint.
    Failed(Failure),
    /// An error that is the same on every endpoint.
    Known(Box<Problem>),
}

/// An error response without language and time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Problem {
    /// The top-level code.
    pub(crate) code: Code,
    /// The field, if the whole error is about one field.
    pub(crate) identifier: Option<Cow<'static, str>>,
    pub(crate) args: Vec<Cow<'static, str>>,
    /// The faults.
    pub(crate) details: Vec<Detail>,
    /// The allowed methods of the path, with 405.
    pub(crate) allow: Option<HeaderValue>,
    /// The value of `Content-Range`, with 416.
    pub(crate) content_range: Option<HeaderValue>,
    /// The value of `Retry-After`, in seconds.
    pub(crate) retry_after: Option<u64>,
    /// Whether the connection has to be closed, because the rest of the request cannot be read.
    pub(crate) close: bool,
    /// The cause for the log, which the client does not see.
    pub(crate) cause: Option<String>,
}

/// An entry of `details`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Detail {
    /// The code of the fault.
    pub(crate) code: Code,
    /// The field; `None` for the whole body.
    pub(crate) identifier: Option<Cow<'static, str>>,
    pub(crate) args: Vec<Cow<'static, str>>,
}

impl Detail {
    /// A fault of the field `identifier`.
    pub(crate) fn new(code: Code, identifier: impl Into<Cow<'static, str>>) -> Self {
        Self::at(code, Some(identifier.into()))
    }

    /// A fault of the whole body.
    pub(crate) const fn of_body(code: Code) -> Self {
        Self::at(code, None)
    }

    /// A fault of the field `identifier`; `None` for the whole body.
    pub(crate) const fn at(code: Code, identifier: Option<Cow<'static, str>>) -> Self {
        Self { code, identifier, args: Vec::new() }
    }

    /// The same fault with these `args`.
    pub(crate) fn with_args<A: Into<Cow<'static, str>>>(
        mut self,
        args: impl IntoIterator<Item = A>,
    ) -> Self {
        self.args = args.into_iter().map(Into::into).collect();
        self
    }
}

impl Problem {
    /// An error that has only a code.
    pub(crate) const fn new(code: Code) -> Self {
        Self {
            code,
            identifier: None,
            args: Vec::new(),
            details: Vec::new(),
            allow: None,
            content_range: None,
            retry_after: None,
            close: false,
            cause: None,
        }
    }

    /// An error of a request that may be sent again after this number of seconds.
    pub(crate) const fn retry_later(code: Code, seconds: u64) -> Self {
        let mut problem = Self::new(code);
        problem.retry_after = Some(seconds);
        problem
    }

    /// An error with several faults.
    pub(crate) fn with(code: Code, details: Vec<Detail>) -> Self {
        Self { details, ..Self::new(code) }
    }
}

impl ApiError {
    /// `input.data.invalid` with these faults of the body or the parameters.
    pub(crate) fn invalid(details: Vec<Detail>) -> Self {
        Problem::with(Code::InputInvalid, details).into()
    }

    /// `input.data.invalid` for members of the wrong type.
    pub(crate) fn types(faults: Vec<TypeFault>) -> Self {
        Self::invalid(faults.into_iter().map(Detail::from).collect())
    }

    /// An internal error. `cause` is for the log only.
    pub(crate) fn internal(cause: impl Into<String>) -> Self {
        Self::Failed(Failure::Store(StoreError::Internal(cause.into())))
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(failure) => failure.fmt(out),
            Self::Known(problem) => out.write_str(problem.code.name()),
        }
    }
}

impl ResponseError for ApiError {
    /// An empty response that carries this error. The middleware replaces it, because the error's
    /// text depends on the endpoint, the client's language and the time.
    fn error_response(&self) -> HttpResponse {
        HttpResponse::new(Code::Internal.status())
    }
}

impl From<TypeFault> for Detail {
    fn from(fault: TypeFault) -> Self {
        let TypeFault { identifier, expected } = fault;
        Self::at(Code::TypeInvalid, identifier.map(Into::into)).with_args([expected.name()])
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
