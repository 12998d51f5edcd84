//! Request id, errors, access log, metrics, and the headers of every response.

use std::{rc::Rc, time::Instant};

use actix_web::{
    Error,
    body::{BodySize, BoxBody, MessageBody as _},
    dev::{ServiceRequest, ServiceResponse},
    http::{
        ConnectionType, Method, Version,
        header::{CACHE_CONTROL, HeaderValue, X_CONTENT_TYPE_OPTIONS},
    },
    middleware::Next,
};
use patrol_domain::ids;
use tracing::Instrument as _;

use super::{
    failure::answer_failure,
    head_body::HeadBody,
    unfinished::{OpenAnswer, Unfinished, WatchedBody, log_answer},
};
use crate::{
    answer_memory::SMALL,
    error::ApiError,
    header::NOSNIFF,
    log::ChangedRecords,
    reply::{OpenEnded, StreamedBody},
    request_id::REQUEST_ID,
    request_state::RequestState,
    trace, unknown_names,
};

/// Counts the memory of a response until it is read. Without room for it, the response is an error, unless
/// it tells of a change.
fn hold(
    answer: ServiceResponse,
    unfinished: &mut Unfinished,
    state: &RequestState,
) -> ServiceResponse {
    let (request, answer) = answer.into_parts();
    if request.method() == Method::HEAD || answer.extensions().contains::<OpenEnded>() {
        return ServiceResponse::new(request, answer);
    }
    let (head, body) = answer.into_parts();
    match state.shared.answers.hold(body, state.user(), !request.method().is_safe()) {
        Ok((body, held)) => {
            unfinished.hold(held);
            ServiceResponse::new(request, head.set_body(body))
        }
        Err(problem) => ServiceResponse::from_err(ApiError::from(problem), request),
    }
}

/// Answers a request, also one that fails, and counts and logs the response.
pub(crate) async fn observe(
    request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse, Error> {
    let started = Instant::now();
    let state = RequestState::begin(&request)?;
    let mut unfinished = Unfinished::new(Rc::clone(&state));
    let cors = &state.shared.settings.cors_origins;
    let answer = match cors.preflight(&request) {
        Some(answer) => request.into_response(answer),
        None => {
            let answer = next.call(request).instrument(state.span.clone()).await?;
            let answer = answer_failure(answer, &state).await;
            answer_failure(hold(answer, &mut unfinished, &state), &state).await
        }
    };
    let (request, mut answer) = answer.into_parts();
    cors.mark(&request, answer.headers_mut());
    let headers = answer.headers_mut();
    headers.insert(REQUEST_ID, state.request_id.value().clone());
    headers.insert(X_CONTENT_TYPE_OPTIONS, NOSNIFF);
    if let Some(names) = unknown_names::header(&request) {
        headers.insert(unknown_names::IGNORED, names);
    }
    if state.no_store.get() && !headers.contains_key(CACHE_CONTROL) {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    let changed = answer.extensions_mut().remove::<ChangedRecords>();
    let id = || request.match_info().get("id").filter(|_| !request.method().is_safe());
    let record = changed.or_else(|| id().and_then(ids::parse).map(ChangedRecords::one));
    if request.method() == Method::HEAD {
        answer = answer.map_body(|_, body| BoxBody::new(HeadBody(body.size())));
    }
    let streamed = answer.body().size() == BodySize::Stream;
    // HTTP/1.0 has no chunks: a response without a length ends with the connection.
    let until_close = streamed && request.version() < Version::HTTP_11;
    answer.head_mut().no_chunking(until_close);
    if until_close {
        answer.head_mut().set_connection_type(ConnectionType::Close);
    }
    let (method, status, took) = (request.method(), answer.status(), started.elapsed());
    state.shared.metrics.note(state.route.get(), method, status, took);
    trace::note_answer(&state.span, status);
    if streamed && answer.extensions().contains::<OpenEnded>() {
        unfinished.log_at_end(OpenAnswer { method: method.clone(), status, started });
    } else {
        log_answer(&state, method, status, took, record.as_ref());
    }
    let in_pieces = answer.extensions().contains::<StreamedBody>()
        || matches!(answer.body().size(), BodySize::Sized(bytes) if bytes > SMALL);
    if streamed || (in_pieces && request.method() != Method::HEAD) {
        answer = answer
            .map_body(|_, body| BoxBody::new(WatchedBody::new(body, unfinished, until_close)));
    } else {
        unfinished.finish();
    }
    Ok(ServiceResponse::new(request, answer))
}
