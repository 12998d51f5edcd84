//! The port of the log of changes.

use async_trait::async_trait;

use super::{Event, EventFilter};
use crate::{
    list::Condition,
    shared::{error::StoreError, existing::Reference, timestamp::Timestamp},
};

/// A request for events.
#[derive(Debug, Clone, PartialEq)]
pub struct EventQuery {
    /// Only events after this position; 0 starts with the oldest event.
    pub after: i64,
    /// The maximum number of events to return: 1 to 1,000.
    pub limit: u32,
    /// Only events that meet this condition.
    pub condition: Condition<EventFilter>,
}

/// A page of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventPage {
    /// The events, in the order of their positions.
    pub events: Vec<Event>,
    /// Where the next page starts: all events up to this position are in `events` or do not meet the
    /// condition.
    pub next: i64,
    /// Whether the log may already contain more events that meet the condition.
    pub more: bool,
}

/// The log of changes. The stores of records write it; this port reads it.
///
/// A client that always continues after [`EventPage::next`] MUST get every event exactly once, with
/// any number of writers on any node.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Events: Send + Sync {
    /// The first events after a position. Each call reads a bounded number of events, so a page may
    /// be empty although there are more events.
    async fn page(&self, query: EventQuery) -> Result<EventPage, StoreError>;

    /// Whether the record exists. The events of a deleted record stay.
    async fn is_stored(&self, record: Reference) -> Result<bool, StoreError>;

    /// The newest position that can be read. No later write adds an event at or before this
    /// position.
    async fn newest(&self) -> Result<i64, StoreError>;

    /// Deletes events that are older than `until`, the oldest first, and returns their number. One
    /// call deletes a bounded number of events; 0 means that all of them are deleted. The newest event
    /// of the log always stays.
    async fn delete_before(&self, until: Timestamp) -> Result<usize, StoreError>;
}
