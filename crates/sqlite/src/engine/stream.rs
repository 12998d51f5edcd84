//! Sends data in parts from a thread to a reader that may be slow or go away.

use std::{
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
    time::Instant,
};

use patrol_domain::{StoreError, list::PART_BYTES};
use patrol_repository::parts::{self, Outlet, Parts};
use tokio::sync::Semaphore;

use super::{error::Abort, interrupt::is_cancelled};

/// The minimum size that a part counts for, to limit the number of small parts that wait for a slow
/// reader.
const MIN_BYTES: usize = PART_BYTES / 4;

/// The progress of a stream.
pub(super) struct Progress<T> {
    outlet: Outlet<T>,
    /// Whether a row was read from the database since the last check.
    has_row: Arc<AtomicBool>,
}

impl<T> Progress<T> {
    /// Whether the reader has gone.
    pub(super) fn is_abandoned(&self) -> bool {
        self.outlet.is_abandoned()
    }

    /// Whether a row was read from the database since the last call.
    pub(super) fn take(&self) -> bool {
        self.has_row.swap(false, Ordering::Relaxed)
    }
}

/// The sending end of a stream.
pub(crate) struct Sender<T> {
    outlet: Outlet<T>,
    /// Whether a row was read from the database since the last check.
    has_row: Arc<AtomicBool>,
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
    let (outlet, parts) = parts::channel();
    let page = is_page.then(Page::new);
    (Sender { outlet, has_row: Arc::default(), page, end: None }, parts)
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
            let sent = until(self.end, self.outlet.send(part, bytes.max(MIN_BYTES)));
            if !matches!(sent, Some(Ok(()))) {
                return Err(cancelled());
            }
            // The time of the reader does not count as time of the database.
            self.note_row();
            return Ok(());
        };
        page.is_too_large = !page.parts.is_empty() && page.bytes.saturating_add(bytes) > PART_BYTES;
        if page.is_too_large {
            return Err(cancelled());
        }
        page.bytes = page.bytes.saturating_add(bytes);
        page.parts.push(part);
        Ok(())
    }

    /// Whether the content is sent at once, when it is complete.
    pub(crate) const fn is_page(&self) -> bool {
        self.page.is_some()
    }

    /// Call this when a row was read from the database, and when counting starts after the rows.
    pub(crate) fn note_row(&self) {
        self.has_row.store(true, Ordering::Relaxed);
    }

    /// The progress of the stream.
    pub(super) fn progress(&self) -> Progress<T> {
        Progress { outlet: self.outlet.clone(), has_row: Arc::clone(&self.has_row) }
    }

    /// Closed when the sender has to stop waiting for its reader.
    pub(super) const fn free_bytes(&self) -> &Arc<Semaphore> {
        self.outlet.free_bytes()
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
        self.has_row.store(false, Ordering::Relaxed);
        self.page = self.page.take().map(|_| Page::new());
    }

    /// Ends the stream: complete, or with an error.
    pub(super) fn finish(self, result: Result<(), StoreError>) {
        if let (Ok(()), Some(page)) = (&result, self.page) {
            self.outlet.put(page.parts);
        }
        self.outlet.finish(result);
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
