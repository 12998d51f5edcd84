//! The rows of the log of changes, and how a page of it is found.

use std::collections::HashMap;

use diesel::{
    dsl::{self, SqlTypeOf},
    pg::Pg,
    prelude::*,
    sqlite::Sqlite,
};
use patrol_domain::{
    StoreError, StoredEvents, Timestamp,
    data_set::Imported,
    event::{ChangeKind, Event, EventFilter, EventPage, Origin, RequestId, Resource},
    ids::{MediaId, Uuid},
    list::{Condition, Membership, PART_BYTES, Test},
    media::Sha256,
    report::Report,
};
use patrol_record::{AcceptedEntry, Recorded, added, changes, import_counts};

use crate::stored::{
    list::{Bind, Column, Sql},
    row::Row,
    schema::events,
    sql::{Id, Time, id, time, types},
};

/// The change of one record.
pub enum RecordChange<'a, T> {
    /// A new record.
    Create(&'a T),
    /// The record before and after.
    Update(&'a T, &'a T),
    /// The record before, and the key of its row if its table has one.
    Delete(&'a T, Option<i64>),
}

impl<'a, T> RecordChange<'a, T> {
    /// The record after the change, or before its deletion.
    #[must_use]
    pub const fn record(&self) -> &'a T {
        match self {
            Self::Create(record) | Self::Update(_, record) | Self::Delete(record, _) => record,
        }
    }
}

/// The columns of a new event. The store gives it its position.
#[derive(Insertable, Debug)]
#[diesel(table_name = events, treat_none_as_default_value = false)]
pub struct EventColumns {
    id: Id,
    at: Time,
    kind: String,
    resource_type: &'static str,
    resource_id: Option<Id>,
    actor_id: Option<Id>,
    token_id: Option<Id>,
    request_id: Option<String>,
    changes: String,
    size: i32,
    removed_row: Option<i64>,
}

impl EventColumns {
    /// The event of a change; `None` when nothing changed.
    ///
    /// # Errors
    /// When the record cannot be written as JSON.
    pub fn of<T: Recorded>(
        change: &RecordChange<'_, T>,
        by: &Origin,
    ) -> Result<Option<Self>, StoreError> {
        let (kind, before, after, removed_row) = match change {
            RecordChange::Create(new) => (ChangeKind::Created, None, Some(*new), None),
            RecordChange::Update(old, new) => (ChangeKind::Updated, Some(*old), Some(*new), None),
            RecordChange::Delete(old, row) => (ChangeKind::Deleted, Some(*old), None, *row),
        };
        let changes = changes(before, after).map_err(|cause| {
            StoreError::Internal(format!("a change cannot be written as an event: {cause}"))
        })?;
        let record = change.record().id();
        let written = |changes| Self::new(T::RESOURCE, kind, Some(record), changes, by);
        Ok(changes.map(|changes| Self { removed_row, ..written(changes) }))
    }

    /// The event of an import; `None` when it was empty.
    #[must_use]
    pub fn of_import(done: &Imported, by: &Origin) -> Option<Self> {
        let changes = import_counts(done.kinds())?;
        Some(Self::new(Resource::DataSet, ChangeKind::Imported, None, changes, by))
    }

    /// The event of an accepted entry of a report. `digests` has those of its media.
    ///
    /// # Errors
    /// When the entry cannot be written as JSON.
    pub fn of_report(
        report: &Report,
        digests: &HashMap<MediaId, Sha256>,
        by: &Origin,
    ) -> Result<Self, StoreError> {
        let entry = serde_json::to_string(&AcceptedEntry::new(report, digests));
        let entry = entry.map_err(|cause| {
            StoreError::Internal(format!("an entry cannot be written as an event: {cause}"))
        })?;
        let (record, changes) = (Some(report.execution_id.0), added("entry", &entry));
        Ok(Self::new(Resource::TaskExecution, ChangeKind::Reported, record, changes, by))
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "a store numbers its events itself, and no caller has to know their ids"
    )]
    fn new(
        resource: Resource,
        kind: ChangeKind,
        record: Option<Uuid>,
        changes: String,
        by: &Origin,
    ) -> Self {
        let Origin { at, actor, token, request, keyed: _ } = by;
        Self {
            id: id(Uuid::now_v7()),
            at: time(*at),
            kind: format!("{}.{}", resource.name(), kind.name()),
            resource_type: resource.name(),
            resource_id: record.map(id),
            actor_id: actor.map(id),
            token_id: token.map(id),
            request_id: request.map(|request| request.as_str().to_owned()),
            size: i32::try_from(changes.len()).unwrap_or(i32::MAX),
            changes,
            removed_row: None,
        }
    }
}

/// New events that are stored at once: not too many, and not too large together.
#[derive(Default)]
pub struct Portion {
    events: Vec<EventColumns>,
    bytes: usize,
}

