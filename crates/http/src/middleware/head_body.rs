//! The body of a response to HEAD.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use actix_web::body::{BodySize, MessageBody};
use bytes::Bytes;

/// The body of a HEAD response: a size without content. The rest of a long list is dropped
/// unread; its size is not known, so the response has none.
pub(super) struct HeadBody(pub(super) BodySize);

impl MessageBody for HeadBody {
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
