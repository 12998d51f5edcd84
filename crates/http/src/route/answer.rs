//! Processes a response after its handler.

use std::{
    convert::Infallible,
    pin::Pin,
    rc::Rc,
    sync::atomic::Ordering,
    task::{Context, Poll},
};

use actix_web::body::{BodySize, BoxBody, MessageBody};
use bytes::Bytes;
use patrol_domain::{StoreError, access::Caller, ids::Uuid};

use super::Shared;
use crate::{
    connection::{Activity, Ending},
    metrics::RouteIndex,
    request_id::RequestId,
};

/// The body of a HEAD response: it has a size but no content. Only the start of a long list is
/// read.
pub(super) struct Headless(pub(super) BodySize);

impl MessageBody for Headless {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        match self.0 {
            BodySize::Stream => BodySize::None,
            known => known,
        }
    }

    fn poll_next(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Infallible>>> {
        Poll::Ready(None)
    }
}

/// A request whose response is not completely sent. When it is dropped before [`Self::finish`], it
/// logs and counts an incomplete response with the reason.
pub(super) struct Unfinished {
    pub(super) shared: Rc<Shared>,
    pub(super) activity: Option<Rc<Activity>>,
    pub(super) request_id: RequestId,
    pub(super) route: Option<RouteIndex>,
    /// The user, if known.
    pub(super) caller: Option<Caller>,
    /// The id in the path, if known.
    pub(super) id: Option<Uuid>,
    /// Whether the response must not be cached.
    pub(super) no_store: bool,
    /// Bytes of the body that were sent; `None` before the response has started.
    pub(super) sent: Option<u64>,
    finished: bool,
}

impl Unfinished {
    pub(super) fn new(
        shared: Rc<Shared>,
        activity: Option<Rc<Activity>>,
        request_id: RequestId,
    ) -> Self {
        let (route, caller, id, sent) = (None, None, None, None);
        let (no_store, finished) = (false, false);
        shared.in_flight.fetch_add(1, Ordering::Relaxed);
        Self { shared, activity, request_id, route, caller, id, no_store, sent, finished }
    }

    /// Records that the whole response was sent.
    pub(super) fn finish(&mut self) {
        self.finished = true;
    }

    /// Records that the store failed during the response.
    fn fail(&mut self, error: &(dyn std::error::Error + 'static)) {
        self.finish();
        let request_id = self.request_id.as_str();
        // A list that exceeds its time is cancelled on purpose; other errors are defects.
        match error.downcast_ref() {
            Some(StoreError::Unavailable(cause)) => {
                tracing::warn!(request_id, cause, "the store gave an answer up");
            }
            _ => tracing::error!(
                request_id,
                cause = %error,
                "an answer failed; this is a defect, please report it"
            ),
        }
        self.note("store");
    }

    fn note(&self, reason: &'static str) {
        let metrics = &self.shared.metrics;
        metrics.note_broken(self.route, reason);
        tracing::info!(
            target: "patrol::access",
            route = metrics.pattern(self.route),
            reason,
            bytes = self.sent,
            request_id = self.request_id.as_str(),
            user = self.caller.map(|caller| tracing::field::display(caller.user)),
            "broken off"
        );
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        self.shared.in_flight.fetch_sub(1, Ordering::Relaxed);
        if let Some(activity) = self.activity.as_ref().filter(|_| self.sent.is_some()) {
            activity.end_stream();
        }
        if self.finished {
            return;
        }
        let ending = self.activity.as_ref().and_then(|activity| activity.ending());
        self.note(match ending {
            Some(Ending::ClientTooSlow) => "client_too_slow",
            None if self.shared.health.is_stopping() => "stopped",
            Some(Ending::ClientLeft) | None => "client_left",
        });
    }
}

/// A streamed body that is watched until its end.
pub(super) struct Watched {
    body: BoxBody,
    request: Unfinished,
}

impl Watched {
    /// Starts to stream a response. `until_close`: it ends with the connection.
    pub(super) fn new(body: BoxBody, mut request: Unfinished, until_close: bool) -> Self {
        request.sent = Some(0);
        if let Some(activity) = &request.activity {
            activity.begin_stream(until_close);
        }
        Self { body, request }
    }
}

impl MessageBody for Watched {
    type Error = Box<dyn std::error::Error>;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let Self { body, request } = self.get_mut();
        let next = Pin::new(body).poll_next(context);
        match &next {
            Poll::Ready(Some(Ok(piece))) => {
                let bytes = u64::try_from(piece.len()).unwrap_or(u64::MAX);
                request.sent = request.sent.map(|sent| sent.saturating_add(bytes));
            }
            Poll::Ready(Some(Err(error))) => request.fail(error.as_ref()),
            Poll::Ready(None) => request.finish(),
            Poll::Pending => {}
        }
        next
    }
}
