//! Turns errors of handlers and extractors into responses.

use std::borrow::Cow;

use actix_web::dev::ServiceResponse;

use crate::{
    dry_run::{self, DryRun},
    error::{ApiError, Code, Language, Problem},
    page::PageError,
    request_state::RequestState,
    trace,
};

/// Replaces a response that carries an error. The new one is JSON in the client's language and
/// the style of the endpoint, or a page of the site. Logs the cause of the error. Returns other
/// responses unchanged.
pub(crate) async fn answer_failure(
    answer: ServiceResponse,
    state: &RequestState,
) -> ServiceResponse {
    let Some(error) = answer.response().error() else { return answer };
    if let (Some(site), Some(error)) = (&state.shared.site, error.as_error::<PageError>()) {
        let page = (site.error_page)(answer.request().clone(), *error).await;
        return answer.into_response(page);
    }
    let problem = match error.as_error::<ApiError>() {
        Some(error) => error.problem(&state.fault_style()),
        None => {
            Cow::Owned(Problem { cause: Some(error.to_string()), ..Problem::new(Code::Internal) })
        }
    };
    report(&problem, state);
    let method = answer.request().method();
    state.shared.metrics.note_error(state.route.get(), method, problem.code);
    trace::note_error(&state.span, problem.code);
    state.error.set((Some(problem.code), problem.details.first().map(|detail| detail.code)));
    if let Some(activity) = state.activity.as_ref().filter(|_| problem.close) {
        activity.close(false);
    }
    if state.is_page.get()
        && let Some(site) = &state.shared.site
    {
        let error =
            PageError { retry_after: problem.retry_after, ..PageError::new(problem.code.status()) };
        let page = (site.error_page)(answer.request().clone(), error).await;
        return answer.into_response(page);
    }
    let now = state.shared.services.clock.now();
    let language = Language::of(answer.request().headers());
    let mut problem = problem.answer(language, now);
    if state.dry_run.get() == DryRun::Yes {
        problem = dry_run::mark(problem);
    }
    answer.into_response(problem)
}

/// Logs the cause, which the client must not see.
fn report(problem: &Problem, state: &RequestState) {
    let Some(cause) = &problem.cause else { return };
    let request_id = state.request_id.as_str();
    let is_anonymous = state.caller.get().is_none();
    if is_anonymous && matches!(problem.code, Code::Unauthorized | Code::TooManyRequests) {
        let client = state.client.map(tracing::field::display);
        tracing::info!(request_id, client, reason = cause, "a credential was rejected");
    } else if problem.code.status().is_client_error() {
        tracing::info!(request_id, cause, "a body could not be read");
    } else if problem.code == Code::Unavailable {
        tracing::warn!(request_id, cause, "a request could not be served for now");
    } else {
        tracing::error!(request_id, cause, "a request failed; this is a defect, please report it");
    }
}
