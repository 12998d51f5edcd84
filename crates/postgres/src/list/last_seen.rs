//! The last state of the data that a page has seen.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicU32, Ordering},
};

use super::memory::State;

/// After this many states in a row that were not the present one any more, only one in [`SELDOM`] is
/// tried.
const MISSES: u32 = 4;

/// See [`MISSES`].
const SELDOM: u32 = 32;

/// The last state that a page has seen, and whether it was often the present one.
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
        if misses >= MISSES && !misses.is_multiple_of(SELDOM) {
            self.was(false);
            return None;
        }
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Records whether the state was still the present one.
    pub(super) fn was(&self, present: bool) {
        if present {
            self.misses.store(0, Ordering::Relaxed);
        } else {
            self.misses.fetch_add(1, Ordering::Relaxed);
        }
    }
}
