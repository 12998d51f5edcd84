//! Turns errors of handlers and extractors into responses.

use std::{borrow::Cow, rc::Rc};

use actix_web::{
    Error,
    body::BoxBody,
    dev::{ServiceRequest, ServiceResponse},
    middleware::Next,
    web::Data,
};

use crate::{
    connection::Activity,
    error::{ApiError, Code, Language, Problem},
    fault_style::FaultStyle,
    progress::Progress,
    shared::Shared,
};

/// Answers an error in the client's language and in the style of the endpoint, and logs its cause.
pub(crate) async fn answer_failures(
    request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse, Error> {
    let shared = Data::clone(Shared::of(request.request())?);
    let (request, answer) = next.call(request).await?.into_parts();
    let Some(error) = answer.error() else { return Ok(ServiceResponse::new(request, answer)) };
    let progress = Progress::of(&request);
    let faults = progress.as_ref().map_or(FaultStyle::PLAIN, |progress| progress.faults.get());
    let problem = match error.as_error::<ApiError>() {
        Some(error) => error.problem(&faults),
        None => {
            Cow::Owned(Problem { cause: Some(error.to_string()), ..Problem::new(Code::Internal) })
        }
    };
    if let Some(progress) = progress {
        report(&problem, &progress);
    }
    if let Some(activity) = request.conn_data::<Rc<Activity>>().filter(|_| problem.close) {
        activity.close(false);
    }
    let answer = problem.answer(Language::of(request.headers()), shared.services.clock.now());
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
