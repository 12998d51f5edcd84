//! Ports that belong to no single feature: clock, ids, health check, metrics.

use async_trait::async_trait;
use uuid::Uuid;

use super::{error::StoreError, timestamp::Timestamp};

/// The clock. A port, so that tests can set the time.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait Clock: Send + Sync {
    /// The current time in UTC, to the millisecond.
    fn now(&self) -> Timestamp;
}

/// Generates ids. A port, so that tests can predict them.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait Ids: Send + Sync {
    /// A new UUID version 7. Ids of one process sort in order of creation, unless the clock is set
    /// back.
    fn next(&self) -> Uuid;
}

/// Checks whether a store can be used.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Readiness: Send + Sync {
    /// Runs a small query.
    ///
    /// # Errors
    /// When the store does not answer.
    async fn ping(&self) -> Result<(), StoreError>;
}

/// A store whose size can be measured.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Measured: Send + Sync {
    /// The size of the store. Costs a few reads by key.
    ///
    /// # Errors
    /// When the store does not answer.
    async fn measure(&self) -> Result<StoreSize, StoreError>;
}

/// The size of a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StoreSize {
    /// The bytes of the database, without its write-ahead log.
    pub bytes: u64,
    /// The log of changes; `None` while it is empty.
    pub events: Option<StoredEvents>,
    /// The standbys that receive the log of the database; `None` for a store without replication.
    pub standbys: Option<u64>,
}

/// The first and the last event of the log of changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StoredEvents {
    /// The position of the oldest event.
    pub first: i64,
    /// The position of the newest event. At most `last - first + 1` events are stored: positions of
    /// changes that were rolled back are unused.
    pub last: i64,
    /// The time of the oldest event.
    pub oldest: Timestamp,
}

/// A part of the program with metrics for the operator, for example a store.
pub trait Monitored: Send + Sync {
    /// The current metrics. MUST NOT wait for the store or for a lock that other code holds for
    /// long: operators need the metrics most when the store hangs.
    fn metrics(&self) -> Vec<Metric>;
}

/// One metric in the model of Prometheus.
#[derive(Clone, PartialEq, Debug)]
pub struct Metric {
    /// In snake case, for example `patrol_store_queue_length`; with the unit, if the value is in
    /// seconds or bytes. The name of a counter ends with `_total`.
    pub name: &'static str,
    /// One sentence for the operator; the same for all metrics with this name.
    pub help: &'static str,
    /// How the value changes.
    pub kind: MetricKind,
    /// Name and value of a label that distinguishes metrics with the same name, for example
    /// `("queue", "writes")`. Both are constants, so that no client can add values.
    pub label: Option<(&'static str, &'static str)>,
    /// In base units: seconds, bytes or a count.
    pub value: f64,
}

impl Metric {
    /// A gauge, in base units.
    #[must_use]
    pub const fn gauge(
        name: &'static str,
        help: &'static str,
        label: Option<(&'static str, &'static str)>,
        value: f64,
    ) -> Self {
        Self { name, help, kind: MetricKind::Gauge, label, value }
    }

    /// A gauge that counts things. Rounded above 2^53.
    #[must_use]
    pub fn gauge_of(
        name: &'static str,
        help: &'static str,
        label: Option<(&'static str, &'static str)>,
        count: impl TryInto<u64>,
    ) -> Self {
        // A metric is a 64-bit float, and the standard library has no other conversion to it.
        #[allow(clippy::as_conversions)]
        let value = count.try_into().unwrap_or(u64::MAX) as f64;
        Self::gauge(name, help, label, value)
    }
}

/// How the value of a [`Metric`] changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MetricKind {
    /// Goes up and down, for example a queue length.
    Gauge,
    /// Only grows, from 0 at the start of the process.
    Counter,
}
