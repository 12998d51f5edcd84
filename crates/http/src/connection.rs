//! Connections that do not wait for ever.
//!
//! actix bounds the time of the first request's head and lets every later one on the same
//! connection take as long as it likes, once its first byte is there. So the time is kept here,
//! where the bytes come in; and so is that of a client that does not take its answer, which nothing
//! bounds otherwise.

mod pace;

use std::{
    cell::Cell,
    future::Future,
    io,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll},
    time::Duration,
};

use actix_web::rt::net::TcpStream;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep_until},
};

use pace::Pace;

/// In which time a client has to take what [`Pace`] asks for.
const PERIOD: Duration = Duration::from_secs(60);

/// What the pipeline tells a connection: when a request begins and ends.
#[derive(Default)]
pub(crate) struct Activity {
    /// Rises with every beginning and every end.
    turns: Cell<u64>,
    /// Requests that are being worked on. Their bodies have a time of their own.
    working: Cell<u32>,
}

/// A request that is being worked on, until this is dropped.
pub(crate) struct Turn(Rc<Activity>);

impl Activity {
    /// A request's head has arrived.
    pub(crate) fn begin(self: &Rc<Self>) -> Turn {
        self.turns.set(self.turns.get().wrapping_add(1));
        self.working.set(self.working.get().saturating_add(1));
        Turn(Rc::clone(self))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let Self(activity) = self;
        activity.turns.set(activity.turns.get().wrapping_add(1));
        activity.working.set(activity.working.get().saturating_sub(1));
    }
}

/// A connection on which a head that has begun to arrive has to be whole within a time. One that is
/// not looks as if the client had closed it. One whose client does not take what waits for it fails.
pub(crate) struct Connection {
    stream: TcpStream,
    patience: Duration,
    activity: Rc<Activity>,
    /// The turn in which `since` was noted.
    turn: u64,
    /// When the first byte of this turn arrived.
    since: Option<Instant>,
    /// Made once and set again only when it fires, so that a busy connection seldom touches it.
    timer: Option<Pin<Box<Sleep>>>,
    pace: Pace,
}

impl Connection {
    /// Waits for heads no longer than `patience`.
    pub(crate) fn new(stream: TcpStream, patience: Duration) -> Self {
        let activity = Rc::new(Activity::default());
        let pace = Pace::new(PERIOD);
        Self { stream, patience, activity, turn: 0, since: None, timer: None, pace }
    }

    /// Where the pipeline tells what it does.
    pub(crate) fn activity(&self) -> Rc<Activity> {
        Rc::clone(&self.activity)
    }

    /// Watches how fast what is written is taken.
    fn poll_taken(
        &mut self,
        written: Poll<io::Result<usize>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        match written {
            Poll::Pending => {
                self.pace.poll_stuck(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
            }
            Poll::Ready(Ok(bytes)) => {
                self.pace.note(bytes);
                Poll::Ready(Ok(bytes))
            }
            failed => failed,
        }
    }

    fn note_bytes(&mut self) {
        self.follow();
        self.since.get_or_insert_with(Instant::now);
    }

    /// Forgets what belongs to a request that has arrived since.
    fn follow(&mut self) {
        let turn = self.activity.turns.get();
        if turn != self.turn {
            self.turn = turn;
            self.since = None;
        }
    }

    /// Ready when a head has been on its way for too long.
    fn poll_overdue(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.follow();
        loop {
            let Some(since) = self.since else { return Poll::Pending };
            let deadline = since + self.patience;
            let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
            if timer.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            if self.activity.working.get() > 0 {
                // A body is read, or an answer worked out; the next head begins a new turn.
                self.since = None;
            } else if Instant::now() >= deadline {
                return Poll::Ready(());
            } else {
                timer.as_mut().reset(deadline);
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
        let before = buffer.filled().len();
        match Pin::new(&mut connection.stream).poll_read(context, buffer) {
            Poll::Pending => connection.poll_overdue(context).map(Ok),
            ready => {
                if buffer.filled().len() > before {
                    connection.note_bytes();
                }
                ready
            }
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.poll_taken(written, context)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        // Asked for once everything is written.
        self.pace.rest();
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.poll_taken(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests;
