//! The number of open connections, its limit, and which of them make room for others.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::{Duration, Instant},
};

use futures_util::task::AtomicWaker;
use patrol_domain::{Counter, Metric};

/// The number of connections that are accepted above the limit. Their requests get a 503, except
/// those for the pages that need no token: health, metrics, `/docs` and `/openapi.json`.
pub const SPARE: usize = 32;

/// How long a connection may take to send its first request before it is the first to be closed for others.
const FIRST_REQUEST_GRACE: Duration = Duration::from_secs(1);

/// The most connections that are closed at once, so that they are not looked for at each new one.
const MAX_EVICTIONS: usize = 32;

/// The open connections of the process.
pub(crate) struct OpenConnections {
    limit: usize,
    first_request_grace: Duration,
    /// All connections, also those that are about to close for others.
    open: AtomicUsize,
    /// Connections that are about to close for others.
    leaving: AtomicUsize,
    /// The connections in the order in which they were accepted.
    places: Mutex<Places>,
    /// Whether the log has reported that the limit is exceeded.
    is_reported: AtomicBool,
    /// Connections that were closed to make room.
    evicted: Counter,
    /// Connections that were accepted above the limit.
    answered: Counter,
    /// Connections that were reset.
    reset: Counter,
}

/// The connections by number.
#[derive(Default)]
struct Places {
    last: u64,
    open: BTreeMap<u64, Arc<Place>>,
}

/// Counts a connection as open until dropped.
pub(crate) struct OpenConnection {
    all: Arc<OpenConnections>,
    number: u64,
    place: Arc<Place>,
}

/// The place of a connection among the open ones, of which another connection may need it.
pub(super) struct Place {
    accepted: Instant,
    /// Whether the connection was accepted above the limit: closing it makes no room.
    is_spare: bool,
    /// One of the constants below.
    state: AtomicU8,
    /// Wakes the task of the connection.
    connection: AtomicWaker,
}

impl Default for Place {
    fn default() -> Self {
        Self {
            accepted: Instant::now(),
            is_spare: false,
            state: AtomicU8::new(Self::UNSERVED),
            connection: AtomicWaker::new(),
        }
    }
}

impl Place {
    /// The first request has not arrived yet.
    const UNSERVED: u8 = 0;
    /// The connection waits for another request, or for the body of one without a user.
    const IDLE: u8 = 1;
    /// A request is being answered.
    const BUSY: u8 = 2;
    /// The connection has to close.
    const EVICTED: u8 = 3;

    /// Whether the connection was accepted above the limit.
    pub(super) const fn is_spare(&self) -> bool {
        self.is_spare
    }

    fn is(&self, state: u8) -> bool {
        self.state.load(Ordering::Acquire) == state
    }

