//! A cache of values that are made from the data once, and later updated by the rows that changed.
//! Each value is valid for one state of the data; the cache has several versions of it.

use std::{
    cmp::Ordering,
    future::Future,
    hash::Hash,
    sync::Arc,
    time::{Duration, Instant},
};

use moka::{notification::RemovalCause, policy::EvictionPolicy, sync::Cache};

use super::{
    reader::Reader,
    rows::Rows,
    running::{RunningQueries, RunningQuery},
    snapshot::Snapshot,
};

/// The maximum number of versions of a value. Requests that run at the same time see different
/// states.
const VERSIONS: usize = 3;

/// The oldest version stays until the second oldest is older than this. So a request that began earlier
/// finds a version that is not later than its state, and can update that version.
const OLD: Duration = Duration::from_secs(1);

/// A value that was not used for this time is dropped.
const IDLE: Duration = Duration::from_secs(3600);

/// A value that did not fit is not made again within this time. Otherwise values that do not fit together
/// would be made over and over.
const EVICTED: Duration = Duration::from_secs(30);

/// The maximum number of evicted values that are remembered.
const MAX_EVICTED: u64 = 10_000;

/// The memory in bytes of an entry of the cache, without its key and values.
const ENTRY: usize = 256;

/// How a cached value is made and updated.
pub(super) trait CachedValue<R: Reader>: Sync {
    type Value: Send + Sync;

    /// Makes the value from the data.
    fn make(
        &self,
        snapshot: &mut Snapshot<R>,
    ) -> impl Future<Output = Result<Self::Value, R::Error>> + Send;

    /// The value after changes of these rows; `None` when it has to be made from the data again.
    fn update(
        &self,
        snapshot: &mut Snapshot<R>,
        old: &Self::Value,
        changed: &Rows,
    ) -> impl Future<Output = Result<Option<Self::Value>, R::Error>> + Send;
}

/// Values by key, in several versions.
pub(super) struct VersionedCache<K, V, S> {
    known: Cache<K, Versions<V, S>>,
    /// The keys of values that did not fit.
    evicted: Cache<K, ()>,
    /// Whether no value fits.
    is_off: bool,
    /// Queries of other requests wait for these: with a state, an update of the value to this state;
    /// without one, the making of the value.
    running: Arc<RunningQueries<(K, Option<S>)>>,
}

type Versions<V, S> = Arc<Vec<Version<V, S>>>;

/// A value, and the state of the data that it is valid for.
struct Version<V, S> {
    state: S,
    value: Arc<V>,
    made: Instant,
}

impl<V, S: Clone> Clone for Version<V, S> {
    fn clone(&self) -> Self {
        Self { state: self.state.clone(), value: Arc::clone(&self.value), made: self.made }
    }
}

