//! Sends data in parts from a thread to a reader that may be slow or go away.

use std::{
    mem,
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
    time::Instant,
};

use futures_core::Stream;
use patrol_domain::{StoreError, list::PART_BYTES};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use super::{
    error::{Abort, lost},
    interrupt::is_cancelled,
};

/// The minimum size that a part counts for, to limit the number of small parts that wait for a slow
/// reader.
const MIN_BYTES: usize = PART_BYTES / 4;

/// A message of a stream. A stream that closes without `End` or `Failed` was aborted.
enum Message<T> {
    /// A part and its share of the memory budget, which is released when the reader requests the
    /// next part.
    Part(T, Option<OwnedSemaphorePermit>),
    Failed(StoreError),
    End,
}

/// The state that both ends of a stream and its watch share.
struct StreamState {
    /// Whether a row was read from the database since the last check.
    has_row: AtomicBool,
    is_abandoned: AtomicBool,
    /// The bytes that may still be sent.
    free_bytes: Arc<Semaphore>,
}

/// The progress of a stream.
#[derive(Clone)]
pub(super) struct Progress(Arc<StreamState>);

impl Progress {
    /// Whether the reader has gone.
    pub(super) fn is_abandoned(&self) -> bool {
        self.0.is_abandoned.load(Ordering::Relaxed)
    }

    /// Whether a row was read from the database since the last call.
    pub(super) fn take(&self) -> bool {
        self.0.has_row.swap(false, Ordering::Relaxed)
    }
}

/// The sending end of a stream.
pub(crate) struct Sender<T> {
    to: mpsc::UnboundedSender<Message<T>>,
    shared: Arc<StreamState>,
    /// The content of a page so far; `None` for a long list, which is sent as it is read.
    page: Option<Page<T>>,
    /// Until when a long list waits for its reader; `None`: no limit.
    end: Option<Instant>,
}

/// A page is held in memory until it is complete: so its thread never waits for a reader, and the
/// page can restart on another thread. All its parts have at most [`PART_BYTES`] together, unless
/// there is only one.
struct Page<T> {
    parts: Vec<T>,
    bytes: usize,
    is_too_large: bool,
}

impl<T> Page<T> {
    const fn new() -> Self {
        Self { parts: Vec::new(), bytes: 0, is_too_large: false }
    }
}

/// A sender and its stream. A page is sent when it is complete; a long list waits for a slow
/// reader.
pub(super) fn channel<T>(is_page: bool) -> (Sender<T>, Parts<T>) {
    let (to, from) = mpsc::unbounded_channel();
    let shared = Arc::new(StreamState {
        has_row: AtomicBool::new(false),
        is_abandoned: AtomicBool::new(false),
        free_bytes: Arc::new(Semaphore::new(PART_BYTES)),
    });
    let page = is_page.then(Page::new);
    (
        Sender { to, shared: Arc::clone(&shared), page, end: None },
        Parts { state: State::Running(from), shared, taken: None },
    )
}

impl<T> Sender<T> {
    /// Sends the next part of about `bytes` bytes. A long list waits when the reader is slow; a
    /// page keeps the part until it is complete.
    ///
    /// # Errors
    /// When the list is cancelled, or a page becomes too large.
    pub(crate) fn send(&mut self, part: T, bytes: usize) -> Result<(), Abort<StoreError>> {
        if is_cancelled() {
            return Err(cancelled());
        }
        let Some(page) = &mut self.page else {
            return self.send_when_bytes_are_free(part, bytes);
        };
        page.is_too_large = !page.parts.is_empty() && page.bytes.saturating_add(bytes) > PART_BYTES;
        if page.is_too_large {
            return Err(cancelled());
        }
        page.bytes = page.bytes.saturating_add(bytes);
        page.parts.push(part);
        Ok(())
    }

    fn send_when_bytes_are_free(&self, part: T, bytes: usize) -> Result<(), Abort<StoreError>> {
        let share = self.share(bytes)?;
        // If the reader has gone, the next part fails.
        drop(self.to.send(Message::Part(part, Some(share))));
        // The next row may be equally large, so it is not read while this one is in memory.
        if bytes > PART_BYTES {
            drop(self.share(bytes)?);
        }
        Ok(())
    }

