//! Streams a list from the store to the client, at the client's pace.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use actix_web::body::{BodySize, MessageBody};
use bytes::Bytes;
use patrol_domain::{
    StoreError,
    list::{Listing, Part},
};

use super::{
    declaration::{ListDeclaration, RowContext},
    document::{Document, Form},
    parse::Echo,
};
use crate::request_limit::RequestPermit;

/// A list in transfer from the store to the client.
///
/// actix pulls the chunks, so a client that reads slowly slows the query down, and a client that
/// disconnects cancels the query.
pub(crate) struct Transfer<L: ListDeclaration> {
    listing: Listing<L::Item>,
    document: Document<L>,
    /// Bytes taken from the document and not sent yet.
    pending: Bytes,
    complete: bool,
    /// Released when the list is sent or cancelled.
    _permit: Option<RequestPermit>,
}

/// The maximum number of bytes of one chunk. A connection copies each chunk into a buffer that
/// keeps the size of the largest one.
const CHUNK: usize = 256 * 1024;

impl<L: ListDeclaration> Transfer<L> {
    /// A transfer with a buffer of at most `capacity` bytes.
    ///
    /// # Errors
    /// `Internal` when the document cannot be begun.
    pub(crate) fn new(
        listing: Listing<L::Item>,
        form: Form,
        echo: Echo,
        context: RowContext,
        capacity: usize,
        permit: Option<RequestPermit>,
    ) -> Result<Self, StoreError> {
        let document = Document::new(form, echo, context, capacity)?;
        Ok(Self { listing, document, pending: Bytes::new(), complete: false, _permit: permit })
    }

    /// Writes the next rows; ready when some were written.
    ///
    /// # Errors
    /// When the store fails or ends without the total: the written list is incomplete.
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

    /// Whether the document is complete.
    pub(crate) fn is_complete(&self) -> bool {
        self.complete
    }

    /// The number of bytes in the document, without those taken for sending.
    pub(crate) fn buffered(&self) -> usize {
        self.document.len()
    }

    /// The complete document.
    pub(crate) fn finish(self) -> Vec<u8> {
        self.document.finish()
    }
}

/// Sends a transfer in chunks. After an error the connection is aborted without the last chunk, so
/// that an incomplete list never looks complete.
impl<L: ListDeclaration> MessageBody for Transfer<L> {
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
