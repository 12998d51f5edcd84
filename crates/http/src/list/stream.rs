//! From what the store sends to the bytes of the answer, at the client's pace.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use actix_web::body::{BodySize, MessageBody};
use bytes::Bytes;
use patrol_domain::{
    StoreError, Timestamp,
    list::{Listing, Part},
};

use super::{declaration::Declared, document::Document, parse::Echo};
use crate::long_lists::LongList;

/// A list on its way from the store to the client.
///
/// It is pulled by whoever sends it, so a client that reads slowly slows the store down, and one
/// that goes away drops the query.
pub(crate) struct Transfer<L: Declared> {
    listing: Listing<L::Item>,
    document: Document<L>,
    /// What was taken from the document and is not sent yet.
    pending: Bytes,
    complete: bool,
    /// Held until the list has been sent.
    _turn: Option<LongList>,
}

/// The most bytes of one chunk. A connection copies each chunk into a buffer that keeps the size of
/// the largest one.
const CHUNK: usize = 256 * 1024;

impl<L: Declared> Transfer<L> {
    /// Begins an answer with room for at most `room` bytes.
    pub(crate) fn new(
        listing: Listing<L::Item>,
        echo: Echo,
        now: Timestamp,
        room: usize,
        turn: Option<LongList>,
    ) -> Self {
        let document = Document::new(echo, now, room);
        Self { listing, document, pending: Bytes::new(), complete: false, _turn: turn }
    }

    /// Writes the next part; ready when one was written.
    ///
    /// # Errors
    /// When the store fails or ends without the total: what is written is not the whole list.
    pub(crate) fn poll_part(&mut self, context: &mut Context<'_>) -> Poll<Result<(), StoreError>> {
        let part = match ready!(self.listing.as_mut().poll_next(context)) {
            Some(part) => part?,
            None => {
                let cause = "a list ended without its total".to_owned();
                return Poll::Ready(Err(StoreError::Internal(cause)));
            }
        };
        self.complete = matches!(part, Part::Total(_));
        Poll::Ready(self.document.write(&part))
    }

    /// Whether the document is written to its end.
    pub(crate) fn is_complete(&self) -> bool {
        self.complete
    }

    /// How many bytes are written and not yet sent.
    pub(crate) fn held(&self) -> usize {
        self.document.len()
    }

    /// The document, once it is complete.
    pub(crate) fn finish(self) -> Vec<u8> {
        self.document.finish()
    }
}

/// Sends a transfer in chunks. After an error the connection is broken off without the last chunk,
/// so that half a list never looks complete.
impl<L: Declared> MessageBody for Transfer<L> {
    type Error = StoreError;

    fn size(&self) -> BodySize {
        BodySize::Stream
    }

    fn poll_next(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, StoreError>>> {
        let transfer = self.get_mut();
        while transfer.pending.is_empty() {
            if transfer.document.len() > 0 {
                transfer.pending = transfer.document.take().into();
            } else if transfer.complete {
                return Poll::Ready(None);
            } else if let Err(error) = ready!(transfer.poll_part(context)) {
                return Poll::Ready(Some(Err(error)));
            }
        }
        let length = transfer.pending.len().min(CHUNK);
        Poll::Ready(Some(Ok(transfer.pending.split_to(length))))
    }
}
