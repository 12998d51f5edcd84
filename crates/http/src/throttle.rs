//! Failed authentications, counted by address.

use std::{
    collections::{HashMap, hash_map::Entry},
    net::IpAddr,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use crate::client_address::client_network;

/// How long failures of an address are counted together.
const WINDOW: Duration = Duration::from_secs(60);

/// The maximum number of addresses in memory, about half a megabyte.
const MAX_ADDRESSES: usize = 8192;

/// Counts failures by address. Only wrong tokens are counted and refused; a valid token always
/// passes.
pub(crate) struct Throttle {
    allowed: u32,
    failures: Mutex<HashMap<IpAddr, Failures>>,
}

/// The failures of one address.
#[derive(Clone, Copy)]
struct Failures {
    /// The time of the first failure.
    since: Instant,
    count: u32,
}

impl Failures {
    fn is_expired(self, now: Instant) -> bool {
        now.saturating_duration_since(self.since) >= WINDOW
    }
}

impl Throttle {
    /// Allows this many failures of one address within a minute.
    pub(crate) fn new(allowed: u32) -> Self {
        Self { allowed, failures: Mutex::new(HashMap::new()) }
    }

    /// Counts a wrong token of this address. Returns the `Retry-After` in seconds when there were
    /// too many.
    pub(crate) fn note_failure(&self, address: IpAddr, now: Instant) -> Option<u64> {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let address = client_network(address);
        if failures.len() >= MAX_ADDRESSES && !failures.contains_key(&address) {
            make_room(&mut failures, now);
        }
        let fresh = Failures { since: now, count: 0 };
        let known = match failures.entry(address) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(fresh),
        };
        if known.is_expired(now) {
            *known = fresh;
        }
        known.count = known.count.saturating_add(1);
        let left = WINDOW.saturating_sub(now.saturating_duration_since(known.since));
        (known.count > self.allowed)
            .then(|| left.as_millis().div_ceil(1000).try_into().unwrap_or(1))
    }
}

/// Removes expired entries; if none is expired, the address with the fewest failures.
fn make_room(failures: &mut HashMap<IpAddr, Failures>, now: Instant) {
    failures.retain(|_, known| !known.is_expired(now));
    if failures.len() >= MAX_ADDRESSES {
        let fewest = failures.iter().min_by_key(|(_, known)| known.count).map(|(at, _)| *at);
        if let Some(address) = fewest {
            failures.remove(&address);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn address(number: u32) -> IpAddr {
        IpAddr::V4(Ipv4Addr::from(number))
    }

    #[test]
    fn failures_above_the_allowed_number_are_refused() {
        let (throttle, now) = (Throttle::new(3), Instant::now());
        for _ in 0..3 {
            assert_eq!(throttle.note_failure(address(1), now), None);
        }
        assert_eq!(throttle.note_failure(address(1), now + Duration::from_millis(500)), Some(60));
        assert_eq!(throttle.note_failure(address(1), now + Duration::from_secs(59)), Some(1));
        assert_eq!(throttle.note_failure(address(2), now), None);
    }

    #[test]
    fn the_count_restarts_after_a_minute() {
        let (throttle, now) = (Throttle::new(1), Instant::now());
        assert_eq!(throttle.note_failure(address(1), now), None);
        assert!(throttle.note_failure(address(1), now).is_some());
        assert_eq!(throttle.note_failure(address(1), now + WINDOW), None);
    }

    #[test]
    fn addresses_in_one_ipv6_network_count_together() {
        let (throttle, now) = (Throttle::new(1), Instant::now());
        assert_eq!(throttle.note_failure("2001:db8:1:2::1".parse().unwrap(), now), None);
        assert!(throttle.note_failure("2001:db8:1:2:ffff::2".parse().unwrap(), now).is_some());
        assert_eq!(throttle.note_failure("2001:db8:1:3::1".parse().unwrap(), now), None);
        assert_eq!(throttle.note_failure("::ffff:10.0.0.1".parse().unwrap(), now), None);
        assert!(throttle.note_failure("10.0.0.1".parse().unwrap(), now).is_some());
    }

    #[test]
    fn memory_is_bounded_and_the_address_with_most_failures_is_kept() {
        let (throttle, now) = (Throttle::new(1), Instant::now());
        let worst = address(u32::MAX);
        for _ in 0..2 {
            throttle.note_failure(worst, now);
        }
        for number in 0..u32::try_from(MAX_ADDRESSES).unwrap() + 100 {
            throttle.note_failure(address(number), now);
        }
        assert!(throttle.failures.lock().unwrap().len() <= MAX_ADDRESSES);
        assert!(throttle.note_failure(worst, now).is_some());
    }
}
