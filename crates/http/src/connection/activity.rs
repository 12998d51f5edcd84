//! The state that a connection shares with the app that answers its requests.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use actix_http::{ConnectionType, RequestHead};

use super::open::Place;

/// The state of one connection.
#[derive(Default)]
pub(crate) struct Activity {
    /// Incremented at the start and the end of each request.
    changes: Cell<u64>,
    /// The number of requests that the app is answering.
    working: Cell<u32>,
    /// Whether the body of a response is being streamed.
    streaming: Cell<bool>,
    /// Whether the streamed response ends with the connection instead of a last chunk.
    until_close: Cell<bool>,
    /// Whether later requests on the connection are ignored.
    closing: Cell<bool>,
    /// Whether bytes of the client are still to be drained before the connection closes.
    unread: Cell<bool>,
    /// Bytes of the body of this request that the app has read.
    body: Cell<u64>,
    /// Whether the app waits for more bytes of the body.
    awaits_body: Cell<bool>,
    /// Wakes the reader of the connection, when it waits for the app.
    reader: RefCell<Option<Waker>>,
    /// Whether the body has too much chunk overhead.
    excess_overhead: Cell<bool>,
    /// Whether the client waits for `100 Continue`. actix writes it before the checks, which is too soon.
    awaits_continue: Cell<bool>,
    /// Whether `100 Continue` has to be sent, because the body is going to be read.
    continue_due: Cell<bool>,
    /// Whether the body of this request was asked for.
    body_expected: Cell<bool>,
    /// Why the connection is aborted, if it is.
    abort_reason: Cell<Option<AbortReason>>,
    /// Whether the body of this request is read without a user.
    is_anonymous: Cell<bool>,
    /// The place of the connection, which others may need.
    place: Arc<Place>,
}

/// Why a connection is aborted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AbortReason {
    /// The client closed the connection or its sending half.
    ClientLeft,
    /// The client read too little of its response for too long.
    ClientTooSlow,
}

/// Marks a request as being answered by the app until dropped.
pub(crate) struct InProgress(Rc<Activity>);

impl Activity {
    /// A new connection.
    pub(super) fn new(place: Arc<Place>) -> Self {
        Self { place, ..Self::default() }
    }

    /// Starts a request. `None` when an earlier request or its response had `Connection: close`:
    /// this request must not be executed.
    pub(crate) fn begin(self: &Rc<Self>, head: &RequestHead) -> Option<InProgress> {
        if self.closing.get() {
            self.unread.set(true);
            return None;
        }
        self.place.be_busy();
        self.is_anonymous.set(false);
        self.closing.set(head.connection_type() != ConnectionType::KeepAlive);
        self.body.set(0);
        self.awaits_body.set(false);
        self.excess_overhead.set(false);
        self.awaits_continue.set(head.expect());
        self.body_expected.set(false);
        self.changes.set(self.changes.get().wrapping_add(1));
        self.working.set(self.working.get().saturating_add(1));
        Some(InProgress(Rc::clone(self)))
    }

    /// Whether requests after the current one are ignored.
    pub(crate) const fn is_closing(&self) -> bool {
        self.closing.get()
    }

    /// Whether the current response is the last one of the connection.
    pub(crate) fn is_last(&self) -> bool {
        self.is_closing() || self.is_over_limit() || self.place.is_evicted()
    }

    /// Ready when others need the place of this connection, which waits for its client.
    pub(super) fn poll_evicted(&self, context: &Context<'_>) -> Poll<()> {
        let evicted = self.place.poll_evicted(context);
        let awaits_anonymous = self.is_anonymous.get() && self.awaits_body();
        if self.is_busy() && !awaits_anonymous { Poll::Pending } else { evicted }
    }

    /// Everything is written.
    pub(super) fn note_flushed(&self) {
        if !self.is_busy() {
            self.place.be_idle();
        }
    }

    /// Ignores later requests from now on. `unread`: a part of the current request is not read,
    /// and has to be drained.
    pub(crate) fn close(&self, unread: bool) {
        self.closing.set(true);
        self.unread.set(self.unread.get() || unread);
    }

