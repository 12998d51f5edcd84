//! Connections that do not wait for ever.
//!
//! actix leaves some things about a connection to its stream, and they are decided here: how long a
//! head may take to arrive and an answer to be taken, when a client has left, that nothing follows
//! `Connection: close`, how much a chunked body may carry besides its data, and when
//! `100 Continue` is sent.

mod activity;
mod open;
mod pace;
mod refusal;

use std::{
    future::Future,
    io,
    net::SocketAddr,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, ready},
    time::Duration,
};

use actix_web::rt::net::TcpStream;
use bytes::{Buf, BytesMut};
use socket2::SockRef;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep_until},
};

pub(crate) use activity::{Activity, Ending};
pub use open::SPARE;
pub(crate) use open::{OpenConnection, OpenConnections};
use pace::Pace;
use refusal::Refusal;
pub(crate) use refusal::Refuser;

/// In which time a client has to take what [`Pace`] asks for.
const PERIOD: Duration = Duration::from_secs(60);

/// How long a connection may take to go away once its last answer is written. Meanwhile what the
/// client still sends is read and dropped: else the system resets the connection, and the client
/// may never see the answer.
const CLOSE_PATIENCE: Duration = Duration::from_secs(5);

/// Most bytes that are read and dropped at the end of a connection.
const MOST_DROPPED: u64 = 64 << 20;

/// Bytes that are read and dropped at a time.
const DROPPED_AT_ONCE: usize = 8 * 1024;

/// What may arrive during a request besides the data of its body: chunk sizes, chunk extensions,
/// trailers, and what actix has buffered and not handed on yet.
const MOST_OVERHEAD: u64 = 512 << 10;

/// Bytes on the wire for each byte of data. A chunk of one byte, the smallest, takes six.
const OVERHEAD_FACTOR: u64 = 8;

/// What actix writes before it calls the pipeline.
const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// A connection on which a head that has begun to arrive has to be whole within a time. One that is
/// not gets 408. One whose client does not take what waits for it fails.
pub(crate) struct Connection {
    stream: TcpStream,
    peer: Option<SocketAddr>,
    patience: Duration,
    activity: Rc<Activity>,
    refuser: Rc<Refuser>,
    /// The change of the activity in which `since` and `received` were noted.
    change: u64,
    /// Since when a head is on its way.
    since: Option<Instant>,
    /// Bytes that have arrived since the request began.
    received: u64,
    /// Made once and set again only when it fires, so that a busy connection seldom touches it.
    timer: Option<Pin<Box<Sleep>>>,
    pace: Pace,
    /// What the connection itself has to say to the client.
    own: BytesMut,
    /// Whether an answer of actix is being replaced.
    refused: bool,
    /// How far the connection has been closed after its last answer.
    close_state: CloseState,
    _open: OpenConnection,
}

/// How far a connection has been closed.
enum CloseState {
    /// Not at all.
    Open,
    /// The sending half is closed; this many bytes from the client were dropped since.
    Draining { until: Instant, dropped: u64 },
    /// Completely.
    Done,
}

impl Connection {
    /// Waits for heads no longer than `patience`, and for the first from now on.
    pub(crate) fn new(
        stream: TcpStream,
        patience: Duration,
        open: OpenConnection,
        refuser: Rc<Refuser>,
    ) -> Self {
        Self {
            peer: stream.peer_addr().ok(),
            stream,
            patience,
            activity: Rc::new(Activity::new(open.unserved(), open.is_over_limit())),
            refuser,
            change: 0,
            since: Some(Instant::now()),
            received: 0,
            timer: None,
            pace: Pace::new(PERIOD, patience),
            own: BytesMut::new(),
            refused: false,
            close_state: CloseState::Open,
            _open: open,
        }
    }

    /// What the connection and the pipeline tell each other.
    pub(crate) fn activity(&self) -> Rc<Activity> {
        Rc::clone(&self.activity)
    }

    /// The address of the client.
    pub(crate) const fn peer(&self) -> Option<SocketAddr> {
        self.peer
    }

