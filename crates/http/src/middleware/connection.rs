//! Begins and ends requests on their connection.

use std::{
    cell::RefCell,
    convert::Infallible,
    future::{pending, poll_fn},
    pin::Pin,
    rc::Rc,
    task::{Context, Poll},
};

use actix_web::{
    Error, HttpMessage as _,
    body::BoxBody,
    dev::{Payload, ServiceRequest, ServiceResponse},
    error::PayloadError,
    http::ConnectionType,
    middleware::Next,
    web::Data,
};
use bytes::Bytes;
use futures_core::Stream;
use futures_util::StreamExt as _;

use crate::{body, connection::Activity, shared::Shared};

/// Answers a request. This response is the last one of its connection when a part of the request
/// was not read, after `Connection: close`, at the limit of connections, and when the server stops.
pub(crate) async fn use_connection(
    mut request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse, Error> {
    let shared = Data::clone(Shared::of(&request)?);
    let activity = request.conn_data::<Rc<Activity>>().cloned();
    // Held until the response: dropping it ends the request on its connection.
    let begun = activity.as_ref().map(|activity| activity.begin(request.head()));
    if let Some(None) = begun {
        match wait_for_cancellation().await {}
    }
    let payload = keep_payload(&mut request);
    let mut response = next.call(request).await?;
    // The next bytes on the connection are the rest of the body, which is not needed.
    let unread = payload.is_some_and(|payload| !body::discard_arrived(&mut payload.borrow_mut()));
    let activity = activity.as_deref();
    let last = unread || activity.is_some_and(Activity::is_last) || shared.health.is_stopping();
    if last {
        response.response_mut().head_mut().set_connection_type(ConnectionType::Close);
        if let Some(activity) = activity {
            activity.close(unread);
        }
    }
    if unread {
        // Otherwise the connection would notice the close only when the client sends more bytes.
        wake().await;
    }
    Ok(response)
}

/// Never completes; for a request after `Connection: close`. actix polls the connection again,
/// reads the end of the input, and cancels the request.
async fn wait_for_cancellation() -> Infallible {
    wake().await;
    pending().await
}

/// Wakes the task, so that it is polled once more.
async fn wake() {
    poll_fn(|context| {
        context.waker().wake_by_ref();
        Poll::Ready(())
    })
    .await;
}

/// A body that the extractor reads and the middleware can read further.
type KeptPayload = Rc<RefCell<Payload>>;

/// Keeps the body of a request, if it has one.
fn keep_payload(request: &mut ServiceRequest) -> Option<KeptPayload> {
    let payload = request.take_payload();
    if matches!(payload, Payload::None) {
        return None;
    }
    let kept = Rc::new(RefCell::new(payload));
    let payload = Box::pin(Reader(Rc::clone(&kept)));
    request.set_payload(Payload::Stream { payload });
    Some(kept)
}

/// Reads a body that is kept.
struct Reader(KeptPayload);

impl Stream for Reader {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.borrow_mut().poll_next_unpin(context)
    }
}
