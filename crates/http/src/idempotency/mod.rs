//! Requests with an `Idempotency-Key`: sent again, they take effect once and get the same answer.
//!
//! Such a request is looked up after its token and its body were read. If it is new, it runs to its
//! end even if its client leaves. Its change is stored together with the key; the answer follows.
//! When the process ends in between, only the ids of the changed records are stored with the key.
//! The repeated request is then answered by the second handler that `ApiResource::post`, `put` and
//! `patch` take: it returns the records as they are now.

mod kept;
mod key;
mod received;
#[cfg(test)]
mod tests;

use std::{pin::pin, rc::Rc, time::Duration};

use actix_web::{
    Error, HttpMessage as _, HttpResponse,
    body::{BoxBody, MessageBody as _},
    dev::{ServiceRequest, ServiceResponse},
    guard::GuardContext,
    http::StatusCode,
    middleware::Next,
    rt,
};
use patrol_application::Failure;
use patrol_domain::{
    idempotency::{KeyState, KeyedRequest},
    ids::Uuid,
};
use tokio::{select, time::sleep};
use tracing::Instrument as _;

pub(crate) use kept::KeptBody;

use self::received::Received;
use crate::{
    body_kind::BodyKind,
    error::{ApiError, Code, Problem},
    middleware::{answer_failure, call_handler},
    request_state::RequestState,
    route::check,
};

/// How long a run holds its key without renewal. After the end of its process, a repeated request
/// gets 409 for at most this time.
const HOLD: Duration = Duration::from_secs(4);

/// How often a run renews its hold.
const RENEWAL: Duration = Duration::from_secs(1);

/// The records that the first request changed. Added to the extensions of a repeated request
/// whose first answer was not kept.
pub(crate) struct ChangedBefore(pub(crate) Vec<Uuid>);

/// How a request with a key is answered.
enum NextStep {
    /// The request runs.
    Run(KeyedRequest, Received),
    /// With the kept answer of the first request.
    Answered(HttpResponse),
    /// With the records that the first request changed, because its answer was not kept.
    Changed(ChangedBefore, Received),
}

/// Whether a request has the header `Idempotency-Key`, with a valid key or not.
pub(crate) fn has_key(request: &ServiceRequest) -> bool {
    request.headers().contains_key(key::IDEMPOTENCY_KEY)
}

/// Whether the change of this request was stored earlier, but not its answer.
pub(crate) fn is_repeated(context: &GuardContext<'_>) -> bool {
    context.req_data().contains::<ChangedBefore>()
}

