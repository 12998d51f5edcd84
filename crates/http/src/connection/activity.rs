//! What a connection and the pipeline that answers its requests tell each other.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use actix_http::{ConnectionType, RequestHead};

use super::open::Unserved;

/// The state of one connection.
#[derive(Default)]
pub(crate) struct Activity {
    /// Rises with every beginning and every end of a request.
    changes: Cell<u64>,
    /// Requests whose answer is being worked out.
    working: Cell<u32>,
    /// Whether the body of an answer is being streamed.
    streaming: Cell<bool>,
    /// Whether the answer being streamed ends with the connection and not with a last chunk.
    until_close: Cell<bool>,
    /// Whether nothing more that comes over the connection is carried out.
    closing: Cell<bool>,
    /// Whether bytes of the client are left that are not going to be read.
    unread: Cell<bool>,
    /// Bytes of the body of this request that were handed to the pipeline.
    body: Cell<u64>,
    /// Whether the request carries too much besides the data of its body.
    overrun: Cell<bool>,
    /// Whether actix is going to write `100 Continue` for this request too early.
    early_continue: Cell<bool>,
    /// Whether `100 Continue` has to be sent: the body is wanted.
    wanted_continue: Cell<bool>,
    /// Whether the connection was accepted above the limit.
    over_limit: Cell<bool>,
    /// Why the connection breaks off, once it does.
    ending: Cell<Option<Ending>>,
    /// Held until the first request has begun.
    unserved: RefCell<Option<Unserved>>,
}

/// Why a connection breaks off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ending {
    /// The client closed it, or at least its half of it.
    ClientLeft,
    /// The client took too little of its answer for too long.
    ClientTooSlow,
}

/// A request whose answer is being worked out, until this is dropped.
pub(crate) struct InProgress(Rc<Activity>);

impl Activity {
    /// A connection that has been accepted, above the limit if `over_limit`.
    pub(super) fn new(unserved: Unserved, over_limit: bool) -> Self {
        Self {
            unserved: RefCell::new(Some(unserved)),
            over_limit: Cell::new(over_limit),
            ..Self::default()
        }
    }

    /// The head of a request has arrived. None when an earlier request or its answer said
    /// `Connection: close`: this one is not carried out.
    pub(crate) fn begin(self: &Rc<Self>, head: &RequestHead) -> Option<InProgress> {
        if self.closing.get() {
            self.unread.set(true);
            return None;
        }
        self.unserved.take();
        self.closing.set(head.connection_type() != ConnectionType::KeepAlive);
        self.body.set(0);
        self.overrun.set(false);
        self.early_continue.set(head.expect());
        self.changes.set(self.changes.get().wrapping_add(1));
        self.working.set(self.working.get().saturating_add(1));
        Some(InProgress(Rc::clone(self)))
    }

    /// Whether nothing after the current request is carried out.
    pub(crate) const fn is_closing(&self) -> bool {
        self.closing.get()
    }

    /// From now on nothing more is carried out. `unread`: bytes of the request are left.
    pub(crate) fn close(&self, unread: bool) {
        self.closing.set(true);
        self.unread.set(self.unread.get() || unread);
    }

    /// Whether the connection was accepted above the limit.
    pub(crate) const fn is_over_limit(&self) -> bool {
        self.over_limit.get()
    }

    /// The body of the request is going to be read: a client that waits for `100 Continue` gets it.
    pub(crate) fn want_body(&self) {
        self.wanted_continue.set(self.early_continue.get());
    }

    /// This many bytes of the body were handed to the pipeline.
    pub(crate) fn note_body(&self, bytes: usize) {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.body.set(self.body.get().saturating_add(bytes));
    }

    /// Whether the request carries too much besides the data of its body: it is read no further.
    pub(crate) const fn is_overrun(&self) -> bool {
        self.overrun.get()
    }

    /// The request carries too much besides the data of its body.
    pub(super) fn overrun(&self) {
        self.overrun.set(true);
        self.close(true);
    }

    /// The body of an answer is streamed from now on. `until_close`: its end is the end of the
    /// connection.
    pub(crate) fn begin_stream(&self, until_close: bool) {
        self.streaming.set(true);
        self.until_close.set(until_close);
    }

    /// The whole body was handed over, or never will be.
    pub(crate) fn end_stream(&self) {
        self.streaming.set(false);
    }

    /// Why the connection breaks off.
    pub(crate) const fn ending(&self) -> Option<Ending> {
        self.ending.get()
    }

    /// The connection breaks off; the first reason counts.
    pub(super) fn end(&self, why: Ending) {
        self.ending.set(self.ending.get().or(Some(why)));
    }

    pub(super) const fn changes(&self) -> u64 {
        self.changes.get()
    }

    pub(super) const fn is_working(&self) -> bool {
        self.working.get() > 0
    }

    /// Whether a request is being worked on or its answer streamed.
    pub(super) const fn is_busy(&self) -> bool {
        self.is_working() || self.streaming.get()
    }

    /// Whether the last answer of the connection was handed over.
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

    pub(super) const fn has_early_continue(&self) -> bool {
        self.early_continue.get()
    }

    pub(super) fn take_wanted_continue(&self) -> bool {
        self.wanted_continue.take()
    }
}

impl Drop for InProgress {
    fn drop(&mut self) {
        let Self(activity) = self;
        activity.changes.set(activity.changes.get().wrapping_add(1));
        activity.working.set(activity.working.get().saturating_sub(1));
    }
}
