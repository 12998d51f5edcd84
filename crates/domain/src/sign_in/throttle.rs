//! The limit of failed sign-ins, for each name and for each address.

use std::{net::IpAddr, time::Duration};

use crate::{
    access::Digest,
    shared::{ids::UserId, text::fold, timestamp::Timestamp},
};

/// How many failures of a name within [`WINDOW`] block further sign-ins with this name.
pub const FAILURES_OF_NAME: usize = 5;

/// How many failures from an address within [`WINDOW`] block further sign-ins from there.
pub const FAILURES_OF_ADDRESS: usize = 50;

/// How long a failure counts, in milliseconds: 15 minutes.
const WINDOW: i64 = 15 * 60 * 1000;

/// A use of a password: at a sign-in, or to confirm a change of the password.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// The digest of [`name_key`].
    pub name: Digest,
    /// The digest of [`address_key`].
    pub address: Digest,
    /// The time of the attempt.
    pub at: Timestamp,
}

/// The failed attempts that count for an attempt.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Failures {
    /// Those with the same name.
    pub name: FailureTimes,
    /// Those from the same address.
    pub address: FailureTimes,
}

/// The times of failed attempts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FailureTimes(pub Vec<Timestamp>);

impl Attempt {
    /// How long the attempt has to wait; `None` when it may be made now. A right password waits as
    /// long as a wrong one.
    #[must_use]
    pub fn retry_after(&self, failures: &Failures) -> Option<Duration> {
        let of_name = failures.name.retry_after(FAILURES_OF_NAME, self.at);
        let of_address = failures.address.retry_after(FAILURES_OF_ADDRESS, self.at);
        of_name.max(of_address)
    }

    /// The failures after this attempt has failed too, without those that no longer count.
    #[must_use]
    pub fn failed(&self, failures: &Failures) -> Failures {
        Failures {
            name: failures.name.with(FAILURES_OF_NAME, self.at),
            address: failures.address.with(FAILURES_OF_ADDRESS, self.at),
        }
    }
}

impl FailureTimes {
    fn retry_after(&self, limit: usize, now: Timestamp) -> Option<Duration> {
        let mut counted: Vec<_> = self.counted(now).collect();
        counted.sort_unstable();
        // The attempt may be made when fewer failures than the limit count.
        let last = counted.len().checked_sub(limit)?;
        let wait = WINDOW - now.since(*counted.get(last)?);
        Some(Duration::from_millis(u64::try_from(wait.clamp(1, WINDOW)).unwrap_or(1)))
    }

    fn with(&self, limit: usize, now: Timestamp) -> Self {
        let mut times: Vec<_> = self.counted(now).chain([now]).collect();
        times.sort_unstable();
        Self(times.split_off(times.len().saturating_sub(limit)))
    }

    /// The failures that still count. A failure after `now` counts too: the clock of the node that
    /// stored the failure may be ahead.
    fn counted(&self, now: Timestamp) -> impl Iterator<Item = Timestamp> {
        self.0.iter().copied().filter(move |at| now.since(*at) < WINDOW)
    }

    /// The time from which no failure counts any more; `None` without failures.
    #[must_use]
    pub fn expires_at(&self) -> Option<Timestamp> {
        let last = self.0.iter().max()?;
        Some(last.shifted(WINDOW).unwrap_or(Timestamp::LAST))
    }
}

/// The key under which failures of a name are counted: the id of the user with the typed employee
/// number or email address, else the typed text, ignoring case.
#[must_use]
pub fn name_key(user: Option<UserId>, typed: &str) -> String {
    match user {
        Some(id) => format!("user {id}"),
        None => format!("name {}", fold(typed)),
    }
}

/// The key under which failures of an address are counted. For IPv6 it is the /64 network, because
/// one client usually has all addresses of its network.
#[must_use]
pub fn address_key(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => format!("address {address}"),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            format!("address {a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
    }
}
