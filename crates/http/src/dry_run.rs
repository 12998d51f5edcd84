//! Dry runs: `dryRun=true` runs all checks of a request and stores nothing.

use actix_web::{
    HttpResponse,
    http::header::{HeaderName, HeaderValue},
};
use patrol_record::json::fields::Expected;

use crate::{
    error::{ApiError, Code, Detail},
    query_string::parameters,
};

/// The name of the parameter.
pub(crate) const DRY_RUN: &str = "dryRun";

/// Whether this is the name of the parameter.
pub(crate) fn is_parameter(name: &str) -> bool {
    name == DRY_RUN
}

/// The header of the response to a dry run.
pub(crate) const PATROL_DRY_RUN: HeaderName = HeaderName::from_static("patrol-dry-run");

/// What the query string says about a dry run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum DryRun {
    /// The request is carried out.
    #[default]
    No,
    /// The request is a dry run.
    Yes,
    /// The value is neither true nor false.
    Invalid,
    /// The parameter is repeated.
    Repeated,
}

impl DryRun {
    /// Reads the query string.
    pub(crate) fn of(query: &str) -> Self {
        let mut asked = None;
        for parameter in parameters(query).filter(|parameter| parameter.name == DRY_RUN) {
            let value = match parameter.value.as_deref() {
                Ok("true") => Self::Yes,
                Ok("false") => Self::No,
                _ => return Self::Invalid,
            };
            if asked.replace(value).is_some() {
                return Self::Repeated;
            }
        }
        asked.unwrap_or_default()
    }

    /// Whether the request is a dry run.
    ///
    /// # Errors
    /// `input.data.invalid` when the value is neither true nor false, or the parameter is repeated.
    pub(crate) fn is_requested(self) -> Result<bool, ApiError> {
        let detail = match self {
            Self::No => return Ok(false),
            Self::Yes => return Ok(true),
            Self::Invalid => {
                Detail::new(Code::TypeInvalid, DRY_RUN).with_args([Expected::Boolean.name()])
            }
            Self::Repeated => Detail::new(Code::Unique, DRY_RUN),
        };
        Err(ApiError::invalid(vec![detail]))
    }
}

/// Marks the response to a dry run.
pub(crate) fn mark(mut answer: HttpResponse) -> HttpResponse {
    answer.headers_mut().insert(PATROL_DRY_RUN, HeaderValue::from_static("true"));
    answer
}

#[cfg(test)]
mod tests {
    use super::DryRun;

    #[test]
    fn only_true_and_false_are_values() {
        for (query, read) in [
            ("", DryRun::No),
            ("dryRun=false", DryRun::No),
            ("a=b&dryRun=true", DryRun::Yes),
            ("dryrun=1", DryRun::No),
            ("dryRun", DryRun::Invalid),
            ("dryRun=", DryRun::Invalid),
            ("dryRun=1", DryRun::Invalid),
            ("dryRun=True", DryRun::Invalid),
            ("dryRun=true&dryRun=true", DryRun::Repeated),
        ] {
            assert_eq!(DryRun::of(query), read, "{query}");
            assert_eq!(
                read.is_requested().ok(),
                match read {
                    DryRun::No => Some(false),
                    DryRun::Yes => Some(true),
                    DryRun::Invalid | DryRun::Repeated => None,
                }
            );
        }
    }
}
