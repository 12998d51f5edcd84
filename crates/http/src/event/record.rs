//! The response with a part of the log of changes.

use patrol_domain::event::EventPage;
use patrol_record::EventRecord;
use serde::Serialize;
use utoipa::ToSchema;

/// A part of the log of changes.
#[derive(Serialize, ToSchema, Debug)]
#[schema(as = EventPage)]
pub(crate) struct PageRecord<'a> {
    /// The events, in order of position.
    data: Vec<EventRecord<'a>>,
    /// What to send as `after` to get the events that follow.
    #[schema(minimum = 0)]
    next: i64,
    /// Whether there may be more events already.
    more: bool,
}

impl<'a> PageRecord<'a> {
    pub(crate) fn new(page: &'a EventPage) -> Self {
        let EventPage { events, next, more } = page;
        let data = events.iter().map(EventRecord::new).collect();
        Self { data, next: *next, more: *more }
    }
}
