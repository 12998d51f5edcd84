//! Dry runs: `dryRun=true` runs all checks of a request and stores nothing.

use actix_web::{
    HttpResponse,
    http::header::{HeaderName, HeaderValue},
};
use patrol_json::fields::Expected;

use crate::{
    error::{ApiError, Code, Detail},
    query_string::parameters,
};

/// The name of the parameter.
pub(crate) const DRY_RUN: &str = "dryRun";

/// The header of the response to a dry run.
pub(crate) const PATROL_DRY_RUN: HeaderName = HeaderName::from_static("patrol-dry-run");

/// Whether the query string asks for a dry run.
///
/// # Errors
/// `input.data.invalid` when the value is neither true nor false, or the parameter is repeated.
pub(crate) fn is_requested(query: &str) -> Result<bool, ApiError> {
    let mut asked = None;
    for parameter in parameters(query).filter(|parameter| parameter.name == DRY_RUN) {
        let value = match parameter.value.as_deref() {
            Ok("true") => true,
            Ok("false") => false,
            _ => {
                let detail = Detail::new(Code::TypeInvalid, DRY_RUN);
                return Err(ApiError::invalid(vec![detail.with_args([Expected::Boolean.name()])]));
            }
        };
        if asked.replace(value).is_some() {
            return Err(ApiError::invalid(vec![Detail::new(Code::Unique, DRY_RUN)]));
        }
    }
    Ok(asked.unwrap_or(false))
}

/// Marks the response to a dry run.
pub(crate) fn mark(mut answer: HttpResponse) -> HttpResponse {
    answer.headers_mut().insert(PATROL_DRY_RUN, HeaderValue::from_static("true"));
    answer
}

#[cfg(test)]
mod tests {
    use super::is_requested;

    #[test]
    fn only_true_and_false_are_values() {
        for (query, asked) in
            [("", false), ("dryRun=false", false), ("a=b&dryRun=true", true), ("dryrun=1", false)]
        {
            assert_eq!(is_requested(query).ok(), Some(asked), "{query}");
        }
        for query in ["dryRun", "dryRun=", "dryRun=1", "dryRun=True", "dryRun=true&dryRun=true"] {
            assert!(is_requested(query).is_err(), "{query}");
        }
    }
}
