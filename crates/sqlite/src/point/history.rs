//! The history of points, and its list.

use diesel::{
    prelude::*,
    sql_types::{BigInt, SmallInt},
};
use patrol_domain::{
    Named, StoreError, Timestamp,
    point::{HistoryFilter, HistoryList, HistoryRecord, HistorySort, Operation, Point},
    shared::text::fold,
};
use patrol_stored as stored;

use super::row;
use crate::{
    engine::Abort,
    list::{Column, ListTable, SortKey},
    revision::Aggregate,
    schema::{point_history, point_history_tags},
    value::{Id, Row, folded_tags, id, last_insert_rowid, unwritable},
};

#[derive(Insertable)]
#[diesel(table_name = point_history, treat_none_as_default_value = false)]
struct Recorded<'a> {
    operation: i16,
    recorded_at: i64,
    id: Id,
    location_id: Id,
    name: &'a str,
    name_folded: String,
    kind: i16,
    latitude: Option<f64>,
    longitude: Option<f64>,
    graphic_plans: String,
    rfid_code: Option<&'a str>,
    rfid_code_folded: Option<String>,
    qr_code: Option<&'a str>,
    qr_code_folded: Option<String>,
    tags: String,
    tags_folded: String,
}

/// Appends to the history what happened to `point`.
pub(crate) fn record<E>(
    conn: &mut SqliteConnection,
    point: &Point,
    operation: Operation,
    at: Timestamp,
) -> Result<(), Abort<E>> {
    let Point {
        id: point_id,
        location_id,
        name,
        kind,
        position,
        graphic_plans,
        rfid_code,
        qr_code,
        tags,
    } = point;
    let recorded = Recorded {
        operation: operation.code(),
        recorded_at: at.millis(),
        id: id(*point_id),
        location_id: id(*location_id),
        name,
        name_folded: fold(name),
        kind: kind.code(),
        latitude: position.map(|position| position.latitude),
        longitude: position.map(|position| position.longitude),
        graphic_plans: stored::places::write(graphic_plans).map_err(unwritable)?,
        rfid_code: rfid_code.as_deref(),
        rfid_code_folded: rfid_code.as_deref().map(fold),
        qr_code: qr_code.as_deref(),
        qr_code_folded: qr_code.as_deref().map(fold),
        tags: stored::texts::write(tags).map_err(unwritable)?,
        tags_folded: folded_tags(tags),
    };
    diesel::insert_into(point_history::table).values(recorded).execute(conn)?;
    let row: i64 = diesel::select(last_insert_rowid()).get_result(conn)?;
    for tag in tags {
        diesel::insert_into(point_history_tags::table)
            .values((point_history_tags::value.eq(tag), point_history_tags::row.eq(row)))
            .execute(conn)?;
    }
    Ok(())
}

impl ListTable for HistoryList {
    const FROM: &'static str = "point_history";
    const KEY: &'static str = "point_history.history_id";
    const COLUMNS: &'static str = "history_id, operation, recorded_at, id, location_id, name, kind, \
        latitude, longitude, graphic_plans, rfid_code, qr_code, tags";
    const TIES: &'static [&'static str] = &["id", "history_id"];
    const SEARCH: &'static [Column] = &[
        Column::Plain("name_folded"),
        Column::Plain("qr_code_folded"),
        Column::Plain("rfid_code_folded"),
        Column::Plain("tags_folded"),
    ];
    const AGGREGATE: Aggregate = Aggregate::Point;

    type SqlType = (BigInt, SmallInt, BigInt, row::SqlType);
    type Row = Read;

    fn item(read: Read) -> Result<HistoryRecord, StoreError> {
        let Read { history_id, operation, recorded_at, point } = read;
        let at = Row::new("point_history", point.id());
        Ok(HistoryRecord {
            history_id,
            operation: at.named("operation", operation)?,
            recorded_at: at.time("recorded_at", recorded_at)?,
            point: row::read("point_history", point)?,
        })
    }

    fn column(filter: HistoryFilter) -> Column {
        match filter {
            HistoryFilter::Id => Column::Plain("id"),
            HistoryFilter::Name => Column::Plain("name_folded"),
            HistoryFilter::Type => Column::Plain("kind"),
            HistoryFilter::Location => Column::Plain("location_id"),
            HistoryFilter::Tags => Column::Linked { table: "point_history_tags", or: None },
        }
    }

    fn sort(sort: HistorySort) -> SortKey {
        let (sql, nullable) = match sort {
            HistorySort::Id => ("id", false),
            HistorySort::HistoryId => ("history_id", false),
            HistorySort::Operation => (
                "CASE operation WHEN 0 THEN 'create' WHEN 1 THEN 'update' ELSE 'delete' END",
                false,
            ),
            HistorySort::RecordedAt => ("recorded_at", false),
            HistorySort::LocationId => ("location_id", false),
            HistorySort::Name => ("name_folded", false),
            HistorySort::Type => (
                "CASE kind WHEN 0 THEN 'virtual' WHEN 1 THEN 'qr' WHEN 2 THEN 'rfid' \
                    WHEN 3 THEN 'nfc' ELSE 'ble' END",
                false,
            ),
            HistorySort::Latitude => ("latitude", true),
            HistorySort::Longitude => ("longitude", true),
            HistorySort::RfidCode => ("rfid_code_folded", true),
            HistorySort::QrCode => ("qr_code_folded", true),
        };
        SortKey { sql, nullable, few: false }
    }
}

/// A row of the list, in the order of its columns.
#[derive(Queryable)]
pub(crate) struct Read {
    history_id: i64,
    operation: i16,
    recorded_at: i64,
    point: row::Read,
}