impl<K, V, S> VersionedCache<K, V, S>
where
    K: Clone + Eq + Hash + Send + Sync + 'static,
    V: Send + Sync + 'static,
    S: Clone + Eq + Hash + PartialOrd + Send + Sync + 'static,
{
    /// A cache of at most `limit` bytes; `key_size` and `value_size` are those of a key and of a value.
    pub(super) fn new(
        limit: u64,
        key_size: impl Fn(&K) -> usize + Send + Sync + 'static,
        value_size: impl Fn(&V) -> usize + Send + Sync + 'static,
    ) -> Self {
        let size = move |key: &K, versions: &Versions<V, S>| {
            let mut size = key_size(key).saturating_add(ENTRY);
            let mut last = None;
            for Version { value, .. } in &**versions {
                if !last.is_some_and(|last| Arc::ptr_eq(last, value)) {
                    size = size.saturating_add(value_size(value));
                }
                last = Some(value);
            }
            u32::try_from(size).unwrap_or(u32::MAX)
        };
        let evicted = Cache::builder().max_capacity(MAX_EVICTED).time_to_live(EVICTED).build();
        let evictions = evicted.clone();
        let known = Cache::builder()
            .weigher(size)
            .max_capacity(limit)
            .eviction_policy(EvictionPolicy::lru())
            .eviction_listener(move |key: Arc<K>, _, cause| {
                if cause == RemovalCause::Size {
                    evictions.insert((*key).clone(), ());
                }
            })
            .time_to_idle(IDLE)
            .build();
        Self { known, evicted, is_off: limit == 0, running: Arc::default() }
    }

    /// The memory of all values in bytes.
    pub(super) fn size(&self) -> u64 {
        self.known.weighted_size()
    }

    /// Whether the value is known in any state.
    pub(super) fn contains(&self, key: &K) -> bool {
        self.known.contains_key(key)
    }

    /// Whether [`Self::get`] would make the value.
    pub(super) fn lacks(&self, key: &K) -> bool {
        !self.is_off && !self.contains(key) && !self.evicted.contains_key(key)
    }

    /// The value in the state of the snapshot. `None` when the table is too large, the value did not fit,
    /// or the cache has only later states.
    pub(super) async fn get<R, M>(
        &self,
        snapshot: &mut Snapshot<R>,
        key: K,
        made: &M,
    ) -> Result<Option<Arc<V>>, R::Error>
    where
        R: Reader<State = S>,
        M: CachedValue<R, Value = V>,
    {
        let state = snapshot.state().clone();
        loop {
            let version = self.newest_until(&key, &state);
            if let Some(version) = &version {
                if version.state == state {
                    return Ok(Some(Arc::clone(&version.value)));
                }
                let Some(_running) = self.begin_query(snapshot, &key, Some(&state)).await? else {
                    continue;
                };
                if self.is_known(&key, &state) {
                    continue;
                }
                if let Some(value) = updated(snapshot, made, version).await? {
                    self.keep(key, state, &value);
                    return Ok(Some(value));
                }
            }
            if self.is_off || self.evicted.contains_key(&key) {
                return Ok(None);
            }
            // One request at a time makes the value, also when their states differ.
            let Some(_running) = self.begin_query(snapshot, &key, None).await? else { continue };
            if self.newest_until(&key, &state).map(|newest| newest.state)
                != version.map(|version| version.state)
            {
                continue;
            }
            let is_large = snapshot.reader().size().await? > R::MAX_ROWS;
            if is_large || self.is_behind(&key, &state) {
                return Ok(None);
            }
            let value = Arc::new(made.make(snapshot).await?);
            // Older versions share no memory with the new value, so keeping them would double the
            // memory.
            self.known.invalidate(&key);
            self.keep(key, state, &value);
            return Ok(Some(value));
        }
    }

    /// Begins to update the value to a state, or to make it. `None`, after a pause, if another request
    /// does the same.
    async fn begin_query<R: Reader>(
        &self,
        snapshot: &mut Snapshot<R>,
        key: &K,
        state: Option<&S>,
    ) -> Result<Option<RunningQuery<(K, Option<S>)>>, R::Error> {
        match self.running.begin((key.clone(), state.cloned())) {
            Ok(running) => Ok(Some(running)),
            Err(ended) => {
                snapshot.reader().pause(Some(ended)).await?;
                Ok(None)
            }
        }
    }

    /// Whether the value is known in this state.
    fn is_known(&self, key: &K, state: &S) -> bool {
        self.newest_until(key, state).is_some_and(|version| version.state == *state)
    }

    /// Whether the value is known in a later state.
    fn is_behind(&self, key: &K, state: &S) -> bool {
        let versions = self.known.get(key);
        versions.is_some_and(|versions| versions.last().is_some_and(|last| last.state > *state))
    }

    /// The newest version that is not later than `state`.
    fn newest_until(&self, key: &K, state: &S) -> Option<Version<V, S>> {
        let versions = self.known.get(key)?;
        let is_until = |version: &&Version<V, S>| {
            matches!(version.state.partial_cmp(state), Some(Ordering::Less | Ordering::Equal))
        };
        versions.iter().rev().find(is_until).cloned()
    }

    /// Keeps the value, unless a later version is known.
    fn keep(&self, key: K, state: S, value: &Arc<V>) {
        let known = self.known.get(&key);
        let mut versions = known.map_or_else(Vec::new, |known| known.to_vec());
        match versions.last().map(|last| last.state.partial_cmp(&state)) {
            Some(Some(Ordering::Greater | Ordering::Equal)) => return,
            Some(Some(Ordering::Less)) | None => {}
            // The states have nothing in common, for example after a restart of the database.
            Some(None) => versions.clear(),
        }
        versions.push(Version { state, value: Arc::clone(value), made: Instant::now() });
        if versions.len() > VERSIONS {
            let is_old = versions.get(1).is_some_and(|second| second.made.elapsed() > OLD);
            versions.remove(if is_old { 0 } else { VERSIONS - 1 });
        }
        self.known.insert(key, Arc::new(versions));
        // Otherwise what does not fit would stay for a while.
        self.known.run_pending_tasks();
    }
}

/// The value updated to the state of the snapshot; `None` when it has to be made from the data.
async fn updated<R: Reader, M: CachedValue<R>>(
    snapshot: &mut Snapshot<R>,
    made: &M,
    version: &Version<M::Value, R::State>,
) -> Result<Option<Arc<M::Value>>, R::Error> {
    let Some(changed) = snapshot.changed_since(&version.state).await? else { return Ok(None) };
    if changed.is_empty() {
        return Ok(Some(Arc::clone(&version.value)));
    }
    Ok(made.update(snapshot, &version.value, &changed).await?.map(Arc::new))
}
