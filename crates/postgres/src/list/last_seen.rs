//! The last state of the data that a page has seen.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicU32, Ordering},
};

use super::memory::State;

/// After this many last states in a row that were not present any more, only one page in [`TRY_EVERY`]
/// tries the last state.
const MAX_MISSES: u32 = 4;

/// See [`MAX_MISSES`].
const TRY_EVERY: u32 = 32;

/// The last state that a page has seen, and how often in a row it was not present any more.
#[derive(Default)]
pub(crate) struct LastSeen {
    state: Mutex<Option<State>>,
    misses: AtomicU32,
}

impl LastSeen {
    /// Records the state of a page.
    pub(super) fn set(&self, state: State) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = Some(state);
    }

    /// The last state, if it is probably still the present one.
    pub(super) fn get(&self) -> Option<State> {
        let misses = self.misses.load(Ordering::Relaxed);
        if misses >= MAX_MISSES && !misses.is_multiple_of(TRY_EVERY) {
            self.record(false);
            return None;
        }
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Records whether a page was read from the last state: memory knew it, and the state was still the
    /// present one.
    pub(super) fn record(&self, present: bool) {
        if present {
            self.misses.store(0, Ordering::Relaxed);
        } else {
            self.misses.fetch_add(1, Ordering::Relaxed);
        }
    }
}
