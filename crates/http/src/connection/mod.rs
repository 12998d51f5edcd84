//! Connections with time limits.
//!
//! The stream of a connection enforces what actix-web does not: the time for a head to arrive,
//! the least pace at which a client reads, when a client counts as disconnected, that no request
//! is executed after `Connection: close`, the maximum overhead of a chunked body, and when
//! `100 Continue` is sent.

mod accepted;
mod activity;
mod open;
mod pace;
mod rejection;
mod start;
mod stream;

use std::{
    future::Future,
    io, mem,
    net::SocketAddr,
    pin::Pin,
    rc::Rc,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::{Buf, BytesMut};
use socket2::SockRef;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep_until},
};

pub(crate) use accepted::Accepted;
pub(crate) use activity::{AbortReason, Activity};
pub use open::SPARE;
pub(crate) use open::{OpenConnection, OpenConnections};
use pace::Pace;
use rejection::RejectReason;
pub(crate) use rejection::RejectionWriter;
use start::Start;
use stream::Stream;

/// The period in which a client has to read the bytes that [`Pace`] requires.
const PERIOD: Duration = Duration::from_secs(60);

/// How long closing may take after the last response. Until then bytes of the client are read and
/// dropped: otherwise the system resets the connection, and the client may not see the response.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// The maximum number of bytes that are dropped at the end of a connection.
const MAX_DROPPED: u64 = 64 << 20;

/// The number of bytes to drop at a time.
const DROPPED_AT_ONCE: usize = 8 * 1024;

/// The maximum number of bytes of a request besides the data of its body: chunk sizes, chunk
/// extensions, trailers, and bytes that actix has buffered.
const MAX_OVERHEAD: u64 = 512 << 10;

/// The maximum number of received bytes for each byte of the body, besides [`MAX_OVERHEAD`]. A
/// chunk of one byte takes six.
const OVERHEAD_FACTOR: u64 = 8;

/// The most bytes that are read while the app answers a request and does not wait for its body. It
/// is what actix keeps for the app at most.
const READ_AHEAD: usize = 32 << 10;

/// The spare bytes of its buffer below which actix enlarges it.
const LEAST_SPARE: usize = 1024;

/// The bytes of a head after which actix has to try whether the head is complete.
const HEAD_AT_ONCE: usize = 4 << 10;

/// The line that actix writes before it calls the app.
const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// A connection with time limits. A head that does not arrive completely in time gets 408; a client
/// that does not read its response is disconnected.
pub(crate) struct Connection {
    stream: Stream,
    peer: Option<SocketAddr>,
    head_timeout: Duration,
    activity: Rc<Activity>,
    rejection_writer: Rc<RejectionWriter>,
    /// The value of [`Activity::changes`] when `since` and `received` were set.
    seen_changes: u64,
    /// The start of the time limit for the current head.
    since: Option<Instant>,
    /// Bytes that have arrived since a request last started or ended.
    received: u64,
    /// Bytes that were read since the app last waited for them.
    ahead: usize,
    /// Bytes that were read since the last `Pending`, after which actix empties its buffer.
    held: usize,
    /// Created once and reset only when it fires, so that a busy connection seldom sets a timer.
    timer: Option<Pin<Box<Sleep>>>,
    pace: Pace,
    /// Bytes that the connection itself sends, in addition to those of actix.
    own_bytes: BytesMut,
    /// Whether a response that actix wrote by itself is being replaced.
    is_replacing: bool,
    /// The progress of closing after the last response.
    close_state: CloseState,
    _open: OpenConnection,
}

/// The progress of closing a connection.
enum CloseState {
    /// The connection is open.
    Open,
    /// The sending half is closed; `dropped` bytes of the client were discarded since then.
    Draining { until: Instant, dropped: u64 },
    /// The connection is closed.
    Done,
}

impl Connection {
    /// A connection that waits up to the timeout of `start` for each head.
    fn new(stream: Stream, start: Start) -> Self {
        let Start { peer, since, head_timeout, open, rejection_writer } = start;
        Self {
            stream,
            peer,
            head_timeout,
            activity: Rc::new(Activity::new(Arc::clone(open.place()))),
            rejection_writer,
            seen_changes: 0,
            since: Some(since),
            received: 0,
            ahead: 0,
            held: 0,
            timer: None,
            pace: Pace::new(PERIOD, head_timeout),
            own_bytes: BytesMut::new(),
            is_replacing: false,
            close_state: CloseState::Open,
            _open: open,
        }
    }

    /// The state shared with the app.
    pub(crate) fn activity(&self) -> Rc<Activity> {
        Rc::clone(&self.activity)
    }

    /// The address of the client.
    pub(crate) const fn peer(&self) -> Option<SocketAddr> {
        self.peer
    }

