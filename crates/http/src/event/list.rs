//! Declaration of the parameters of the log of changes.

use std::time::Duration;

use patrol_domain::event::{Event, EventFilter, EventList, Resource};
use patrol_record::EventRecord;

use crate::list::{
    Filter, FilterPlace, Kind, ListDeclaration, OptionParameter, RowContext, Setter,
};

/// The requested part of the log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    /// Only events after this position.
    pub(crate) after: i64,
    /// The maximum number of events.
    pub(crate) limit: u32,
    /// How long to wait for the first event.
    pub(crate) wait: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { after: 0, limit: 100, wait: Duration::ZERO }
    }
}

/// The greatest position.
const MAX_POSITION: u64 = i64::MAX.unsigned_abs();

impl ListDeclaration for EventList {
    type Options = Options;
    type Row<'a> = EventRecord<'a>;

    const NAME: &'static str = "EventPage";

    const FILTERS: &'static [Filter<EventFilter>] = &[
        Filter::new("type", EventFilter::Type, Kind::Name(Resource::EVENT_TYPES))
            .about("What happened.", "in:taskExecution.updated,taskExecution.deleted"),
        Filter::new("resourceType", EventFilter::Resource, Kind::Name(Resource::NAMES))
            .about("The kind of record.", "taskExecution"),
        Filter::new("resourceId", EventFilter::ResourceId, Kind::Id)
            .about("The record.", "0190de30-0008-7000-8000-000000010116"),
        Filter::new("actorId", EventFilter::Actor, Kind::Id)
            .about("The user who made the change.", "0190de30-0004-7000-8000-000000000001"),
        Filter::new("at", EventFilter::At, Kind::Time)
            .about("The time of the change.", "gte:2026-01-31T00:00:00Z"),
    ];

    const OPTIONS: &'static [OptionParameter<Options>] = &[
        OptionParameter {
            name: "after",
            about: "Only events after this position: `next` of the previous answer. 0 when absent: \
                    from the oldest.",
            set: Setter::Number(0, MAX_POSITION, |options, after| {
                options.after = i64::try_from(after).unwrap_or(i64::MAX);
            }),
        },
        OptionParameter {
            name: "limit",
            about: "The maximum number of events; 100 when absent.",
            set: Setter::Number(1, 1_000, |options, limit| {
                options.limit = u32::try_from(limit).unwrap_or(u32::MAX);
            }),
        },
        OptionParameter {
            name: "wait",
            about: "How many seconds to wait when there is no event; 0 when absent. The wait \
                    ends with the next event.",
            set: Setter::Number(0, 30, |options, seconds| {
                options.wait = Duration::from_secs(seconds);
            }),
        },
    ];

    const SORT_EXAMPLE: &'static str = "";
    const FILTER_PLACE: FilterPlace = FilterPlace::Absent;

    fn row(item: &Event, _: RowContext) -> EventRecord<'_> {
        EventRecord::new(item)
    }
}
