//! The log of changes.

use std::{sync::Arc, time::Duration};

use patrol_domain::{
    Clock, RecordId, Reference, StoreError,
    event::{EventFilter, EventPage, EventQuery, Events, of_record},
    list::Condition,
};

use crate::{
    failure::Failure,
    permission::{Actor, Operation, Operator, permit},
};

/// The use cases of the log of changes.
#[derive(Clone)]
pub struct EventService {
    events: Arc<dyn Events>,
    clock: Arc<dyn Clock>,
}

/// Selects the events of one record that exists or existed.
#[derive(Clone, PartialEq, Debug)]
pub struct RecordEvents(Condition<EventFilter>);

impl EventService {
    /// Use cases that work with these ports.
    #[must_use]
    pub fn new(events: Arc<dyn Events>, clock: Arc<dyn Clock>) -> Self {
        Self { events, clock }
    }

    /// A page of the events of all records.
    ///
    /// # Errors
    /// `Denied`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "event.page", skip_all)]
    pub async fn page(&self, actor: Actor, query: EventQuery) -> Result<EventPage, Failure> {
        permit(actor, Operation::Audit)?;
        Ok(self.events.page(query).await?)
    }

    /// Selects the events of a record of any kind, for [`Self::page_of`]. The record may be deleted.
    ///
    /// # Errors
    /// `Denied`; `NotFound` when neither the record nor an event of the record exists; `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "event.of_record", skip_all)]
    pub async fn of_record(
        &self,
        actor: Actor,
        id: impl RecordId,
    ) -> Result<RecordEvents, Failure> {
        permit(actor, Operation::Read)?;
        let record = Reference::from(id);
        let is_stored = self.events.is_stored(record).await?;
        self.require_record(of_record(record.kind, record.id), is_stored).await
    }

    async fn require_record(
        &self,
        record: Condition<EventFilter>,
        is_stored: bool,
    ) -> Result<RecordEvents, Failure> {
        let mut any = EventQuery { after: 0, limit: 1, condition: record.clone() };
        let mut is_known = is_stored;
        while !is_known {
            let EventPage { events, next, more } = self.events.page(any.clone()).await?;
            is_known = !events.is_empty();
            if !is_known && !more {
                return Err(Failure::NotFound);
            }
            any.after = next;
        }
        Ok(RecordEvents(record))
    }

    /// A page of the events of one record.
    ///
    /// # Errors
    /// `Denied`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "event.page_of", skip_all)]
    pub async fn page_of(
        &self,
        actor: Actor,
        RecordEvents(record): &RecordEvents,
        query: EventQuery,
    ) -> Result<EventPage, Failure> {
        permit(actor, Operation::Read)?;
        let condition = Condition::All(vec![record.clone(), query.condition]);
        Ok(self.events.page(EventQuery { condition, ..query }).await?)
    }

    /// The newest position that can be read.
    ///
    /// # Errors
    /// `Denied`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "event.newest", skip_all)]
    pub async fn newest(&self, actor: Actor) -> Result<i64, Failure> {
        permit(actor, Operation::Read)?;
        Ok(self.events.newest().await?)
    }

    /// Deletes the events that are older than `keep`, and returns their number.
    ///
    /// # Errors
    /// When the store fails. The next run deletes the remaining events.
    #[tracing::instrument(target = "patrol::trace", name = "event.delete_old", skip_all)]
    pub async fn delete_old(&self, _: Operator, keep: Duration) -> Result<usize, StoreError> {
        let keep = i64::try_from(keep.as_millis()).unwrap_or(i64::MAX);
        let Some(until) = self.clock.now().shifted(-keep) else { return Ok(0) };
        let mut deleted = 0;
        loop {
            match self.events.delete_before(until).await? {
                0 => return Ok(deleted),
                count => deleted += count,
            }
        }
    }
}