    /// Returns `written`, the result of a write, a flush or a shutdown. While it is pending, fails
    /// when the client reads too slowly or has disconnected.
    fn watch_pace<T>(
        &mut self,
        written: Poll<io::Result<T>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        let accepted = self.stream.take_accepted();
        if accepted > 0 {
            self.pace.note_read(accepted);
        }
        match written {
            // The client may have closed only its sending half, so bytes that fit into the system's
            // buffers are still sent.
            Poll::Pending if self.activity.abort_reason() == Some(AbortReason::ClientLeft) => {
                Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()))
            }
            Poll::Pending => self.pace.poll_too_slow(context).map(|()| {
                self.activity.abort(AbortReason::ClientTooSlow);
                Err(io::ErrorKind::TimedOut.into())
            }),
            Poll::Ready(done) => Poll::Ready(done),
        }
    }

    /// Resets `since` and `received` when a request has started or ended since the last call.
    fn reset_on_change(&mut self) {
        let change = self.activity.changes();
        if change != self.seen_changes {
            self.seen_changes = change;
            self.since = None;
            self.received = 0;
            self.ahead = 0;
        }
    }

    /// Reads from the stream, so that actix buffers little. By itself it reads until nothing more has
    /// arrived, up to 128 KiB, before it hands anything to the app, and never shrinks its buffer.
    /// `Pending` makes it hand over what it has; the task is woken when it is to read on.
    fn poll_stream(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.reset_on_change();
        if self.activity.awaits_body() || !self.activity.is_busy() {
            self.ahead = 0;
        }
        if self.ahead >= READ_AHEAD {
            self.activity.wake_later(context.waker());
            return Poll::Pending;
        }
        let held = mem::take(&mut self.held);
        let spare = buffer.remaining();
        let mut stream = Pin::new(&mut self.stream);
        let read = if !self.activity.is_working() && held < HEAD_AT_ONCE {
            let before = buffer.filled().len();
            ready!(stream.poll_read(context, buffer))?;
            buffer.filled().len() - before
        } else {
            // actix enlarges a buffer with less than `LEAST_SPARE` left, unless it holds less.
            let most = spare.saturating_sub(LEAST_SPARE).max(spare.saturating_sub(held) / 2);
            if most == 0 {
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            let mut part = ReadBuf::new(buffer.initialize_unfilled_to(most));
            ready!(stream.as_mut().poll_read(context, &mut part))?;
            let read = part.filled().len();
            buffer.advance(read);
            read
        };
        self.held = held.saturating_add(read);
        self.ahead = self.ahead.saturating_add(read);
        Poll::Ready(Ok(()))
    }

    /// Counts bytes that have arrived. Returns whether the overhead is too large for the part of the
    /// body that was read.
    fn count_received(&mut self, bytes: usize) -> bool {
        self.reset_on_change();
        self.since.get_or_insert_with(Instant::now);
        self.received = self.received.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX));
        let allowed = self.activity.body().saturating_mul(OVERHEAD_FACTOR);
        self.activity.is_working() && self.received > allowed.saturating_add(MAX_OVERHEAD)
    }

    /// Ready when a head takes too long to arrive.
    fn poll_head_timeout(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.reset_on_change();
        loop {
            let Some(since) = self.since else { return Poll::Pending };
            let deadline = since + self.head_timeout;
            let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
            ready!(timer.as_mut().poll(context));
            let now = Instant::now();
            if self.activity.is_busy() {
                // The app limits the time of a body. Bytes after it may be the start of the
                // next head, whose time starts after the response.
                self.since = Some(now);
                timer.as_mut().reset(now + self.head_timeout);
            } else if now >= deadline {
                return Poll::Ready(());
            } else {
                timer.as_mut().reset(deadline);
            }
        }
    }

    /// Replaces a response that actix wrote by itself. Returns whether `bytes` are such a response.
    fn replace_bare_response(&mut self, bytes: &[u8]) -> bool {
        if self.activity.is_working() {
            return false;
        }
        let Some(reason) = RejectReason::recognise(bytes) else { return false };
        // After the last response nothing may be sent, not even an error.
        if !self.activity.is_closing() {
            self.refuse(reason);
        }
        self.activity.close(true);
        true
    }

    fn refuse(&mut self, reason: RejectReason) {
        self.own_bytes.extend_from_slice(&self.rejection_writer.write_response(reason, self.peer));
        self.activity.close(true);
    }

    /// Sends `own_bytes`.
    fn poll_own_bytes(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.own_bytes.is_empty() {
            let written = Pin::new(&mut self.stream).poll_write(context, &self.own_bytes);
            let written = ready!(self.watch_pace(written, context))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.own_bytes.advance(written);
        }
        Poll::Ready(Ok(()))
    }

    /// Sends the last bytes and closes the sending half. If bytes of the client are unread, also
    /// drains them, so that the client can read the last response.
    fn poll_close(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            match self.close_state {
                CloseState::Open => {
                    ready!(self.poll_own_bytes(context))?;
                    let shut = Pin::new(&mut self.stream).poll_shutdown(context);
                    ready!(self.watch_pace(shut, context))?;
                    let left = self.activity.abort_reason().is_some();
                    self.close_state = if self.activity.has_unread() && !left {
                        CloseState::Draining { until: Instant::now() + CLOSE_TIMEOUT, dropped: 0 }
                    } else {
                        CloseState::Done
                    };
                }
                CloseState::Draining { until, dropped } => {
                    ready!(self.poll_drain(context, until, dropped));
                    self.close_state = CloseState::Done;
                }
                CloseState::Done => return Poll::Ready(Ok(())),
            }
        }
    }

    /// Reads and drops bytes of the client until the client has closed the connection, at the
    /// latest at `until` or after [`MAX_DROPPED`] bytes.
    fn poll_drain(
        &mut self,
        context: &mut Context<'_>,
        until: Instant,
        mut dropped: u64,
    ) -> Poll<()> {
        let mut scratch = [0; DROPPED_AT_ONCE];
        loop {
            let mut buffer = ReadBuf::new(&mut scratch);
            match Pin::new(&mut self.stream).poll_read(context, &mut buffer) {
                Poll::Ready(Ok(())) if !buffer.filled().is_empty() => {
                    let bytes = u64::try_from(buffer.filled().len()).unwrap_or(u64::MAX);
                    dropped = dropped.saturating_add(bytes);
                    if dropped > MAX_DROPPED || Instant::now() >= until {
                        return Poll::Ready(());
                    }
                }
                Poll::Ready(_) => return Poll::Ready(()),
                Poll::Pending if self.activity.poll_evicted(context).is_ready() => {
                    return Poll::Ready(());
                }
                Poll::Pending => {
                    self.close_state = CloseState::Draining { until, dropped };
                    let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(until)));
                    if timer.deadline() != until {
                        timer.as_mut().reset(until);
                    }
                    return timer.as_mut().poll(context);
                }
            }
        }
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let connection = self.get_mut();
        // For actix this is the end of the input: it writes the rest of the response and closes.
        if connection.activity.is_over() {
            return Poll::Ready(Ok(()));
        }
        // No more bytes are read: the app's read of this body fails, and the connection is closed
        // after the response.
        if connection.activity.has_excess_overhead() {
            return Poll::Pending;
        }
        let before = buffer.filled().len();
        let has_arrived = connection.held > 0;
        match connection.poll_stream(context, buffer) {
            Poll::Pending if connection.activity.poll_evicted(context).is_ready() => {
                // What has just arrived may be a whole request, which begins before the next call.
                if has_arrived {
                    context.waker().wake_by_ref();
                    return Poll::Pending;
                }
                connection.activity.close(false);
                Poll::Ready(Ok(()))
            }
            Poll::Pending => {
                ready!(connection.poll_head_timeout(context));
                connection.refuse(RejectReason::Late);
                Poll::Ready(Ok(()))
            }
            Poll::Ready(Ok(())) => {
                let bytes = buffer.filled().len() - before;
                if bytes == 0 {
                    connection.activity.abort(AbortReason::ClientLeft);
                } else if connection.count_received(bytes) {
                    buffer.set_filled(before);
                    connection.activity.note_excess_overhead();
                    context.waker().wake_by_ref();
                    return Poll::Pending;
                }
                Poll::Ready(Ok(()))
            }
            failed => failed,
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let connection = self.get_mut();
        if connection.activity.awaits_continue() && bytes.starts_with(CONTINUE) {
            return Poll::Ready(Ok(CONTINUE.len()));
        }
        if connection.is_replacing || connection.replace_bare_response(bytes) {
            // actix drops the connection after this response, so it is closed first.
            connection.is_replacing = true;
            ready!(connection.poll_close(context))?;
            return Poll::Ready(Ok(bytes.len()));
        }
        ready!(connection.poll_own_bytes(context))?;
        let written = Pin::new(&mut connection.stream).poll_write(context, bytes);
        connection.watch_pace(written, context)
    }

    /// actix calls this when everything is written.
    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let connection = self.get_mut();
        if connection.activity.take_continue_due() {
            connection.own_bytes.extend_from_slice(CONTINUE);
        }
        ready!(connection.poll_own_bytes(context))?;
        let flushed = Pin::new(&mut connection.stream).poll_flush(context);
        ready!(connection.watch_pace(flushed, context))?;
        connection.pace.note_idle();
        connection.activity.note_flushed();
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().poll_close(context)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let cut_off = self.activity.is_until_close()
            && (self.activity.is_busy() || matches!(self.close_state, CloseState::Open));
        if cut_off || self.activity.abort_reason() == Some(AbortReason::ClientTooSlow) {
            // A reset instead of a proper end: an incomplete response must not look complete, and
            // the system must not keep bytes that the client never reads. An error means that the
            // connection is already gone.
            let _ = SockRef::from(self.stream.tcp()).set_linger(Some(Duration::ZERO));
        }
    }
}

#[cfg(test)]
mod tests;
