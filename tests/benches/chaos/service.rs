//! The service as its clients see it.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use crate::client::Outcome;

/// How long all requests have to succeed before the service counts as fully available.
const STEADY: Duration = Duration::from_millis(500);

/// How long to wait beyond the guaranteed time before giving up.
const DESPAIR: Duration = Duration::from_secs(30);

/// The results of the clients, numbered from 0.
pub(crate) struct Service {
    clients: Vec<Mutex<Seen>>,
}

/// The results of one client.
struct Seen {
    /// The start of the current series of successes.
    well_since: Option<Instant>,
    last_success: Instant,
    longest_gap: Duration,
    slowest: Duration,
    /// Whether failures are expected now.
    is_disturbed: bool,
    failures: BTreeMap<String, u64>,
    surprises: Vec<String>,
}

/// The results of all clients.
#[derive(Default)]
pub(crate) struct Sights {
    /// Failed responses and missing ones, by kind.
    pub(crate) failures: BTreeMap<String, u64>,
    /// Failures that were not expected.
    pub(crate) surprises: Vec<String>,
    /// The longest time without a success for any client.
    pub(crate) longest_outage: Duration,
    /// The time of the slowest response or timeout.
    pub(crate) slowest: Duration,
}

impl Service {
    /// No results yet.
    pub(crate) fn new(clients: u32) -> Self {
        let seen = || Seen {
            well_since: None,
            last_success: Instant::now(),
            longest_gap: Duration::ZERO,
            slowest: Duration::ZERO,
            is_disturbed: false,
            failures: BTreeMap::new(),
            surprises: Vec::new(),
        };
        Self { clients: (0..clients).map(|_| Mutex::new(seen())).collect() }
    }

    /// Records the result of a request.
    pub(crate) fn saw(&self, client: u32, outcome: &Outcome) {
        let Some(mut seen) = self.client(client) else { return };
        let now = Instant::now();
        seen.slowest = seen.slowest.max(outcome.took);
        if outcome.is_success() {
            seen.longest_gap = seen.longest_gap.max(now - seen.last_success);
            seen.last_success = now;
            seen.well_since.get_or_insert(now);
            return;
        }
        seen.well_since = None;
        let label = outcome.label();
        if !(seen.is_disturbed && outcome.is_outage()) {
            seen.surprises.push(format!("client {client}: {label} {}", outcome.body));
        }
        *seen.failures.entry(label).or_default() += 1;
    }

    /// From now on these clients may see failures, and the others may not.
    pub(crate) fn disturb(&self, is_disturbed: impl Fn(u32) -> bool) {
        for (number, client) in (0..).zip(&self.clients) {
            lock(client).is_disturbed = is_disturbed(number);
        }
    }

    /// Waits until all clients have succeeded for a while, and returns the time from `since` to the
    /// start of that. `None` when it takes much longer than `limit`. After that, failures are
    /// unexpected again.
    pub(crate) fn wait_until_whole(&self, since: Instant, limit: Duration) -> Option<Duration> {
        for client in &self.clients {
            lock(client).well_since = None;
        }
        while since.elapsed() < limit + DESPAIR {
            let began: Option<Vec<_>> =
                self.clients.iter().map(|client| lock(client).well_since).collect();
            let last = began.and_then(|each| each.into_iter().max());
            if let Some(last) = last.filter(|last| last.elapsed() > STEADY) {
                self.disturb(|_| false);
                return Some(last.saturating_duration_since(since));
            }
            thread::sleep(Duration::from_millis(5));
        }
        self.disturb(|_| false);
        None
    }

    /// The results of all clients.
    pub(crate) fn sights(&self) -> Sights {
        let mut all = Sights::default();
        for client in &self.clients {
            let seen = lock(client);
            for (label, count) in &seen.failures {
                *all.failures.entry(label.clone()).or_default() += count;
            }
            all.surprises.extend(seen.surprises.iter().cloned());
            all.longest_outage = all.longest_outage.max(seen.longest_gap);
            all.slowest = all.slowest.max(seen.slowest);
        }
        all
    }

    fn client(&self, number: u32) -> Option<MutexGuard<'_, Seen>> {
        self.clients.get(usize::try_from(number).ok()?).map(lock)
    }
}

fn lock(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}
