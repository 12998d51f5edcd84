//! What the domain asks of the machine it runs on.

use async_trait::async_trait;
use uuid::Uuid;

use super::{error::StoreError, timestamp::Timestamp};

/// Tells the time.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Timestamp;
}

/// Gives new ids.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait Ids: Send + Sync {
    /// A new UUID version 7: ids of one process sort in the order of their creation, unless the clock
    /// is set back.
    fn next(&self) -> Uuid;
}

/// Tells whether a store can be used.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Readiness: Send + Sync {
    /// Asks the store for something small.
    ///
    /// # Errors
    /// When the store cannot answer.
    async fn ping(&self) -> Result<(), StoreError>;
}

/// A part of the program that an operator watches: a store, the place of the photos.
pub trait Monitored: Send + Sync {
    /// The figures as they are now. MUST NOT wait, neither for the store nor for a lock that a
    /// request holds for long: operators ask most when something hangs.
    fn figures(&self) -> Vec<Figure>;
}

/// One figure for operators, in the manner of Prometheus.
#[derive(Clone, PartialEq, Debug)]
pub struct Figure {
    /// For example `patrol_store_queue_length`: snake case, with its unit at the end. A counter's
    /// name ends with `_total`.
    pub name: &'static str,
    /// One sentence for the operator, the same for every figure of this name.
    pub help: &'static str,
    /// Whether the value only grows while the process runs.
    pub kind: FigureKind,
    /// A label that tells figures of one name apart, for example `("queue", "writes")`. Its values
    /// MUST be known when the program is built: a client must not be able to add one.
    pub label: Option<(&'static str, &'static str)>,
    /// In base units: seconds, bytes, or a number of things.
    pub value: f64,
}

/// How a [`Figure`] moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FigureKind {
    /// Up and down.
    Gauge,
    /// Only up, from 0 at the start of the process.
    Counter,
}