impl Portion {
    /// The maximum number of events that are stored at once.
    const MAX: usize = 500;

    /// Adds an event. When it does not fit, returns the events before it.
    #[must_use]
    pub fn push(&mut self, event: EventColumns) -> Option<Vec<EventColumns>> {
        let bytes = event.changes.len();
        let is_full = self.events.len() >= Self::MAX
            || (!self.events.is_empty() && self.bytes.saturating_add(bytes) > PART_BYTES);
        let full = is_full.then(|| std::mem::take(&mut self.events));
        self.bytes = if is_full { bytes } else { self.bytes.saturating_add(bytes) };
        self.events.push(event);
        full
    }

    /// The remaining events.
    #[must_use]
    pub fn into_rest(self) -> Vec<EventColumns> {
        self.events
    }
}

/// The columns of an event, as read.
#[derive(Queryable, Selectable)]
#[diesel(table_name = events, check_for_backend(Sqlite, Pg))]
pub struct EventRow {
    position: i64,
    id: Id,
    at: Time,
    kind: String,
    resource_type: String,
    resource_id: Option<Id>,
    actor_id: Option<Id>,
    token_id: Option<Id>,
    request_id: Option<String>,
    changes: String,
}

/// The SQL types of the columns of [`EventRow`].
pub type EventRowTypes = SqlTypeOf<<EventRow as Selectable<Pg>>::SelectExpression>;

impl EventRow {
    /// Decodes the event.
    ///
    /// # Errors
    /// `Corrupt` when a column cannot be read.
    pub fn event(self) -> Result<Event, StoreError> {
        let row = Row::new("events", self.id);
        let of = |column, id: Option<Id>| id.map(|id| row.id(column, id)).transpose();
        let request = self.request_id.map(|text| {
            RequestId::new(text.as_bytes()).ok_or_else(|| row.corrupt("request_id", "another form"))
        });
        Ok(Event {
            position: self.position,
            id: row.id("id", self.id)?,
            at: row.time("at", self.at)?,
            kind: self.kind,
            resource: self.resource_type,
            resource_id: of("resource_id", self.resource_id)?,
            actor: of("actor_id", self.actor_id)?.map(Uuid::into),
            token: of("token_id", self.token_id)?.map(Uuid::into),
            request: request.transpose()?,
            changes: self.changes,
        })
    }
}

/// The integer key of an event.
pub const KEY: &str = "events.position";

/// The condition over the columns of events.
#[must_use]
pub fn in_columns(condition: &Condition<EventFilter>) -> Condition<Column> {
    condition.clone().map(|filter| match filter {
        EventFilter::Type => Column::Plain("lower(type)"),
        EventFilter::Resource => Column::Plain("lower(resource_type)"),
        EventFilter::ResourceId => Column::Plain("resource_id"),
        EventFilter::Actor => Column::Plain("actor_id"),
        EventFilter::At => Column::Plain("at"),
    })
}

/// The columns of [`EventRow`], in its order.
pub const COLUMNS: &str =
    "position, id, at, type, resource_type, resource_id, actor_id, token_id, request_id, changes";

/// The columns that show how many events fit into a page.
pub const SIZES: &str = "position, size";

/// The SQL types of [`SIZES`].
pub type SizeTypes = (types::BigInt, types::Integer);

/// Selects events after the position `after` up to `until`, in order. `limit` is the maximum number
/// of rows.
pub fn select(columns: &'static str, (after, until): (i64, i64), filter: &Sql, limit: i64) -> Sql {
    let mut sql = Sql::of(&["SELECT ", columns]);
    let within = [after, until].map(Bind::Integer);
    sql.fill(" FROM events WHERE position > ? AND position <= ? AND (", within);
    sql.append(filter);
    sql.fill(") ORDER BY position LIMIT ?", [Bind::Integer(limit)]);
    sql
}

/// The first position after `after`, up to `newest`.
#[dsl::auto_type(no_type_alias)]
pub fn first(after: i64, newest: i64) -> _ {
    events::table
        .filter(events::position.gt(after))
        .filter(events::position.le(newest))
        .order(events::position)
        .select(events::position)
        .limit(1_i64)
}

/// The maximum number of positions that one page searches, unless an index finds its events.
const SEARCHED: i64 = 20_000;

/// The last position to search for a page whose first possible event is `first`.
#[must_use]
pub fn until(condition: &Condition<EventFilter>, first: i64, newest: i64) -> i64 {
    if names_record(condition) { newest } else { newest.min(first.saturating_add(SEARCHED - 1)) }
}

/// Whether the condition names one record, whose events an index finds.
#[must_use]
pub fn names_record(condition: &Condition<EventFilter>) -> bool {
    match condition {
        Condition::All(all) => all.iter().any(names_record),
        Condition::Any(_) => false,
        Condition::Is(filter, test) => {
            *filter == EventFilter::ResourceId
                && matches!(test, Test::Ids(Membership::Any, ids) if ids.len() == 1)
        }
    }
}

