//! Idempotency keys. One process serves the file, so the running requests are in memory; the table
//! has those that changed something or were answered.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use diesel::prelude::*;
use patrol_domain::{
    EditError, StoreError, Timestamp,
    event::Origin,
    idempotency::{Digest, IdempotencyKeys, KeyState, KeyedRequest},
    ids::Uuid,
};
use patrol_stored::idempotency::{self, Read};

use crate::{Store, engine::Abort};

/// The requests that hold their key.
#[derive(Default)]
pub(crate) struct RunningRequests(Mutex<HashMap<Digest, KeyedRequest>>);

/// Ends the hold of a run when dropped.
struct Hold<'a> {
    running: &'a RunningRequests,
    request: KeyedRequest,
}

impl RunningRequests {
    fn lock(&self) -> MutexGuard<'_, HashMap<Digest, KeyedRequest>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The run holds its key from now on.
    ///
    /// # Errors
    /// The state of the key when another run holds it.
    fn hold(&self, request: KeyedRequest) -> Result<Hold<'_>, KeyState> {
        match self.lock().entry(request.key) {
            Entry::Occupied(other) if other.get().fingerprint == request.fingerprint => {
                Err(KeyState::InUse)
            }
            Entry::Occupied(_) => Err(KeyState::OtherRequest),
            Entry::Vacant(free) => {
                free.insert(request);
                Ok(Hold { running: self, request })
            }
        }
    }

    fn release(&self, request: &KeyedRequest) {
        if let Entry::Occupied(held) = self.lock().entry(request.key)
            && held.get().run == request.run
        {
            held.remove();
        }
    }
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        self.running.release(&self.request);
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
        let hold = match self.running_requests().hold(request) {
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
            self.running_requests().release(&request);
        }
        Ok(())
    }

    async fn keep(
        &self,
        request: KeyedRequest,
        answer: Vec<u8>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let _hold = Hold { running: self.running_requests(), request };
        self.write(move |conn| {
            idempotency::store_answer(&request, answer.clone(), now).execute(conn)?;
            Ok(())
        })
        .await
    }

    async fn delete_expired(&self, now: Timestamp) -> Result<usize, StoreError> {
        self.write(move |conn| Ok(idempotency::delete_expired(now).execute(conn)?)).await
    }
}

/// Stores that the request, if it has a key, changed these records.
pub(crate) fn store_effect<E: From<EditError>>(
    conn: &mut SqliteConnection,
    by: &Origin,
    records: impl Iterator<Item = Uuid>,
) -> Result<(), Abort<E>> {
    let Some(request) = &by.keyed else { return Ok(()) };
    let records: Vec<_> = records.collect();
    match idempotency::store_effect(request, &records, by.at).execute(conn)? {
        0 => Err(Abort::Refused(EditError::Superseded.into())),
        _ => Ok(()),
    }
}
