//! Idempotency keys. One process serves the file, so it keeps the running requests in memory, and
//! their answers until they are on disk. The table has the requests that changed something or were
//! answered.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use diesel::prelude::*;
use futures_util::FutureExt as _;
use patrol_domain::{
    StoreError, Timestamp,
    idempotency::{Digest, IdempotencyKeys, KeyState, KeyedRequest},
};
use patrol_stored::idempotency::{self, Read};

use crate::Store;

/// The requests that hold their key.
#[derive(Default)]
pub(crate) struct RunningRequests(Mutex<HashMap<Digest, Running>>);

/// A request that is running, or whose answer is being stored.
struct Running {
    request: KeyedRequest,
    answer: Option<Vec<u8>>,
}

/// Ends the hold of a run when dropped.
struct Hold<'a> {
    running: &'a RunningRequests,
    request: KeyedRequest,
}

impl RunningRequests {
    fn lock(&self) -> MutexGuard<'_, HashMap<Digest, Running>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the run hold its key from now on.
    ///
    /// # Errors
    /// The state of the key when another run holds it.
    fn hold(&self, request: KeyedRequest, now: Timestamp) -> Result<Hold<'_>, KeyState> {
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
    fn answer(&self, request: &KeyedRequest, answer: &[u8]) {
        if let Some(running) = self.lock().get_mut(&request.key)
            && running.request.run == request.run
        {
            running.answer = Some(answer.to_vec());
        }
    }

    /// Ends the hold of the run, if it has one. A run with an answer keeps its hold unless
    /// `is_stored`.
    fn release(&self, request: &KeyedRequest, is_stored: bool) {
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

#[async_trait]
impl IdempotencyKeys for Store {
    async fn begin(
        &self,
        request: KeyedRequest,
        _: Duration,
        now: Timestamp,
    ) -> Result<KeyState, StoreError> {
        let hold = match self.running_requests().hold(request, now) {
            Ok(hold) => hold,
            Err(state) => return Ok(state),
        };
        let find = move |conn: &mut SqliteConnection| {
            let found = idempotency::find(&request.key, now.millis());
            Ok(found.select(Read::as_select()).first(conn).optional()?)
        };
        match self.read(find).await? {
            Some(read) => Read::state(read, &request, false),
            None => {
                std::mem::forget(hold);
                Ok(KeyState::Free)
            }
        }
    }

    async fn hold(&self, request: KeyedRequest, hold: Duration) -> Result<(), StoreError> {
        if hold.is_zero() {
            self.running_requests().release(&request, false);
        }
        Ok(())
    }

    async fn keep(
        &self,
        request: KeyedRequest,
        answer: Vec<u8>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.running_requests().answer(&request, &answer);
        let store = self.clone();
        let stored = async move {
            let write = move |conn: &mut SqliteConnection| {
                idempotency::store_answer(&request, answer.clone(), now).execute(conn)?;
                Ok(())
            };
            let stored: Result<(), StoreError> = store.write(write).await;
            store.running_requests().release(&request, true);
            if let Err(error) = stored {
                tracing::warn!(
                    %error,
                    "the answer of a request with an Idempotency-Key is not stored; sent again, the \
                     request gets the records as they are then"
                );
            }
        };
        let mut stored = Box::pin(stored);
        // The write is queued now, and its caller does not wait for the disk.
        if stored.as_mut().now_or_never().is_none() {
            drop(tokio::spawn(stored));
        }
        Ok(())
    }

    async fn delete_expired(&self, now: Timestamp) -> Result<usize, StoreError> {
        self.write(move |conn| Ok(idempotency::delete_expired(now).execute(conn)?)).await
    }
}
