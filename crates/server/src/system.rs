//! The machine's time and the ids of new records.

use std::time::{SystemTime, UNIX_EPOCH};

use patrol_domain::{Clock, Ids, Timestamp, ids::Uuid};

/// The clock of the machine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    // The one place that asks the machine; everything else asks the port.
    #[allow(clippy::disallowed_methods)]
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis())
            .ok()
            .and_then(Timestamp::from_millis)
            .unwrap_or(Timestamp::LAST)
    }
}

/// UUIDs version 7 that grow within the process, also those of one millisecond.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimedIds;

impl Ids for TimedIds {
    // The one place that makes ids; everything else asks the port. The function keeps the counter
    // that makes ids grow.
    #[allow(clippy::disallowed_methods)]
    fn next(&self) -> Uuid {
        Uuid::now_v7()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_of_version_7_and_grow() {
        let ids: Vec<_> = (0..10_000).map(|_| TimedIds.next()).collect();
        assert!(ids.is_sorted_by(|one, next| one < next));
        assert!(ids.iter().all(|id| id.get_version_num() == 7));
    }

    #[test]
    fn the_clock_tells_the_time_of_new_ids() {
        let before = SystemClock.now().millis();
        let (seconds, nanos) = TimedIds.next().get_timestamp().unwrap().to_unix();
        let made = i64::try_from(seconds).unwrap() * 1000 + i64::from(nanos / 1_000_000);
        assert!((before..=SystemClock.now().millis()).contains(&made));
    }
}