    /// Waits until this many more bytes may be sent.
    fn share(&self, bytes: usize) -> Result<OwnedSemaphorePermit, Abort<StoreError>> {
        let bytes = bytes.clamp(MIN_BYTES, PART_BYTES);
        let free = Arc::clone(&self.shared.free_bytes);
        let share = free.acquire_many_owned(u32::try_from(bytes).unwrap_or(u32::MAX));
        let Some(Ok(share)) = until(self.end, share) else { return Err(cancelled()) };
        // The time of the reader does not count as time of the database.
        self.note_row();
        Ok(share)
    }

    /// Whether the content is sent at once, when it is complete.
    pub(crate) const fn is_page(&self) -> bool {
        self.page.is_some()
    }

    /// Call this when a row was read from the database, and when counting starts after the rows.
    pub(crate) fn note_row(&self) {
        self.shared.has_row.store(true, Ordering::Relaxed);
    }

    /// The progress of the stream.
    pub(super) fn progress(&self) -> Progress {
        Progress(Arc::clone(&self.shared))
    }

    /// Closed when the sender has to stop waiting for its reader.
    pub(super) fn free_bytes(&self) -> &Arc<Semaphore> {
        &self.shared.free_bytes
    }

    /// Waits for a reader until `end` at most.
    pub(super) fn wait_until(&mut self, end: Option<Instant>) {
        self.end = end;
    }

    /// Whether this page is too large to be held in memory.
    pub(super) fn is_too_large(&self) -> bool {
        self.page.as_ref().is_some_and(|page| page.is_too_large)
    }

    /// Drops what was held: the page restarts.
    pub(super) fn restart(&mut self) {
        self.shared.has_row.store(false, Ordering::Relaxed);
        self.page = self.page.take().map(|_| Page::new());
    }

    /// Ends the stream: complete, or with an error.
    pub(super) fn finish(mut self, result: Result<(), StoreError>) {
        let page = mem::take(&mut self.page);
        let last = match result {
            Ok(()) => {
                for part in page.into_iter().flat_map(|page| page.parts) {
                    drop(self.to.send(Message::Part(part, None)));
                }
                Message::End
            }
            Err(error) => Message::Failed(error),
        };
        // Fails only when the reader has gone, which needs no end.
        drop(self.to.send(last));
    }
}

/// The error with which a cancelled job ends. `Production` replaces it with the reason in
/// [`super::watch::Stop`], if there is one. There is none when a list has waited for its client
/// until its time limit; then the client gets this text.
pub(crate) fn cancelled() -> Abort<StoreError> {
    Abort::Store(StoreError::Unavailable("the list took too long in all".to_owned()))
}

/// Waits for `future` on this thread; `None` when it is not ready at `end`.
fn until<F: Future>(end: Option<Instant>, future: F) -> Option<F::Output> {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return Some(output);
        }
        match end.map(|end| end.checked_duration_since(Instant::now())) {
            None => thread::park(),
            Some(None) => return None,
            Some(Some(left)) => thread::park_timeout(left),
        }
    }
}

/// The parts as a stream, which ends either complete or with an error.
pub(super) struct Parts<T> {
    state: State<T>,
    shared: Arc<StreamState>,
    /// The share of the part that the reader has; the part is in memory until the next one is
    /// requested.
    taken: Option<OwnedSemaphorePermit>,
}

enum State<T> {
    /// More parts may follow.
    Running(mpsc::UnboundedReceiver<Message<T>>),
    /// Nothing follows.
    Ended,
}

impl<T> Stream for Parts<T> {
    type Item = Result<T, StoreError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.taken = None;
        let State::Running(from) = &mut self.state else { return Poll::Ready(None) };
        let error = match from.poll_recv(context) {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(Some(Message::Part(part, share))) => {
                self.taken = share;
                return Poll::Ready(Some(Ok(part)));
            }
            Poll::Ready(Some(Message::End)) => None,
            Poll::Ready(Some(Message::Failed(error))) => Some(error),
            Poll::Ready(None) => Some(lost()),
        };
        self.state = State::Ended;
        Poll::Ready(error.map(Err))
    }
}

/// Cancels the query, and wakes its thread if it waits for this reader.
impl<T> Drop for Parts<T> {
    fn drop(&mut self) {
        self.shared.is_abandoned.store(true, Ordering::Relaxed);
        self.shared.free_bytes.close();
    }
}
