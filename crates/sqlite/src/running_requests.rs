//! The requests that hold their idempotency key, in memory. `idempotency.rs` says why.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{Mutex, MutexGuard, PoisonError},
};

use patrol_domain::{
    Timestamp,
    idempotency::{Digest, KeyState, KeyedRequest},
};

/// The requests that hold their key.
#[derive(Default)]
pub(crate) struct RunningRequests(Mutex<HashMap<Digest, Running>>);

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
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// Keeps the answer of the run until [`Self::release`].
    pub(crate) fn answer(&self, request: &KeyedRequest, answer: &[u8]) {
        if let Some(running) = self.lock().get_mut(&request.key)
            && running.request.run == request.run
        {
            running.answer = Some(answer.to_vec());
        }
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
