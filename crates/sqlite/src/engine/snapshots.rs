//! The open snapshots of lists. The write-ahead log cannot restart while a snapshot is older than
//! its last page, so the oldest list can be cancelled.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::sync::Semaphore;

/// All open snapshots, oldest first.
#[derive(Clone, Default)]
pub(super) struct Snapshots {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    open: Mutex<Open>,
    /// The number of cancelled lists.
    cancelled: AtomicU64,
}

#[derive(Default)]
struct Open {
    next: u64,
    snapshots: BTreeMap<u64, Arc<Snapshot>>,
}

struct Snapshot {
    since: Instant,
    is_cancelled: AtomicBool,
    /// The semaphore that its list waits on when the client is slow.
    free_bytes: Arc<Semaphore>,
}

/// Registers an open snapshot until dropped.
pub(super) struct SnapshotGuard {
    shared: Arc<Shared>,
    number: u64,
    snapshot: Arc<Snapshot>,
}

/// A cancelled list.
pub(super) struct CancelledList {
    number: u64,
    /// How long its snapshot had been open.
    pub(super) age: Duration,
    /// False when it was cancelled before.
    pub(super) is_new: bool,
}

impl Snapshots {
    /// Registers a list. To cancel it, `free_bytes` is closed, which wakes the list if it waits
    /// there.
    pub(super) fn begin(&self, free_bytes: &Arc<Semaphore>) -> SnapshotGuard {
        let snapshot = Arc::new(Snapshot {
            since: Instant::now(),
            is_cancelled: AtomicBool::new(false),
            free_bytes: Arc::clone(free_bytes),
        });
        let mut open = self.shared.lock();
        let number = open.next;
        open.next += 1;
        open.snapshots.insert(number, Arc::clone(&snapshot));
        drop(open);
        SnapshotGuard { shared: Arc::clone(&self.shared), number, snapshot }
    }

    /// Cancels the oldest list without waiting for its end ([`Self::has_ended`]); `None` when
    /// there is no list.
    pub(super) fn cancel_oldest(&self) -> Option<CancelledList> {
        let open = self.shared.lock();
        let (number, snapshot) = open.snapshots.first_key_value()?;
        let is_new = !snapshot.is_cancelled.swap(true, Ordering::Relaxed);
        if is_new {
            self.shared.cancelled.fetch_add(1, Ordering::Relaxed);
        }
        snapshot.free_bytes.close();
        Some(CancelledList { number: *number, age: snapshot.since.elapsed(), is_new })
    }

    /// Whether the cancelled list has ended.
    pub(super) fn has_ended(&self, list: &CancelledList) -> bool {
        !self.shared.lock().snapshots.contains_key(&list.number)
    }

    /// How long the oldest open list has been running; zero without lists.
    pub(super) fn oldest_age(&self) -> Duration {
        let open = self.shared.lock();
        let oldest = open.snapshots.first_key_value();
        oldest.map_or(Duration::ZERO, |(_, snapshot)| snapshot.since.elapsed())
    }

    /// The number of lists cancelled so far.
    pub(super) fn cancelled_count(&self) -> u64 {
        self.shared.cancelled.load(Ordering::Relaxed)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SnapshotGuard {
    /// Whether the list is cancelled.
    pub(super) fn is_cancelled(&self) -> bool {
        self.snapshot.is_cancelled.load(Ordering::Relaxed)
    }
}

impl Drop for SnapshotGuard {
    fn drop(&mut self) {
        self.shared.lock().snapshots.remove(&self.number);
    }
}
