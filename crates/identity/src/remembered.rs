//! A cache of verified credentials.

use std::{
    future::Future,
    hash::Hash,
    time::{Duration, Instant},
};

use moka::sync::Cache;
use patrol_domain::{StoreError, access::Rejection};

/// How long a verified token is cached. A revocation or a change of role or status has to take
/// effect within 5 s, which includes a lookup in progress.
const REMEMBERED: Duration = Duration::from_secs(4);
/// Results of slower lookups are not cached, because they may be outdated already.
const LOOK_UP: Duration = Duration::from_millis(900);
/// The most cached tokens; they take a few megabytes.
const MAX: u64 = 20_000;

/// A cache of verified tokens.
pub(crate) struct Remembered<K, V>(Cache<K, V>);

impl<K, V> Remembered<K, V>
where
    K: Hash + Eq + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    pub(crate) fn new() -> Self {
        Self(Cache::builder().max_capacity(MAX).time_to_live(REMEMBERED).build())
    }

    /// The cached value of `key`, else the result of `look_up`. Rejections are not cached.
    ///
    /// # Errors
    /// Those of `look_up`.
    pub(crate) async fn get(
        &self,
        key: K,
        look_up: impl Future<Output = Result<Result<V, Rejection>, StoreError>>,
    ) -> Result<Result<V, Rejection>, StoreError> {
        if let Some(known) = self.0.get(&key) {
            return Ok(Ok(known));
        }
        let asked = Instant::now();
        let found = look_up.await?;
        if let Ok(found) = &found
            && asked.elapsed() < LOOK_UP
        {
            self.0.insert(key, found.clone());
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_a_slow_look_up_finds_is_not_remembered() {
        let remembered = Remembered::new();
        let slow = async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            Ok(Ok(1))
        };
        assert_eq!(remembered.get((), slow).await, Ok(Ok(1)));
        // A busy machine may be slow once.
        let mut next = 2;
        while remembered.get((), async { Ok(Ok(next)) }).await == Ok(Ok(next)) {
            next += 1;
        }
        assert!(next > 2, "the slow one was remembered");
    }
}
