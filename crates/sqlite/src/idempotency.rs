//! Idempotency keys. One process serves the file, so it keeps the running requests in memory, and
//! their answers until they are on disk. The table has the requests that changed something or were
//! answered.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use diesel::prelude::*;
use patrol_domain::{
    StoreError, Timestamp,
    idempotency::{IdempotencyKeys, KeyState, KeyedRequest},
};
use patrol_repository::stored::idempotency::{self, KeyRow};
use tokio::time::sleep;

use crate::Store;

/// How long answers are collected: one write of many costs far less than a write of each.
const PAUSE: Duration = Duration::from_millis(10);

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
            Ok(found.select(KeyRow::as_select()).first(conn).optional()?)
        };
        match self.read(find).await? {
            Some(read) => KeyRow::state(read, &request, false),
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
        if self.running_requests().keep(request, answer, now) {
            let store = self.clone();
            drop(tokio::spawn(async move {
                sleep(PAUSE).await;
                store.store_answers().await;
            }));
        }
        Ok(())
    }

    async fn delete_expired(&self, now: Timestamp) -> Result<usize, StoreError> {
        self.store_answers().await;
        self.write(move |conn| Ok(idempotency::delete_expired(now).execute(conn)?)).await
    }
}

impl Store {
    /// Stores the answers that are only in memory.
    pub(crate) async fn store_answers(&self) {
        let answers = Arc::new(self.running_requests().take_kept());
        if answers.is_empty() {
            return;
        }
        let written = Arc::clone(&answers);
        let write = move |conn: &mut SqliteConnection| {
            for (request, answer, now) in written.iter() {
                if idempotency::add_answer(request, answer).execute(conn)? == 0 {
                    idempotency::store_answer(request, answer.clone(), *now).execute(conn)?;
                }
            }
            Ok(())
        };
        let stored: Result<(), StoreError> = self.write(write).await;
        for (request, ..) in answers.iter() {
            self.running_requests().release(request, true);
        }
        if let Err(error) = stored {
            tracing::warn!(
                %error,
                answers = answers.len(),
                "answers of requests with an Idempotency-Key are not stored; if such a request is \
                 sent again, its answer shows the records as they are then"
            );
        }
    }
}
