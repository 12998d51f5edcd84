//! Turns errors of handlers and extractors into responses.

use std::borrow::Cow;

use actix_web::{
    Error,
    body::BoxBody,
    dev::{ServiceRequest, ServiceResponse},
    middleware::Next,
};

use crate::{
    error::{ApiError, Code, Language, Problem},
    progress::Progress,
};

/// Answers an error in the client's language and in the style of the endpoint, and logs its cause.
pub(crate) async fn answer_failures(
    request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse, Error> {
    let (request, answer) = next.call(request).await?.into_parts();
    let Some(error) = answer.error() else { return Ok(ServiceResponse::new(request, answer)) };
    let progress = Progress::of(&request)?;
    let problem = match error.as_error::<ApiError>() {
        Some(error) => error.problem(&progress.faults.get()),
        None => {
            Cow::Owned(Problem { cause: Some(error.to_string()), ..Problem::new(Code::Internal) })
        }
    };
    report(&problem, &progress);
    if let Some(activity) = progress.activity.as_ref().filter(|_| problem.close) {
        activity.close(false);
    }
    let now = progress.shared.services.clock.now();
    let answer = problem.answer(Language::of(request.headers()), now);
    Ok(ServiceResponse::new(request, answer))
}

/// Logs what the client must not see.
fn report(problem: &Problem, progress: &Progress) {
    let Some(cause) = &problem.cause else { return };
    let request_id = progress.request_id.as_str();
    let is_stranger = progress.caller.get().is_none();
    if is_stranger && matches!(problem.code, Code::Unauthorized | Code::TooManyRequests) {
        tracing::info!(request_id, reason = cause, "a credential was rejected");
    } else if problem.code.status().is_client_error() {
        tracing::info!(request_id, cause, "a body could not be read");
    } else if problem.code == Code::Unavailable {
        tracing::warn!(request_id, cause, "a request could not be served for now");
    } else {
        tracing::error!(request_id, cause, "a request failed; this is a defect, please report it");
    }
}
