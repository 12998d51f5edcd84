//! The service as its clients see it.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use crate::client::Outcome;

/// How long everything has to go well until the service counts as whole.
const STEADY: Duration = Duration::from_millis(500);

/// How long to look for a service that does not come back, beyond what was promised.
const DESPAIR: Duration = Duration::from_secs(30);

/// What the clients see, each with a number from 0.
pub(crate) struct Service {
    clients: Vec<Mutex<Seen>>,
}

/// What one client has seen.
struct Seen {
    /// Since when all goes well.
    well_since: Option<Instant>,
    last_success: Instant,
    longest_gap: Duration,
    slowest: Duration,
    /// Whether failures are to be expected at present.
    is_disturbed: bool,
    failures: BTreeMap<String, u64>,
    surprises: Vec<String>,
}

/// What all clients have seen.
#[derive(Default)]
pub(crate) struct Sights {
    /// Answers that were no success, and requests without one.
    pub(crate) failures: BTreeMap<String, u64>,
    /// Those that had no reason.
    pub(crate) surprises: Vec<String>,
    /// The longest time that any client was without a successful answer.
    pub(crate) longest_outage: Duration,
    /// What the slowest answer took, or the silence of a server.
    pub(crate) slowest: Duration,
}

impl Service {
    /// Nothing seen yet.
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

    /// A client has seen this.
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

    /// From now on these clients may meet failures, and the others not.
    pub(crate) fn disturb(&self, is_disturbed: impl Fn(u32) -> bool) {
        for (number, client) in (0..).zip(&self.clients) {
            lock(client).is_disturbed = is_disturbed(number);
        }
    }

    /// Waits until all has gone well for every client for a while, and gives how long after `since`
    /// that began. None when it takes far longer than `limit`. Then no failure is expected any more.
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

    /// What all of them have seen.
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
