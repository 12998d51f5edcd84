//! The port of the log of changes.

use async_trait::async_trait;

use super::{Event, EventFilter};
use crate::{
    list::Condition,
    shared::{error::StoreError, timestamp::Timestamp},
};

/// A request for events.
#[derive(Debug, Clone, PartialEq)]
pub struct EventQuery {
    /// Only events after this position; 0 for the oldest ones.
    pub after: i64,
    /// The most events to return: 1 to 1,000.
    pub limit: u32,
    /// The condition that each returned event meets.
    pub condition: Condition<EventFilter>,
}

/// A part of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventPage {
    /// The events, in the order of their positions.
    pub events: Vec<Event>,
    /// Every event up to this position is in `events` or does not meet the condition.
    pub next: i64,
    /// Whether there may be matching events after `next` already.
    pub more: bool,
}

/// A reader of the log of changes. All stores of records write to it.
///
/// A reader that always continues after `next` MUST get every event exactly once, with any number
/// of writers on any node.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Events: Send + Sync {
    /// The first events after a position. Reads a bounded number of events, so that a page may be
    /// empty although there are more.
    async fn page(&self, query: EventQuery) -> Result<EventPage, StoreError>;

    /// The position up to which all events can be read.
    async fn newest(&self) -> Result<i64, StoreError>;

    /// Deletes some of the events before `until`, oldest first, and returns their number; 0 when
    /// none is left. The newest event always stays.
    async fn forget(&self, until: Timestamp) -> Result<usize, StoreError>;
}
