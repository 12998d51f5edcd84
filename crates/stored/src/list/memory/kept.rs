//! Values that are made from the data once, and then kept up to date.

use std::{
    cmp::Ordering,
    future::Future,
    hash::Hash,
    sync::Arc,
    time::{Duration, Instant},
};

use moka::sync::Cache;

use super::{ListTable, Reader, Rows, Running, Snapshot};

/// The most versions of a value. Requests that run at the same time see different states.
const VERSIONS: usize = 3;

/// The oldest version is older than this, if there are several, so that a request that began
/// earlier finds a version that it can bring up to its state.
const OLD: Duration = Duration::from_secs(1);

/// How a value is made.
pub(super) trait Made<L: ListTable, R: Reader<L>>: Sync {
    type Value: Send + Sync;

    /// Makes the value from the data.
    fn make(
        &self,
        snapshot: &mut Snapshot<'_, L, R>,
    ) -> impl Future<Output = Result<Self::Value, R::Error>> + Send;

    /// The value after changes of these rows; `None` when it has to be made from the data.
    fn renew(
        &self,
        snapshot: &mut Snapshot<'_, L, R>,
        old: &Self::Value,
        changed: &Rows,
    ) -> impl Future<Output = Result<Option<Self::Value>, R::Error>> + Send;
}

/// Values by key.
pub(super) struct Kept<K, V, S> {
    known: Cache<K, Arc<Vec<Version<V, S>>>>,
    running: Arc<Running<(K, S)>>,
}

/// A value, and the state of the data that it is valid for.
pub(super) struct Version<V, S> {
    state: S,
    value: Arc<V>,
    made: Instant,
}

impl<V, S: Clone> Clone for Version<V, S> {
    fn clone(&self) -> Self {
        Self { state: self.state.clone(), value: Arc::clone(&self.value), made: self.made }
    }
}

/// The weight of a key with its versions, in bytes.
pub(super) fn weigher<K, V, S>(
    key: impl Fn(&K) -> usize + Send + Sync + 'static,
    value: impl Fn(&V) -> usize + Send + Sync + 'static,
) -> impl Fn(&K, &Arc<Vec<Version<V, S>>>) -> u32 + Send + Sync + 'static {
    move |of, versions| {
        let values = versions.iter().map(|version| value(&version.value)).sum::<usize>();
        u32::try_from(key(of).saturating_add(values)).unwrap_or(u32::MAX)
    }
}

impl<K, V, S> Kept<K, V, S>
where
    K: Clone + Eq + Hash + Send + Sync + 'static,
    V: Send + Sync + 'static,
    S: Clone + Eq + Hash + PartialOrd + Send + Sync + 'static,
{
    pub(super) fn new(known: Cache<K, Arc<Vec<Version<V, S>>>>) -> Self {
        Self { known, running: Arc::default() }
    }

    pub(super) fn contains(&self, key: &K) -> bool {
        self.known.contains_key(key)
    }

    /// The value in the state of the snapshot.
    pub(super) async fn get<L, R, M>(
        &self,
        snapshot: &mut Snapshot<'_, L, R>,
        key: K,
        made: &M,
    ) -> Result<Arc<V>, R::Error>
    where
        L: ListTable,
        R: Reader<L, State = S>,
        M: Made<L, R, Value = V>,
    {
        let state = snapshot.reader().state().clone();
        loop {
            if let Some(value) = self.at(&key, &state) {
                return Ok(value);
            }
            let _turn = match self.running.begin((key.clone(), state.clone())) {
                Ok(turn) => turn,
                Err(ended) => {
                    snapshot.reader().wait(ended).await?;
                    continue;
                }
            };
            // It may have been made since the first lookup.
            if let Some(value) = self.at(&key, &state) {
                return Ok(value);
            }
            let value = match self.newest_until(&key, &state) {
                Some(version) => renewed(snapshot, made, &version).await?,
                None => None,
            };
            let value = match value {
                Some(value) => value,
                None => Arc::new(made.make(snapshot).await?),
            };
            self.keep(key, state, &value);
            return Ok(value);
        }
    }

    /// The value in this state, if it is known.
    fn at(&self, key: &K, state: &S) -> Option<Arc<V>> {
        let version = self.newest_until(key, state).filter(|version| version.state == *state)?;
        Some(version.value)
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
    }
}

/// The value brought up to the state of the snapshot; `None` when it has to be made from the data.
async fn renewed<L: ListTable, R: Reader<L>, M: Made<L, R>>(
    snapshot: &mut Snapshot<'_, L, R>,
    made: &M,
    version: &Version<M::Value, R::State>,
) -> Result<Option<Arc<M::Value>>, R::Error> {
    let Some(changed) = snapshot.changed_since(&version.state).await? else { return Ok(None) };
    if changed.is_empty() {
        return Ok(Some(Arc::clone(&version.value)));
    }
    Ok(made.renew(snapshot, &version.value, &changed).await?.map(Arc::new))
}
