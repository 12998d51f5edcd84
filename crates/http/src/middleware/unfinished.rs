//! Watches a response until it is complete: a streamed one until actix has taken its last byte.

use std::{
    pin::Pin,
    rc::Rc,
    sync::atomic::Ordering,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use actix_web::{
    body::{BodySize, BoxBody, MessageBody},
    http::{Method, StatusCode},
};
use bytes::Bytes;
use patrol_domain::StoreError;

use crate::{
    answer_memory::Held, connection::AbortReason, error::Code, log::ChangedRecords,
    metrics::method_name, request_state::RequestState,
};

/// A request whose response is not completely sent. Dropping it before [`Self::finish`] logs and
/// counts an incomplete response with the reason.
pub(super) struct Unfinished {
    state: Rc<RequestState>,
    /// Bytes that were sent of a streamed body; `None` when no body is streamed.
    sent: Option<u64>,
    finished: bool,
    open: Option<OpenAnswer>,
    /// The memory of the response.
    held: Option<Held>,
}

/// A response that is logged when it has ended: it goes on until the client leaves or the server stops.
pub(super) struct OpenAnswer {
    pub(super) method: Method,
    pub(super) status: StatusCode,
    /// When the request arrived.
    pub(super) started: Instant,
}

impl Unfinished {
    pub(super) fn new(state: Rc<RequestState>) -> Self {
        state.shared.in_flight.fetch_add(1, Ordering::Relaxed);
        Self { state, sent: None, finished: false, open: None, held: None }
    }

    /// Ends the watch: the response is complete, or its failure is reported.
    pub(super) fn finish(&mut self) {
        self.finished = true;
    }

    /// Holds the memory of the response until it has ended.
    pub(super) fn hold(&mut self, held: Option<Held>) {
        self.held = held;
    }

    /// Logs the response when it has ended.
    pub(super) fn log_at_end(&mut self, open: OpenAnswer) {
        self.open = Some(open);
    }

    /// Records that the store failed during the response.
    fn fail(&mut self, error: &(dyn std::error::Error + 'static)) {
        self.finish();
        let request_id = self.state.request_id.as_str();
        // The store cancels a list that exceeds its time limit; other errors are defects.
        match error.downcast_ref() {
            Some(StoreError::Unavailable(cause)) => {
                tracing::warn!(request_id, cause, "the store cancelled a response");
            }
            _ => tracing::error!(
                request_id,
                cause = %error,
                "a response failed; this is a defect, please report it"
            ),
        }
        self.note("store");
    }

    fn note(&self, reason: &'static str) {
        let Self { state, sent, .. } = self;
        let metrics = &state.shared.metrics;
        let route = state.route.get();
        metrics.note_broken(route, reason);
        tracing::info!(
            target: "patrol::access",
            route = metrics.pattern(route),
            reason,
            bytes = sent,
            request_id = state.request_id.as_str(),
            client = state.client.map(tracing::field::display),
            user = state.caller.get().map(|caller| tracing::field::display(caller.user)),
            "broken off"
        );
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let RequestState { shared, activity, .. } = &*self.state;
        shared.in_flight.fetch_sub(1, Ordering::Relaxed);
        if let Some(activity) = activity.as_ref().filter(|_| self.sent.is_some()) {
            activity.end_stream();
        }
        if let Some(OpenAnswer { method, status, started }) = &self.open {
            log_answer(&self.state, method, *status, started.elapsed(), None);
        }
        if self.finished {
            return;
        }
        let reason = activity.as_ref().and_then(|activity| activity.abort_reason());
        self.note(match reason {
            Some(AbortReason::ClientTooSlow) => "client_too_slow",
            _ if self.open.is_some() => return,
            None if shared.health.is_stopping() => "stopped",
            Some(AbortReason::ClientLeft) | None => "client_left",
        });
    }
}

/// Writes the event of the access log for a request that was answered; `took` is the time from the head
/// of the request to the head of the response, `record` what the request changed or tried to change. Of
/// the values that a client chooses, only checked ones are logged: the request id, UUIDs of records, and
/// addresses. Other headers, the path and the query string may contain secrets.
pub(super) fn log_answer(
    state: &RequestState,
    method: &Method,
    status: StatusCode,
    took: Duration,
    record: Option<&ChangedRecords>,
) {
    let (code, detail) = state.error.get();
    tracing::info!(
        target: "patrol::access",
        method = method_name(method),
        route = state.shared.metrics.pattern(state.route.get()),
        status = status.as_u16(),
        code = code.map(Code::name),
        detail = detail.map(Code::name),
        micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
        request_id = state.request_id.as_str(),
        client = state.client.map(tracing::field::display),
        record = record.and_then(ChangedRecords::text),
        user = state.caller.get().map(|caller| tracing::field::display(caller.user)),
        "answered"
    );
}

/// A streamed body that is watched until its end.
pub(super) struct WatchedBody {
    body: BoxBody,
    /// Its length in bytes, if that is known.
    length: Option<u64>,
    request: Unfinished,
}

impl WatchedBody {
    /// Starts to stream a response. `until_close`: it ends with the connection.
    pub(super) fn new(body: BoxBody, mut request: Unfinished, until_close: bool) -> Self {
        request.sent = Some(0);
        if let Some(activity) = &request.state.activity {
            activity.begin_stream(until_close);
        }
        let length = match body.size() {
            BodySize::Sized(bytes) => Some(bytes),
            BodySize::None | BodySize::Stream => None,
        };
        Self { body, length, request }
    }
}

impl MessageBody for WatchedBody {
    type Error = Box<dyn std::error::Error>;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let Self { body, length, request } = self.get_mut();
        let next = Pin::new(body).poll_next(context);
        match &next {
            Poll::Ready(Some(Ok(piece))) => {
                let bytes = u64::try_from(piece.len()).unwrap_or(u64::MAX);
                request.sent = request.sent.map(|sent| sent.saturating_add(bytes));
                // A client that has all of it may leave before the end is asked for.
                if request.sent == *length {
                    request.finish();
                }
            }
            Poll::Ready(Some(Err(error))) => request.fail(error.as_ref()),
            Poll::Ready(None) => request.finish(),
            Poll::Pending => {}
        }
        next
    }
}
