//! The response with a part of the log of changes.

use patrol_domain::event::{Event, EventPage};
use patrol_record::EventRecord;
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

/// A part of the log of changes.
#[derive(Serialize, ToSchema, Debug)]
#[schema(as = EventPage)]
pub(crate) struct PageRecord<'a> {
    /// The events, in order of position.
    #[serde(serialize_with = "events")]
    #[schema(value_type = Vec<EventRecord<'_>>)]
    data: &'a [Event],
    /// What to send as `after` to get the events that follow.
    #[schema(minimum = 0)]
    next: i64,
    /// Whether there may be more events already.
    more: bool,
}

impl<'a> PageRecord<'a> {
    pub(crate) fn new(page: &'a EventPage) -> Self {
        let EventPage { events, next, more } = page;
        Self { data: events, next: *next, more: *more }
    }
}

fn events<S: Serializer>(events: &[Event], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(events.iter().map(EventRecord::new))
}
