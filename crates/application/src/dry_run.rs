//! Dry runs: a change is computed with all its checks, and nothing is stored.

use std::sync::{Arc, Mutex, PoisonError};

use patrol_domain::{Timestamp, event::Origin};

use crate::permission::Actor;

/// Keeps the result of a change that a store computes.
pub(crate) struct DryRun<T> {
    result: Arc<Mutex<Option<T>>>,
}

impl<T: Send + 'static> DryRun<T> {
    pub(crate) fn new() -> Self {
        Self { result: Arc::new(Mutex::new(None)) }
    }

    /// Keeps the result. A store may repeat a change, so the last result counts.
    pub(crate) fn keep(&self) -> impl Fn(T) + Send + Sync + use<T> {
        let result = Arc::clone(&self.result);
        move |changed| *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(changed)
    }

    /// The last result.
    pub(crate) fn result(self) -> Option<T> {
        self.result.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The origin of a dry_run. A request that changes nothing does not use up its key.
pub(crate) fn origin(actor: Actor, now: Timestamp) -> Origin {
    actor.origin_at(now).without_key()
}
