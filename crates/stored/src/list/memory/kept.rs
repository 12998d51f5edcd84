//! Values that are made from the data once, and then kept up to date.

use std::{
    cmp::Ordering,
    future::Future,
    hash::Hash,
    sync::Arc,
    time::{Duration, Instant},
};

use moka::sync::Cache;

use super::{
    ListTable, Reader, Rows, Snapshot,
    running::{Running, Turn},
};

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
    /// A value is renewed once for each state, and made once for all.
    running: Arc<Running<(K, Option<S>)>>,
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

    /// Whether the value is known in any state.
    pub(super) fn contains(&self, key: &K) -> bool {
        self.known.contains_key(key)
    }

    /// The value in the state of the snapshot; `None` when it is not kept: the table is too large, or
    /// only later states are known.
    pub(super) async fn get<L, R, M>(
        &self,
        snapshot: &mut Snapshot<'_, L, R>,
        key: K,
        made: &M,
    ) -> Result<Option<Arc<V>>, R::Error>
    where
        L: ListTable,
        R: Reader<L, State = S>,
        M: Made<L, R, Value = V>,
    {
        let state = snapshot.reader().state().clone();
        loop {
            let version = self.newest_until(&key, &state);
            if let Some(version) = &version {
                if version.state == state {
                    return Ok(Some(Arc::clone(&version.value)));
                }
                let Some(_turn) = self.turn(snapshot, &key, Some(&state)).await? else { continue };
                if self.is_known(&key, &state) {
                    continue;
                }
                if let Some(value) = renewed(snapshot, made, version).await? {
                    self.keep(key, state, &value);
                    return Ok(Some(value));
                }
            }
            // One request at a time makes the value, whatever their states are.
            let Some(_turn) = self.turn(snapshot, &key, None).await? else { continue };
            if self.newest_until(&key, &state).map(|newest| newest.state)
                != version.map(|version| version.state)
            {
                continue;
            }
            let is_large = snapshot.reader().size().await? > R::MOST_ROWS;
            if is_large || self.is_behind(&key, &state) {
                return Ok(None);
            }
            let value = Arc::new(made.make(snapshot).await?);
            // Versions that share nothing with it would only take memory.
            self.known.invalidate(&key);
            self.keep(key, state, &value);
            return Ok(Some(value));
        }
    }

    /// The turn to renew the value for a state, or to make it; `None`, after a pause, while another
    /// request has it.
    async fn turn<L: ListTable, R: Reader<L>>(
        &self,
        snapshot: &mut Snapshot<'_, L, R>,
        key: &K,
        state: Option<&S>,
    ) -> Result<Option<Turn<(K, Option<S>)>>, R::Error> {
        match self.running.begin((key.clone(), state.cloned())) {
            Ok(turn) => Ok(Some(turn)),
            Err(ended) => {
                snapshot.reader().wait(ended).await?;
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