    /// Watches how fast what is written is taken.
    fn poll_taken(
        &mut self,
        written: Poll<io::Result<usize>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        match written {
            // What fits into the buffers of the system still goes out, in case that the client has
            // only closed its half.
            Poll::Pending if self.activity.ending() == Some(Ending::ClientLeft) => {
                Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()))
            }
            Poll::Pending => self.pace.poll_stuck(context).map(|()| {
                self.activity.end(Ending::ClientTooSlow);
                Err(io::ErrorKind::TimedOut.into())
            }),
            Poll::Ready(Ok(bytes)) => {
                self.pace.note(bytes);
                Poll::Ready(Ok(bytes))
            }
            failed => failed,
        }
    }

    /// Forgets what belongs to a request that has begun or ended since.
    fn follow(&mut self) {
        let change = self.activity.changes();
        if change != self.change {
            self.change = change;
            self.since = None;
            self.received = 0;
        }
    }

    /// Notes bytes that have arrived. Whether they are too many for the body that they carry.
    fn note_bytes(&mut self, bytes: usize) -> bool {
        self.follow();
        self.since.get_or_insert_with(Instant::now);
        self.received = self.received.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX));
        let carried = self.activity.body().saturating_mul(OVERHEAD_FACTOR);
        self.activity.is_working() && self.received > carried.saturating_add(MOST_OVERHEAD)
    }

    /// Ready when a head has been on its way for too long.
    fn poll_overdue(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.follow();
        loop {
            let Some(since) = self.since else { return Poll::Pending };
            let deadline = since + self.patience;
            let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
            ready!(timer.as_mut().poll(context));
            let now = Instant::now();
            if self.activity.is_busy() {
                // The time of a body is the pipeline's matter. What arrives behind it may be the
                // beginning of the next head, whose time runs once the answer is sent.
                self.since = Some(now);
                timer.as_mut().reset(now + self.patience);
            } else if now >= deadline {
                return Poll::Ready(());
            } else {
                timer.as_mut().reset(deadline);
            }
        }
    }

    /// Replaces an answer that actix made by itself. Whether it did so.
    fn replace(&mut self, bytes: &[u8]) -> bool {
        if self.activity.is_working() {
            return false;
        }
        let Some(refusal) = Refusal::written_in(bytes) else { return false };
        // After the last answer nothing may follow, not even a refusal.
        if !self.activity.is_closing() {
            self.refuse(refusal);
        }
        self.activity.close(true);
        true
    }

    fn refuse(&mut self, refusal: Refusal) {
        self.own.extend_from_slice(&self.refuser.answer(refusal, self.peer));
        self.activity.close(true);
    }

    /// Writes what the connection itself has to say.
    fn poll_own(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.own.is_empty() {
            let written = Pin::new(&mut self.stream).poll_write(context, &self.own);
            let written = ready!(self.poll_taken(written, context))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.own.advance(written);
        }
        Poll::Ready(Ok(()))
    }

    /// Tells the client that nothing follows, and waits until it has seen the last answer.
    fn poll_close(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            match self.close_state {
                CloseState::Open => {
                    ready!(self.poll_own(context))?;
                    ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
                    let left = self.activity.ending().is_some();
                    self.close_state = if self.activity.has_unread() && !left {
                        CloseState::Draining { until: Instant::now() + CLOSE_PATIENCE, dropped: 0 }
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

    /// Reads and drops what the client still sends, until it has closed the connection as well.
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
                    if dropped > MOST_DROPPED || Instant::now() >= until {
                        return Poll::Ready(());
                    }
                }
                Poll::Ready(_) => return Poll::Ready(()),
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
        // To actix the end of what the client sends: it writes the rest of the answer and closes.
        if connection.activity.is_over() {
            return Poll::Ready(Ok(()));
        }
        // The body's reader fails, and the connection ends with the answer.
        if connection.activity.is_overrun() {
            return Poll::Pending;
        }
        let before = buffer.filled().len();
        match Pin::new(&mut connection.stream).poll_read(context, buffer) {
            Poll::Pending => {
                ready!(connection.poll_overdue(context));
                connection.refuse(Refusal::Late);
                Poll::Ready(Ok(()))
            }
            Poll::Ready(Ok(())) => {
                let bytes = buffer.filled().len() - before;
                if bytes == 0 {
                    connection.activity.end(Ending::ClientLeft);
                } else if connection.note_bytes(bytes) {
                    buffer.set_filled(before);
                    connection.activity.overrun();
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
        if connection.activity.has_early_continue() && bytes.starts_with(CONTINUE) {
            return Poll::Ready(Ok(CONTINUE.len()));
        }
        if connection.refused || connection.replace(bytes) {
            // After this answer actix drops the connection, so it is wound up before.
            connection.refused = true;
            ready!(connection.poll_close(context))?;
            return Poll::Ready(Ok(bytes.len()));
        }
        ready!(connection.poll_own(context))?;
        let written = Pin::new(&mut connection.stream).poll_write(context, bytes);
        connection.poll_taken(written, context)
    }

    /// Called by actix once everything is written.
    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let connection = self.get_mut();
        if connection.activity.take_wanted_continue() {
            connection.own.extend_from_slice(CONTINUE);
        }
        ready!(connection.poll_own(context))?;
        connection.pace.rest();
        Pin::new(&mut connection.stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().poll_close(context)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let cut_off = self.activity.is_until_close()
            && (self.activity.is_busy() || matches!(self.close_state, CloseState::Open));
        if cut_off || self.activity.ending() == Some(Ending::ClientTooSlow) {
            // A reset instead of a proper end: half an answer must not look complete, and the system
            // does not keep what such a client never takes. If it fails, the connection is gone.
            let _ = SockRef::from(&self.stream).set_linger(Some(Duration::ZERO));
        }
    }
}

#[cfg(test)]
mod tests;