    fn change(&self, from: u8, to: u8) -> bool {
        self.state.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// The connection does not wait for its client.
    pub(super) fn be_busy(&self) {
        let _ = self.change(Self::IDLE, Self::BUSY) || self.change(Self::UNSERVED, Self::BUSY);
    }

    /// The connection waits for its client again.
    pub(super) fn be_idle(&self) {
        self.change(Self::BUSY, Self::IDLE);
    }

    /// Ready when the connection has to close; its task is woken then.
    pub(super) fn poll_evicted(&self, context: &Context<'_>) -> Poll<()> {
        self.connection.register(context.waker());
        if self.is_evicted() { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Whether the connection has to close after its current request.
    pub(super) fn is_evicted(&self) -> bool {
        self.is(Self::EVICTED)
    }

    /// Makes a connection in this state close.
    fn evict(&self, state: u8) -> bool {
        let is_evicted = !self.is_spare && self.change(state, Self::EVICTED);
        if is_evicted {
            self.connection.wake();
        }
        is_evicted
    }
}

impl OpenConnections {
    /// Allows `limit` connections, and [`SPARE`] more. At the limit, those that wait for their clients make
    /// room. If there are none, most requests on the additional ones get a 503.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            first_request_grace: FIRST_REQUEST_GRACE,
            open: AtomicUsize::new(0),
            leaving: AtomicUsize::new(0),
            places: Mutex::default(),
            is_reported: AtomicBool::new(false),
            evicted: Counter::default(),
            answered: Counter::default(),
            reset: Counter::default(),
        }
    }

    /// Accepts a connection; `None` when it has to be closed at once.
    pub(crate) fn admit(self: &Arc<Self>) -> Option<OpenConnection> {
        let before = self.open.fetch_add(1, Ordering::Relaxed);
        let is_over = before >= self.limit;
        if is_over && !self.is_reported.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                limit = self.limit,
                "too many connections: those that wait for their clients are closed; if there are \
                 none, further ones get 503 or are reset until some end; find out which clients \
                 hold them, or raise PATROL_CONNECTIONS and the limit of open files (LimitNOFILE \
                 of systemd, ulimit -n)"
            );
        }
        let fits = before < self.limit.saturating_add(SPARE);
        let staying = before.saturating_sub(self.leaving.load(Ordering::Relaxed));
        let has_room = !is_over || (fits && (staying < self.limit || self.make_room()));
        let admitted = self.open_place(!has_room);
        if has_room {
            return Some(admitted);
        }
        if fits { &self.answered } else { &self.reset }.increment();
        fits.then_some(admitted)
    }

    fn open_place(self: &Arc<Self>, is_spare: bool) -> OpenConnection {
        let place = Arc::new(Place { is_spare, ..Place::default() });
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        places.last = places.last.wrapping_add(1);
        let number = places.last;
        places.open.insert(number, Arc::clone(&place));
        drop(places);
        OpenConnection { all: Arc::clone(self), number, place }
    }

    /// Makes some connections close that wait for their clients, the oldest first: those that should have
    /// sent their first request, else those that have, else one of the others. Returns whether there were some.
    fn make_room(&self) -> bool {
        let places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let evict = |state, most, may: &dyn Fn(&Place) -> bool| {
            let evicted = places.open.values().filter(|place| may(place) && place.evict(state));
            let evicted = evicted.take(most).count();
            self.leaving.fetch_add(evicted, Ordering::Relaxed);
            self.evicted.add(evicted);
            evicted > 0
        };
        // Few enough that the log does not take it for the end of the crowd.
        let most = (self.limit / 32).clamp(1, MAX_EVICTIONS);
        let is_late = |place: &Place| place.accepted.elapsed() >= self.first_request_grace;
        evict(Place::UNSERVED, most, &is_late)
            || evict(Place::IDLE, most, &|_| true)
            || evict(Place::UNSERVED, 1, &|_| true)
    }

    /// The connections above the limit so far, and the limit.
    pub(crate) fn metrics(&self) -> [Metric; 4] {
        let refused = |counter: &Counter, how| {
            counter.metric(
                "http_connections_refused_total",
                "Connections above the limit: answered with 503, or reset.",
                Some(("how", how)),
            )
        };
        [
            refused(&self.answered, "answered"),
            refused(&self.reset, "reset"),
            self.evicted.metric(
                "http_connections_evicted_total",
                "Connections that waited for their clients and were closed, at the limit, for others.",
                None,
            ),
            Metric::gauge_of(
                "http_connections_limit",
                "Most connections at once; fewer than PATROL_CONNECTIONS if files are limited.",
                None,
                self.limit,
            ),
        ]
    }

    /// The number of open connections.
    pub(crate) fn count(&self) -> usize {
        self.open.load(Ordering::Relaxed)
    }

    /// The number of connections that wait for their first request.
    pub(crate) fn unserved(&self) -> usize {
        let places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        places.open.values().filter(|place| place.is(Place::UNSERVED)).count()
    }
}

impl OpenConnection {
    /// Whether the connection was accepted above the limit.
    pub(crate) fn is_over_limit(&self) -> bool {
        self.place.is_spare
    }

