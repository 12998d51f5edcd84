//! The system clock and the generator of ids.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use patrol_domain::{Clock, Ids, Timestamp, ids::Uuid};
use uuid::ContextV7;

/// The system clock.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    // The only place that reads the system clock; other code uses the port.
    #[allow(clippy::disallowed_methods)]
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis())
            .ok()
            .and_then(Timestamp::from_millis)
            .unwrap_or(Timestamp::LAST)
    }
}

/// The maximum number of milliseconds by which the clock may be set back while new ids continue
/// from the latest time. After a greater step back, new ids have the time of the clock.
const MAX_CORRECTION: i64 = 10_000;

/// Generates ascending UUIDs version 7, also within one millisecond. When the clock is set back by
/// more than 10 s, new ids have the time of the clock; otherwise one wrong time would affect all
/// later ids.
pub(crate) struct TimedIds {
    clock: Arc<dyn Clock>,
    sequence: Mutex<Sequence>,
}

/// The state that makes ids ascend.
struct Sequence {
    counter: ContextV7,
    /// The latest time of an id, in milliseconds since 1970.
    latest: i64,
}

impl TimedIds {
    /// A generator that uses this clock.
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, sequence: Mutex::new(Sequence::starting_at(i64::MIN)) }
    }
}

impl Sequence {
    const fn starting_at(latest: i64) -> Self {
        Self { counter: ContextV7::new(), latest }
    }
}

impl Ids for TimedIds {
    // The only place that generates ids; other code uses the port.
    #[allow(clippy::disallowed_methods)]
    fn next(&self) -> Uuid {
        let now = self.clock.now().millis().max(0);
        let mut sequence = self.sequence.lock().unwrap_or_else(PoisonError::into_inner);
        if now < sequence.latest.saturating_sub(MAX_CORRECTION) {
            *sequence = Sequence::starting_at(now);
        }
        sequence.latest = sequence.latest.max(now);
        let since = Duration::from_millis(u64::try_from(now).unwrap_or(0));
        let (seconds, nanos) = (since.as_secs(), since.subsec_nanos());
        Uuid::new_v7(uuid::Timestamp::from_unix(&sequence.counter, seconds, nanos))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI64, Ordering};

    use super::*;

    const NOON: i64 = 1_800_000_000_000;

    /// A clock that a test sets.
    struct ManualClock(AtomicI64);

    impl Clock for ManualClock {
        fn now(&self) -> Timestamp {
            Timestamp::from_millis(self.0.load(Ordering::SeqCst)).unwrap()
        }
    }

    fn ids_at(time: i64) -> (TimedIds, Arc<ManualClock>) {
        let clock = Arc::new(ManualClock(AtomicI64::new(time)));
        (TimedIds::new(clock.clone()), clock)
    }

    /// The time in an id, in milliseconds since 1970.
    fn time(id: Uuid) -> i64 {
        let (seconds, nanos) = id.get_timestamp().unwrap().to_unix();
        i64::try_from(seconds).unwrap() * 1000 + i64::from(nanos / 1_000_000)
    }

    #[test]
    fn ids_have_version_7_and_ascend() {
        let ids = TimedIds::new(Arc::new(SystemClock));
        let ids: Vec<_> = (0..10_000).map(|_| ids.next()).collect();
        assert!(ids.is_sorted_by(|one, next| one < next));
        assert!(ids.iter().all(|id| id.get_version_num() == 7));
    }

    #[test]
    fn new_ids_have_the_time_of_the_clock() {
        let (ids, clock) = ids_at(NOON);
        assert_eq!(time(ids.next()), NOON);
        clock.0.store(NOON + 1, Ordering::SeqCst);
        assert_eq!(time(ids.next()), NOON + 1);
    }

    #[test]
    fn ids_ascend_while_the_clock_goes_back_a_little() {
        let (ids, clock) = ids_at(NOON);
        let mut last = ids.next();
        for back in [1, 500, 9_999, 10_000, 3_000, 0] {
            clock.0.store(NOON - back, Ordering::SeqCst);
            for _ in 0..1_000 {
                let next = ids.next();
                assert!(next > last, "{back} ms back");
                last = next;
            }
        }
        clock.0.store(NOON + 1, Ordering::SeqCst);
        assert_eq!(time(ids.next()), NOON + 1);
    }

    #[test]
    fn ids_follow_a_clock_that_was_ahead() {
        for ahead in [10_001, 3_600_000, 20 * 365 * 86_400_000] {
            let (ids, clock) = ids_at(NOON + ahead);
            assert_eq!(time(ids.next()), NOON + ahead);
            clock.0.store(NOON, Ordering::SeqCst);
            let (one, next) = (ids.next(), ids.next());
            assert_eq!((time(one), time(next)), (NOON, NOON), "{ahead} ms ahead");
            assert!(one < next);
        }
    }
}
