//! Bodies of answers that are not sent as the handler gave them.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use actix_web::body::{BodySize, BoxBody, MessageBody};
use bytes::Bytes;

use crate::request_id::RequestId;

/// The body of an answer to HEAD: as long as it would be, and not there. Of a long list only its
/// beginning is read.
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

/// A streamed body whose failure the log ties to its request. The client only sees the connection
/// break off.
pub(super) struct Watched {
    pub(super) body: BoxBody,
    pub(super) request_id: RequestId,
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
        let watched = self.get_mut();
        let next = Pin::new(&mut watched.body).poll_next(context);
        if let Poll::Ready(Some(Err(error))) = &next {
            tracing::error!(
                request_id = watched.request_id.as_str(),
                cause = %error,
                "an answer broke off, and its connection with it"
            );
        }
        next
    }
}