/// A page without its events: those of `sizes` that fit, after a search up to `until`. `sizes` are
/// the position and the bytes of each match, one more than `limit` if there are so many.
#[must_use]
pub fn page(sizes: &[(i64, i32)], limit: u32, until: i64, newest: i64) -> EventPage {
    let (next, more) = match last_that_fits(sizes, limit) {
        Some(last) => (last, true),
        None => (until, until < newest),
    };
    EventPage { events: Vec::new(), next, more }
}

/// The last position of a page, if not all of the matching events fit into it. `sizes` are the
/// position and the bytes of each match, one more than `limit` if there are so many. A page has at
/// least one event.
#[must_use]
pub fn last_that_fits(sizes: &[(i64, i32)], limit: u32) -> Option<i64> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut bytes = 0_usize;
    let mut last = None;
    for (count, (position, size)) in sizes.iter().enumerate() {
        bytes = bytes.saturating_add(usize::try_from(*size).unwrap_or_default());
        if count >= limit || (count > 0 && bytes > PART_BYTES) {
            return last;
        }
        last = Some(*position);
    }
    None
}

/// The maximum number of events to delete at once.
const DELETED_AT_ONCE: i64 = 1_000;

/// The positions and times of the oldest events, one more than are deleted at once.
#[dsl::auto_type(no_type_alias)]
pub fn oldest() -> _ {
    let most: i64 = DELETED_AT_ONCE + 1;
    events::table.order(events::position).limit(most).select((events::position, events::at))
}

/// The position and the time of the oldest event.
#[dsl::auto_type(no_type_alias)]
pub fn oldest_one() -> _ {
    events::table.order(events::position).limit(1_i64).select((events::position, events::at))
}

/// What is stored of the log, from [`oldest_one`] and the position of the newest event.
#[must_use]
pub fn stored(oldest: Option<(i64, Time)>, newest: i64) -> Option<StoredEvents> {
    let (first, at) = oldest?;
    let oldest = Timestamp::from_millis(at.0)?;
    Some(StoredEvents { first, last: newest.max(first), oldest })
}

/// The position of the last event to delete, and the number of events up to it; `None` when there is
/// nothing to delete. `oldest` are the positions and times of the oldest events, in order. Events are
/// deleted up to the first one that is not before `until`; the last of `oldest` always stays.
#[must_use]
pub fn last_before(oldest: &[(i64, Time)], until: Time) -> Option<(i64, usize)> {
    let (_, deletable) = oldest.split_last()?;
    let count = deletable.iter().take_while(|(_, at)| at.0 < until.0).count();
    let (last, _) = deletable.get(count.checked_sub(1)?)?;
    Some((*last, count))
}

#[cfg(test)]
mod tests {
    use patrol_domain::event::of_record;

    use super::*;

    #[test]
    fn a_page_ends_where_its_limit_or_its_bytes_end() {
        let small = [(3, 10), (5, 10), (9, 10)];
        assert_eq!(last_that_fits(&small, 2), Some(5));
        assert_eq!(last_that_fits(&small, 3), None);
        assert_eq!(last_that_fits(&[], 1), None);
        let large = i32::try_from(PART_BYTES).unwrap();
        assert_eq!(last_that_fits(&[(1, 1), (2, large), (3, 1)], 9), Some(1));
        assert_eq!(last_that_fits(&[(1, large + 1), (2, 1)], 9), Some(1));
        assert_eq!(last_that_fits(&[(1, large + 1)], 9), None);
    }

    #[test]
    fn only_a_page_without_an_index_is_cut_off() {
        let any = Condition::All(Vec::new());
        assert_eq!(until(&any, 5, 100), 100);
        assert_eq!(until(&any, 5, 1_000_000), 20_004);
        let of_one = Condition::All(vec![any, of_record(Resource::Point, Uuid::nil())]);
        assert_eq!(until(&of_one, 5, 1_000_000), 1_000_000);
    }

    #[test]
    fn the_search_for_the_first_event_reads_one_row() {
        let query = diesel::debug_query::<Pg, _>(&first(3, 9)).to_string();
        assert!(query.contains("LIMIT"), "{query}");
    }

    #[test]
    fn the_newest_event_stays() {
        let rows = [(1, Time(10)), (2, Time(20)), (4, Time(30))];
        assert_eq!(last_before(&rows, Time(10)), None);
        assert_eq!(last_before(&rows, Time(20)), Some((1, 1)));
        assert_eq!(last_before(&rows, Time(99)), Some((2, 2)));
        assert_eq!(last_before(&[(1, Time(10))], Time(99)), None);
        assert_eq!(last_before(&[], Time(99)), None);
    }
}