/// Answers a request with a key. `kind` is the body of its route.
pub(crate) async fn answer_once(
    kind: BodyKind,
    state: Rc<RequestState>,
    mut request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse, Error> {
    match begin(kind, &state, &mut request).await {
        Err(error) => Ok(request.error_response(error)),
        Ok(NextStep::Answered(answer)) => Ok(request.into_response(answer)),
        Ok(NextStep::Changed(effect, Received { payload, memory: _memory, .. })) => {
            request.set_payload(payload);
            request.extensions_mut().insert(effect);
            let mut answer = answer_failure(call_handler(request, next).await, &state).await;
            let (name, value) = kept::replayed();
            answer.headers_mut().insert(name, value);
            Ok(answer)
        }
        Ok(NextStep::Run(keyed, Received { payload, memory, .. })) => {
            request.set_payload(payload);
            state.keyed.set(Some(keyed));
            let head = request.request().clone();
            // A task, so that the request runs to its end when its client leaves.
            let run = async move {
                let answer = run(keyed, &state, request, next).await;
                drop(memory);
                answer
            };
            let run = rt::spawn(run.in_current_span());
            Ok(run.await.unwrap_or_else(|_| {
                let error = ApiError::internal("a request with a key ended without an answer");
                ServiceResponse::new(head, HttpResponse::from_error(error))
            }))
        }
    }
}

/// Authenticates the caller, reads the body, and looks up the key.
async fn begin(
    kind: BodyKind,
    state: &RequestState,
    request: &mut ServiceRequest,
) -> Result<NextStep, ApiError> {
    let services = &state.shared.services;
    let caller = check::authenticate(request.request(), state).await?;
    state.caller.set(Some(caller));
    let received = read_body(kind, state, request).await?;
    let key = key::key(request.headers())?;
    let now = services.clock.now();
    let keep = i64::try_from(state.shared.settings.idempotency_keep.as_millis());
    let expires_at = keep.ok().and_then(|keep| now.shifted(keep)).unwrap_or(now);
    let keyed = KeyedRequest {
        key: key::digest_of_key(caller.user, key),
        fingerprint: key::fingerprint(request.request(), received.digest),
        run: services.ids.next(),
        expires_at,
    };
    match services.idempotency_keys.begin(keyed, HOLD, now).await? {
        KeyState::Free => Ok(NextStep::Run(keyed, received)),
        KeyState::Answered(answer) => Ok(NextStep::Answered(kept::read(&answer)?)),
        KeyState::Changed(records) => Ok(NextStep::Changed(ChangedBefore(records), received)),
        KeyState::OtherRequest => Err(Code::KeyReused.into()),
        KeyState::InUse => Err(Problem::key_in_use().into()),
    }
}

async fn read_body(
    kind: BodyKind,
    state: &RequestState,
    request: &mut ServiceRequest,
) -> Result<Received, ApiError> {
    // Even a route without a body may receive one, which is part of the fingerprint.
    let kind = if kind == BodyKind::Ignored { BodyKind::Json } else { kind };
    let mut payload = request.take_payload();
    let limit = kind.limit(&state.shared.settings);
    if kind == BodyKind::Media {
        let body = state.begin_long_body(request.headers(), &mut payload, limit)?;
        return Received::in_a_file(body).await;
    }
    let (body, memory) = state.read_body(request.headers(), &mut payload, limit, 1).await?;
    Ok(Received::in_memory(body, memory))
}

/// Runs the request, and stores its answer.
async fn run(
    keyed: KeyedRequest,
    state: &Rc<RequestState>,
    request: ServiceRequest,
    next: Next<BoxBody>,
) -> ServiceResponse {
    let keys = &state.shared.services.idempotency_keys;
    let mut handled = pin!(call_handler(request, next));
    let answer = loop {
        let renewed = async {
            sleep(RENEWAL).await;
            keys.hold(keyed, HOLD).await
        };
        select! {
            biased;
            answer = &mut handled => break answer,
            renewed = renewed => if let Err(error) = renewed {
                tracing::warn!(%error, "the hold of an Idempotency-Key is not renewed; trying again");
            },
        }
    };
    let is_superseded = is_superseded(&answer);
    let (request, answer) = answer_failure(answer, state).await.into_parts();
    let (head, body) = answer.into_parts();
    let (kept, body) = match body.try_into_bytes() {
        Ok(bytes) => {
            let is_kept = !is_superseded && is_final(head.status());
            (is_kept.then(|| kept::write(&head, &bytes)), BoxBody::new(bytes))
        }
        Err(body) => (None, body),
    };
    end(keyed, kept, state).await;
    ServiceResponse::new(request, head.set_body(body))
}

/// Stores the answer, or releases the key.
async fn end(keyed: KeyedRequest, kept: Option<Vec<u8>>, state: &RequestState) {
    let services = &state.shared.services;
    let keys = &services.idempotency_keys;
    let is_kept = kept.is_some();
    let ended = match kept {
        Some(kept) => keys.keep(keyed, kept, services.clock.now()).await,
        None => keys.hold(keyed, Duration::ZERO).await,
    };
    if let Err(error) = ended {
        let request_id = state.request_id.as_str();
        if is_kept {
            tracing::warn!(
                request_id, %error,
                "the answer to a request with an Idempotency-Key was not stored; if the request is \
                 sent again, it gets the changed records as they are then, or runs again if it \
                 changed nothing"
            );
        } else {
            tracing::warn!(
                request_id, %error,
                "an Idempotency-Key was not released; if the request is sent again, it gets 409 for \
                 a few seconds"
            );
        }
    }
}

/// Whether another run has made the change.
fn is_superseded(answer: &ServiceResponse) -> bool {
    let error = answer.response().error().and_then(|error| error.as_error::<ApiError>());
    matches!(error, Some(ApiError::Failed(Failure::Superseded)))
}

/// Whether a repeated request gets this answer. Otherwise it runs again.
fn is_final(status: StatusCode) -> bool {
    !status.is_server_error()
        && ![StatusCode::UNAUTHORIZED, StatusCode::PAYLOAD_TOO_LARGE, StatusCode::TOO_MANY_REQUESTS]
            .contains(&status)
}
