//! The requests that hold their idempotency key, in memory. `idempotency.rs` says why.

use std::{
    collections::{HashMap, hash_map::Entry},
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
};

use patrol_domain::{
    Timestamp,
    idempotency::{Digest, KeyState, KeyedRequest},
};

/// The requests that hold their key.
#[derive(Default)]
pub(crate) struct RunningRequests {
    running: Mutex<HashMap<Digest, Running>>,
    kept: Mutex<Vec<KeptAnswer>>,
}

/// The answer of a run, to store, and the time of the answer.
pub(crate) type KeptAnswer = (KeyedRequest, Vec<u8>, Timestamp);

/// A request that is running, or whose answer is being stored.
struct Running {
    request: KeyedRequest,
    answer: Option<Vec<u8>>,
}

/// Ends the hold of a run when dropped.
pub(crate) struct Hold<'a> {
    running: &'a RunningRequests,
    request: KeyedRequest,
}

impl RunningRequests {
    fn lock(&self) -> MutexGuard<'_, HashMap<Digest, Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kept(&self) -> MutexGuard<'_, Vec<KeptAnswer>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the key to this run, until the result is dropped.
    ///
    /// # Errors
    /// The state of the key when another run holds it.
    pub(crate) fn hold(&self, request: KeyedRequest, now: Timestamp) -> Result<Hold<'_>, KeyState> {
        let mut running = self.lock();
        if let Some(Running { request: other, answer }) = running.get(&request.key) {
            match answer {
                Some(_) if other.expires_at <= now => {}
                _ if other.fingerprint != request.fingerprint => {
                    return Err(KeyState::OtherRequest);
                }
                Some(answer) => return Err(KeyState::Answered(answer.clone())),
                None => return Err(KeyState::InUse),
            }
        }
        running.insert(request.key, Running { request, answer: None });
        Ok(Hold { running: self, request })
    }

    /// Keeps the answer of the run until [`Self::release`], and for [`Self::take_kept`]. Returns
    /// whether it is the first one since.
    pub(crate) fn keep(&self, request: KeyedRequest, answer: Vec<u8>, now: Timestamp) -> bool {
        if let Some(running) = self.lock().get_mut(&request.key)
            && running.request.run == request.run
        {
            running.answer = Some(answer.clone());
        }
        let mut kept = self.kept();
        kept.push((request, answer, now));
        kept.len() == 1
    }

    /// The answers that nothing stores yet, oldest first.
    pub(crate) fn take_kept(&self) -> Vec<KeptAnswer> {
        mem::take(&mut self.kept())
    }

    /// Ends the hold of the run, if it has one. A run with an answer keeps its hold unless
    /// `is_stored`: the write of the answer has ended, with success or not.
    pub(crate) fn release(&self, request: &KeyedRequest, is_stored: bool) {
        if let Entry::Occupied(held) = self.lock().entry(request.key)
            && held.get().request.run == request.run
            && (is_stored || held.get().answer.is_none())
        {
            held.remove();
        }
    }
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        self.running.release(&self.request, false);
    }
}
