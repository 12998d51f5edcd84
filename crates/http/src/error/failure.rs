//! Maps failures of use cases to errors of an endpoint.

use std::borrow::Cow;

use patrol_application::Failure;
use patrol_domain::{Fault, Held, Refusal, StoreError};

use super::{
    code::Code,
    problem::{ApiError, Detail, Problem},
};
use crate::fault_style::FaultStyle;

/// The `Retry-After` when the store is unavailable, in seconds.
const STORE_RETRY: u64 = 1;

/// The `Retry-After` while another run has the `Idempotency-Key`, in seconds.
const KEY_IN_USE_RETRY: u64 = 1;

impl ApiError {
    /// The error response of an endpoint with this style.
    pub(crate) fn problem(&self, style: &FaultStyle) -> Cow<'_, Problem> {
        match self {
            Self::Known(problem) => Cow::Borrowed(problem),
            Self::Failed(failure) => Cow::Owned(problem_of(failure, style)),
        }
    }
}

impl Problem {
    /// The error while another run has the `Idempotency-Key` of the request.
    pub(crate) fn key_in_use() -> Self {
        Self::retry_later(Code::KeyInUse, KEY_IN_USE_RETRY)
    }
}

fn problem_of(failure: &Failure, style: &FaultStyle) -> Problem {
    let each =
        |code, paths: &[String]| paths.iter().map(|path| Detail::new(code, path.clone())).collect();
    match failure {
        Failure::NotFound => Problem::new(Code::NotFound),
        Failure::CallerInvalid => Problem::new(Code::Unauthorized),
        Failure::Unknown(paths) => Problem::with(Code::NotFound, each(Code::NotFound, paths)),
        Failure::Repeated(paths) => Problem::with(Code::InputInvalid, each(Code::Unique, paths)),
        Failure::Stale => Problem::new(Code::PreconditionFailed),
        Failure::InUse(held) => {
            let details = held.iter().map(|Held { by, count }| {
                Detail::new(Code::ResourceInUse, by.name()).with_args([count.to_string()])
            });
            Problem::with(Code::ResourceInUse, details.collect())
        }
        Failure::Superseded => Problem::key_in_use(),
        Failure::Refused(Refusal::Denied) => Problem::new(Code::AccessDenied),
        Failure::Refused(Refusal::State(member)) => Problem::with(
            Code::InputInvalid,
            vec![Detail::new(Code::StateNotAllowed, member.clone())],
        ),
        Failure::Refused(Refusal::Invalid(faults)) => {
            Problem::with(style.rules, faults.iter().map(Detail::from).collect())
        }
        Failure::Store(error) => Problem::from(error),
    }
}

impl From<&StoreError> for Problem {
    fn from(error: &StoreError) -> Self {
        let cause = Some(error.to_string());
        match error {
            StoreError::Unavailable(_) => {
                Self { cause, ..Self::retry_later(Code::Unavailable, STORE_RETRY) }
            }
            StoreError::Corrupt { .. } | StoreError::PageTooLarge | StoreError::Internal(_) => {
                Self { cause, ..Self::new(Code::Internal) }
            }
        }
    }
}

impl From<&Fault> for Detail {
    fn from(fault: &Fault) -> Self {
        let Fault { identifier, rule } = fault;
        let (code, args) = Code::of(rule);
        let identifier = Some(identifier).filter(|identifier| !identifier.is_empty());
        Self::at(code, identifier.cloned().map(Into::into)).with_args(args)
    }
}

#[cfg(test)]
mod tests {
    use patrol_domain::Rule;

    use super::*;

    fn fault(identifier: &str, rule: Rule) -> Failure {
        Failure::Refused(Refusal::Invalid(vec![Fault { identifier: identifier.into(), rule }]))
    }

    fn plain(failure: Failure) -> Problem {
        ApiError::from(failure).problem(&FaultStyle::PLAIN).into_owned()
    }

    #[test]
    fn broken_rules_have_the_top_level_code_of_the_endpoint() {
        for code in [Code::ValidationFailed, Code::InputInvalid] {
            let style = FaultStyle { rules: code, ..FaultStyle::PLAIN };
            let problem = ApiError::from(fault("name", Rule::NotNull));
            let problem = problem.problem(&style);
            assert_eq!(*problem, Problem::with(code, vec![Detail::new(Code::NotNull, "name")]));
        }
    }

    #[test]
    fn a_fault_of_the_whole_body_has_no_identifier() {
        let failure = fault("", Rule::Length { min: 0, max: 9 });
        let problem = plain(failure);
        assert_eq!(problem.details, [Detail::of_body(Code::Length).with_args(["0", "9"])]);
    }

    #[test]
    fn faults_of_a_batch_have_the_paths_of_the_ids() {
        let details = |code| vec![Detail::new(code, "[0].id"), Detail::new(code, "[3].id")];
        let paths = || vec!["[0].id".to_owned(), "[3].id".to_owned()];
        let unknown = Problem::with(Code::NotFound, details(Code::NotFound));
        assert_eq!(plain(Failure::Unknown(paths())), unknown);
        let repeated = Problem::with(Code::InputInvalid, details(Code::Unique));
        assert_eq!(plain(Failure::Repeated(paths())), repeated);
        assert_eq!(plain(Failure::NotFound), Problem::new(Code::NotFound));
    }

    #[test]
    fn a_forbidden_state_is_invalid_input_on_every_endpoint() {
        let failure = Failure::Refused(Refusal::State("state".to_owned()));
        let problem = plain(failure);
        let detail = Detail::new(Code::StateNotAllowed, "state");
        assert_eq!(problem, Problem::with(Code::InputInvalid, vec![detail]));
    }

    #[test]
    fn only_an_unavailable_store_has_retry_after() {
        let away = Problem::from(&StoreError::Unavailable("locked".into()));
        assert_eq!((away.code.status().as_u16(), away.retry_after), (503, Some(1)));
        let defect = Problem::from(&StoreError::Internal("no such column".into()));
        assert_eq!((defect.code.status().as_u16(), defect.retry_after), (500, None));
    }
}