    /// Whether the connection was accepted above the limit.
    pub(crate) fn is_over_limit(&self) -> bool {
        self.place.is_spare()
    }

    /// Records that the body of the request is read without a user.
    pub(crate) fn note_anonymous(&self) {
        self.is_anonymous.set(true);
    }

    /// Announces that the body of the request will be read: a client that waits for `100 Continue`
    /// gets it. A body that was read before, for its `Idempotency-Key`, is not asked for again.
    pub(crate) fn expect_body(&self) {
        if !self.body_expected.replace(true) {
            self.continue_due.set(self.awaits_continue.get());
        }
    }

    /// Counts bytes of the body that the app has read.
    pub(crate) fn count_body(&self, bytes: usize) {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.body.set(self.body.get().saturating_add(bytes));
    }

    /// Records whether the app waits for more bytes of the body.
    pub(crate) fn await_body(&self, waits: bool) {
        self.awaits_body.set(waits);
        if waits {
            self.wake_reader();
            if self.is_anonymous.get() {
                self.place.be_idle();
            }
        } else {
            self.place.be_busy();
        }
    }

    /// Whether the app waits for more bytes of the body.
    pub(super) const fn awaits_body(&self) -> bool {
        self.awaits_body.get()
    }

    /// Wakes the task of `reader` when the app waits for the body, or has answered.
    pub(super) fn wake_later(&self, reader: &Waker) {
        self.reader.replace(Some(reader.clone()));
    }

    fn wake_reader(&self) {
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
    }

    /// Whether the body has too much chunk overhead and is not read further.
    pub(crate) const fn has_excess_overhead(&self) -> bool {
        self.excess_overhead.get()
    }

    /// Records that the body has too much chunk overhead.
    pub(super) fn note_excess_overhead(&self) {
        self.excess_overhead.set(true);
        self.close(true);
    }

    /// Starts streaming a response. `until_close`: the response ends with the connection.
    pub(crate) fn begin_stream(&self, until_close: bool) {
        self.streaming.set(true);
        self.until_close.set(until_close);
    }

    /// Ends streaming, complete or not.
    pub(crate) fn end_stream(&self) {
        self.streaming.set(false);
        self.wake_reader();
    }

    /// Why the connection is aborted, if it is.
    pub(crate) const fn abort_reason(&self) -> Option<AbortReason> {
        self.abort_reason.get()
    }

    /// Aborts the connection. Keeps the first reason.
    pub(super) fn abort(&self, reason: AbortReason) {
        self.abort_reason.set(self.abort_reason.get().or(Some(reason)));
    }

    pub(super) const fn changes(&self) -> u64 {
        self.changes.get()
    }

    pub(super) const fn is_working(&self) -> bool {
        self.working.get() > 0
    }

    /// Whether a request is being answered or its response is being streamed.
    pub(super) const fn is_busy(&self) -> bool {
        self.is_working() || self.streaming.get()
    }

    /// Whether the app has finished the last response of the connection. actix may still have to
    /// write the rest of it.
    pub(super) const fn is_over(&self) -> bool {
        self.closing.get() && !self.is_busy()
    }

    pub(super) const fn has_unread(&self) -> bool {
        self.unread.get()
    }

    pub(super) const fn body(&self) -> u64 {
        self.body.get()
    }

    pub(super) const fn is_until_close(&self) -> bool {
        self.until_close.get()
    }

    pub(super) const fn awaits_continue(&self) -> bool {
        self.awaits_continue.get()
    }

    pub(super) fn take_continue_due(&self) -> bool {
        self.continue_due.take()
    }
}

impl Drop for InProgress {
    fn drop(&mut self) {
        let Self(activity) = self;
        activity.changes.set(activity.changes.get().wrapping_add(1));
        activity.working.set(activity.working.get().saturating_sub(1));
        // No `100 Continue` may follow the response.
        activity.continue_due.set(false);
        activity.awaits_body.set(false);
        activity.wake_reader();
    }
}
