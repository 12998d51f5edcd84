//! The history of points, and the list of history records.

use std::sync::LazyLock;

use diesel::{dsl::SqlTypeOf, pg::Pg, prelude::*};
use patrol_domain::{
    Named, Resource, StoreError, Timestamp,
    point::{HistoryFilter, HistoryList, HistoryRecord, HistorySort, Operation, Point, PointType},
    shared::text::fold,
};

use super::{PointColumns, PointRow};
use crate::stored::{
    event::RecordChange,
    list::{Column, ListTable, SortKey, Text, by_name},
    row::Row,
    schema::point_history,
    sql::{Id, Places, StoredPlaces, Texts, Time, time, types},
    texts::folded_tags,
};

/// The columns of a history record.
#[derive(Insertable)]
#[diesel(table_name = point_history, treat_none_as_default_value = false)]
pub struct HistoryColumns<'a> {
    operation: i16,
    recorded_at: Time,
    id: Id,
    location_id: Id,
    name: &'a str,
    name_folded: String,
    kind: i16,
    latitude: Option<f64>,
    longitude: Option<f64>,
    graphic_plans: Places<'a>,
    rfid_code: Option<&'a str>,
    rfid_code_folded: Option<String>,
    qr_code: Option<&'a str>,
    qr_code_folded: Option<String>,
    tags: Texts,
    tags_folded: String,
}

impl<'a> HistoryColumns<'a> {
    /// The columns of a record: the operation on `point`, and its time.
    #[must_use]
    pub fn of(point: &'a Point, operation: Operation, at: Timestamp) -> Self {
        let PointColumns {
            id,
            location_id,
            name,
            kind,
            latitude,
            longitude,
            graphic_plans,
            rfid_code,
            qr_code,
            tags,
            folded: _,
        } = PointColumns::of(point);
        Self {
            operation: operation.code(),
            recorded_at: time(at),
            id,
            location_id,
            name,
            name_folded: fold(name),
            kind,
            latitude,
            longitude,
            graphic_plans,
            rfid_code,
            rfid_code_folded: rfid_code.map(fold),
            qr_code,
            qr_code_folded: qr_code.map(fold),
            tags_folded: folded_tags(&point.tags),
            tags,
        }
    }
}

/// The operation that a history record shows for a change.
#[must_use]
pub const fn operation_of(change: &RecordChange<'_, Point>) -> Operation {
    match change {
        RecordChange::Create(_) => Operation::Create,
        RecordChange::Update(..) => Operation::Update,
        RecordChange::Delete(..) => Operation::Delete,
    }
}

/// A row of the history, in the order of the list's columns.
#[derive(Queryable)]
pub struct HistoryRow {
    history_id: i64,
    operation: i16,
    recorded_at: Time,
    point: PointRow,
}

impl HistoryRow {
    fn record(self) -> Result<HistoryRecord, StoreError> {
        let Self { history_id, operation, recorded_at, point } = self;
        let at = Row::new("point_history", point.id);
        Ok(HistoryRecord {
            history_id,
            operation: at.named("operation", operation)?,
            recorded_at: at.time("recorded_at", recorded_at)?,
            point: point.point_of("point_history")?,
        })
    }
}

static OPERATION: LazyLock<String> = LazyLock::new(|| by_name::<Operation>("operation"));
static KIND: LazyLock<String> = LazyLock::new(|| by_name::<PointType>("kind"));

impl ListTable for HistoryList {
    const KEY: &'static str = "point_history.history_id";
    const SEARCH: &'static [&'static str] =
        &["name_folded", "qr_code_folded", "rfid_code_folded", "tags_folded"];
    const FROM: &'static str = "point_history";
    const COLUMNS: Text = Text::same(
        "history_id, operation, recorded_at, id, location_id, name, kind, latitude, longitude, \
        graphic_plans, rfid_code, qr_code, tags",
    );
    const PAGE_COLUMNS: Option<&'static str> = Some(
        "history_id, operation, recorded_at, id, location_id, name, kind, latitude, longitude, \
        CASE WHEN octet_length(graphic_plans::text) <= 65536 THEN graphic_plans END, \
        rfid_code, qr_code, tags",
    );
    const TIES: &'static [&'static str] = &["id", "history_id"];
    const KIND: Resource = Resource::Point;

    type SqlType = (
        types::BigInt,
        types::SmallInt,
        types::Instant,
        SqlTypeOf<<PointRow as Selectable<Pg>>::SelectExpression>,
    );
    type Row = HistoryRow;

    fn column(filter: HistoryFilter) -> Column {
        match filter {
            HistoryFilter::Id => Column::Plain("id"),
            HistoryFilter::Name => Column::Plain("name_folded"),
            HistoryFilter::Type => Column::Plain("kind"),
            HistoryFilter::Location => Column::Plain("location_id"),
            HistoryFilter::Tags => {
                Column::Set { table: "point_history_tags", array: "tags", or: None }
            }
        }
    }

    fn item(read: HistoryRow) -> Result<HistoryRecord, StoreError> {
        read.record()
    }

    fn lacks_large_value(read: &HistoryRow) -> bool {
        let StoredPlaces(places) = &read.point.graphic_plans;
        places.is_none()
    }

    fn sort(sort: HistorySort) -> SortKey {
        match sort {
            HistorySort::Id => SortKey::of("id"),
            HistorySort::HistoryId => SortKey::of("history_id"),
            HistorySort::Operation => SortKey::of(&OPERATION),
            HistorySort::RecordedAt => SortKey::of("recorded_at"),
            HistorySort::LocationId => SortKey::of("location_id"),
            HistorySort::Name => SortKey::of("name_folded"),
            HistorySort::Type => SortKey::of(&KIND),
            HistorySort::Latitude => SortKey::nullable("latitude"),
            HistorySort::Longitude => SortKey::nullable("longitude"),
            HistorySort::RfidCode => SortKey::nullable("rfid_code_folded"),
            HistorySort::QrCode => SortKey::nullable("qr_code_folded"),
        }
    }
}
