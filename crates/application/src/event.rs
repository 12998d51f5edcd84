//! The log of changes.

use std::{sync::Arc, time::Duration};

use patrol_domain::{
    Clock, StoreError,
    event::{EventFilter, EventPage, EventQuery, Events, Resource, of_record},
    ids::{PointId, TaskExecutionId},
    list::Condition,
    point::Points,
    task_execution::TaskExecutions,
};

use crate::{
    failure::Failure,
    permission::{Actor, Operation, Operator, permit},
};

/// The use cases of the log of changes.
#[derive(Clone)]
pub struct EventService {
    events: Arc<dyn Events>,
    executions: Arc<dyn TaskExecutions>,
    points: Arc<dyn Points>,
    clock: Arc<dyn Clock>,
}

/// A record whose events its reader may read.
#[derive(Clone, PartialEq, Debug)]
pub struct EventsOf(Condition<EventFilter>);

impl EventService {
    /// Use cases that work with these ports.
    #[must_use]
    pub fn new(
        events: Arc<dyn Events>,
        executions: Arc<dyn TaskExecutions>,
        points: Arc<dyn Points>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { events, executions, points, clock }
    }

    /// Events of all records.
    ///
    /// # Errors
    /// `Denied`, `Store`.
    pub async fn page(&self, actor: Actor, query: EventQuery) -> Result<EventPage, Failure> {
        permit(actor, Operation::Audit)?;
        Ok(self.events.page(query).await?)
    }

    /// An execution whose events can be read, also a deleted one.
    ///
    /// # Errors
    /// `Denied`; `NotFound` when there is neither the execution nor an event of it; `Store`.
    pub async fn of_execution(
        &self,
        actor: Actor,
        id: TaskExecutionId,
    ) -> Result<EventsOf, Failure> {
        permit(actor, Operation::Read)?;
        let exists = self.executions.get(id).await?.is_some();
        self.known(of_record(Resource::TaskExecution, id.0), exists).await
    }

    /// A point whose events can be read, also a deleted one.
    ///
    /// # Errors
    /// `Denied`; `NotFound` when there is neither the point nor an event of it; `Store`.
    pub async fn of_point(&self, actor: Actor, id: PointId) -> Result<EventsOf, Failure> {
        permit(actor, Operation::Read)?;
        let exists = self.points.get(id).await?.is_some();
        self.known(of_record(Resource::Point, id.0), exists).await
    }

    async fn known(
        &self,
        record: Condition<EventFilter>,
        exists: bool,
    ) -> Result<EventsOf, Failure> {
        let mut any = EventQuery { after: 0, limit: 1, condition: record.clone() };
        let mut is_known = exists;
        while !is_known {
            let EventPage { events, next, more } = self.events.page(any.clone()).await?;
            is_known = !events.is_empty();
            if !is_known && !more {
                return Err(Failure::NotFound);
            }
            any.after = next;
        }
        Ok(EventsOf(record))
    }

    /// Events of one record.
    ///
    /// # Errors
    /// `Denied`, `Store`.
    pub async fn page_of(
        &self,
        actor: Actor,
        EventsOf(record): &EventsOf,
        query: EventQuery,
    ) -> Result<EventPage, Failure> {
        permit(actor, Operation::Read)?;
        let condition = Condition::All(vec![record.clone(), query.condition]);
        Ok(self.events.page(EventQuery { condition, ..query }).await?)
    }

    /// The position up to which events can be read.
    ///
    /// # Errors
    /// `Denied`, `Store`.
    pub async fn newest(&self, actor: Actor) -> Result<i64, Failure> {
        permit(actor, Operation::Read)?;
        Ok(self.events.newest().await?)
    }

    /// Deletes the events that are older than `keep`, some at a time. Returns their number.
    ///
    /// # Errors
    /// When the store fails; the remaining events are found the next time.
    pub async fn forget(&self, _: Operator, keep: Duration) -> Result<usize, StoreError> {
        let keep = i64::try_from(keep.as_millis()).unwrap_or(i64::MAX);
        let Some(until) = self.clock.now().shifted(-keep) else { return Ok(0) };
        let mut forgotten = 0;
        loop {
            match self.events.forget(until).await? {
                0 => return Ok(forgotten),
                some => forgotten += some,
            }
        }
    }
}
