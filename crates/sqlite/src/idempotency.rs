//! Idempotency keys. One process serves the file, so it keeps the running requests in memory, and
//! their answers until they are on disk. The table has the requests that changed something or were
//! answered.

use std::time::Duration;

use async_trait::async_trait;
use diesel::prelude::*;
use futures_util::FutureExt as _;
use patrol_domain::{
    StoreError, Timestamp,
    idempotency::{IdempotencyKeys, KeyState, KeyedRequest},
};
use patrol_stored::idempotency::{self, Read};

use crate::Store;

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
                // The hold must outlive this call. `keep`, or `hold` with a zero duration, ends
                // it.
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
                    "the answer of a request with an Idempotency-Key is not stored; if the request \
                     is sent again, its answer shows the records as they are then"
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