    /// The place of this connection.
    pub(super) const fn place(&self) -> &Arc<Place> {
        &self.place
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        let Self { all, number, place } = self;
        all.places.lock().unwrap_or_else(PoisonError::into_inner).open.remove(number);
        // No longer in the list, so its state no longer changes to this.
        if place.is_evicted() {
            all.leaving.fetch_sub(1, Ordering::Relaxed);
        }
        let left = all.open.fetch_sub(1, Ordering::Relaxed).saturating_sub(1);
        // The log reports the end only a little below the limit, so that it does not alternate with
        // every connection.
        let low_mark = all.limit.saturating_sub(all.limit / 16);
        if left < low_mark && all.is_reported.swap(false, Ordering::Relaxed) {
            tracing::info!(open = left, "connections are accepted as usual again");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;

    fn open(all: &Arc<OpenConnections>) -> OpenConnection {
        all.admit().unwrap()
    }

    fn busy(all: &Arc<OpenConnections>) -> OpenConnection {
        let connection = open(all);
        connection.place.be_busy();
        connection
    }

    fn idle(all: &Arc<OpenConnections>) -> OpenConnection {
        let connection = busy(all);
        connection.place.be_idle();
        connection
    }

    /// Connections that all have, or do not have, time left for their first request.
    fn all(limit: usize, grace: Duration) -> Arc<OpenConnections> {
        Arc::new(OpenConnections { first_request_grace: grace, ..OpenConnections::new(limit) })
    }

    const LONG: Duration = Duration::from_hours(1);

    fn stays(connection: &OpenConnection) -> bool {
        connection.place.poll_evicted(&Context::from_waker(Waker::noop())).is_pending()
    }

    #[test]
    fn busy_connections_stay_and_further_ones_are_spare_or_refused() {
        let all = Arc::new(OpenConnections::new(2));
        let mut connections: Vec<_> = (0..2 + SPARE).map(|_| busy(&all)).collect();
        let over: Vec<_> = connections.iter().map(OpenConnection::is_over_limit).collect();
        assert!(!over[0] && !over[1] && over[2..].iter().all(|over| *over));
        assert!(all.admit().is_none());
        assert_eq!(all.count(), 2 + SPARE);
        connections.clear();
        assert_eq!((all.count(), all.places.lock().unwrap().open.len()), (0, 0));
        assert!(!open(&all).is_over_limit());
    }

    #[test]
    fn who_waits_makes_room_for_a_new_connection() {
        let all = all(3, LONG);
        let (old, idle, working) = (open(&all), idle(&all), busy(&all));
        // The first has had no time to send its request, so who has been served goes first.
        let new = open(&all);
        assert!(!new.is_over_limit());
        assert_eq!([&old, &idle, &working, &new].map(stays), [true, false, true, true]);
        drop(idle);
        drop(open(&all));
        assert_eq!([&old, &working, &new].map(stays), [false, true, true]);
        assert!(old.place.is_evicted() && !working.place.is_evicted());
    }

    #[test]
    fn who_is_late_goes_before_who_was_served() {
        let all = all(2, Duration::ZERO);
        let (idle, late) = (idle(&all), open(&all));
        let new = open(&all);
        assert_eq!([&idle, &late, &new].map(stays), [true, false, true]);
    }

    #[test]
    fn a_request_that_comes_too_late_is_the_last_one() {
        let all = Arc::new(OpenConnections::new(1));
        let old = open(&all);
        let _new = open(&all);
        old.place.be_busy();
        assert!(old.place.is_evicted());
    }

    #[test]
    fn room_for_some_is_made_at_once_and_no_more_than_is_needed() {
        let all = all(96, LONG);
        let held: Vec<_> = (0..96).map(|_| idle(&all)).collect();
        let evicted = || held.iter().filter(|one| one.place.is_evicted()).count();
        let mut new: Vec<_> = (0..3).map(|_| open(&all)).collect();
        assert_eq!(evicted(), 3, "none of them has closed yet");
        assert!(held[..3].iter().all(|one| one.place.is_evicted()), "the oldest");
        new.push(open(&all));
        assert_eq!(evicted(), 6);
        assert!(new.iter().all(|one| !one.is_over_limit()));
        drop(held);
        assert_eq!(all.leaving.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn who_came_above_the_limit_makes_no_room() {
        let all = all(1, Duration::ZERO);
        let (_busy, spare) = (busy(&all), idle(&all));
        assert!(spare.is_over_limit() && open(&all).is_over_limit());
        assert!(!spare.place.is_evicted());
    }

    #[test]
    fn a_connection_is_unserved_until_its_first_request_or_its_end() {
        let all = Arc::new(OpenConnections::new(2));
        let (first, second) = (open(&all), open(&all));
        assert_eq!(all.unserved(), 2);
        first.place.be_busy();
        assert!(stays(&first));
        drop(second);
        assert_eq!((all.count(), all.unserved()), (1, 0));
    }
}
