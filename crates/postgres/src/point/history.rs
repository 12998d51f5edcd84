//! The history of points, and its list.

use diesel::{
    prelude::*,
    sql_types::{BigInt, SmallInt, Timestamptz},
};
use diesel_async::RunQueryDsl;
use patrol_domain::{
    Named, StoreError, Timestamp,
    ids::Uuid,
    point::{HistoryFilter, HistoryList, HistoryRecord, HistorySort, Operation, Point},
    shared::text::fold,
};

use super::row;
use crate::{
    engine::{Abort, Connection},
    list::{Column, Large, ListTable, SortKey},
    schema::point_history,
    value::{Document, Row, Time, folded_tags, time},
};

#[derive(Insertable)]
#[diesel(table_name = point_history, treat_none_as_default_value = false)]
struct Recorded<'a> {
    operation: i16,
    recorded_at: Time,
    id: Uuid,
    location_id: Uuid,
    name: &'a str,
    name_folded: String,
    kind: i16,
    latitude: Option<f64>,
    longitude: Option<f64>,
    graphic_plans: Document,
    rfid_code: Option<&'a str>,
    rfid_code_folded: Option<String>,
    qr_code: Option<&'a str>,
    qr_code_folded: Option<String>,
    tags: &'a [String],
    tags_folded: String,
}

impl<'a> Recorded<'a> {
    fn of(point: &'a Point, operation: Operation, at: Timestamp) -> Result<Self, StoreError> {
        let Point {
            id,
            location_id,
            name,
            kind,
            position,
            graphic_plans: _,
            rfid_code,
            qr_code,
            tags,
        } = point;
        Ok(Self {
            operation: operation.code(),
            recorded_at: time(at),
            id: id.0,
            location_id: location_id.0,
            name,
            name_folded: fold(name),
            kind: kind.code(),
            latitude: position.map(|position| position.latitude),
            longitude: position.map(|position| position.longitude),
            graphic_plans: row::places(point)?,
            rfid_code: rfid_code.as_deref(),
            rfid_code_folded: rfid_code.as_deref().map(fold),
            qr_code: qr_code.as_deref(),
            qr_code_folded: qr_code.as_deref().map(fold),
            tags,
            tags_folded: folded_tags(tags),
        })
    }
}

/// Appends to the history what happened to `points`, in their order.
pub(crate) async fn record<E>(
    mut conn: &Connection,
    points: &[&Point],
    operation: Operation,
    at: Timestamp,
) -> Result<(), Abort<E>> {
    let recorded: Result<Vec<_>, _> =
        points.iter().map(|point| Recorded::of(point, operation, at)).collect();
    diesel::insert_into(point_history::table).values(recorded?).execute(&mut conn).await?;
    Ok(())
}

impl ListTable for HistoryList {
    const FROM: &'static str = "point_history";
    const COLUMNS: &'static str = "history_id, operation, recorded_at, id, location_id, name, kind, \
        latitude, longitude, graphic_plans, rfid_code, qr_code, tags";
    const LARGE: Option<Large> = Some(Large {
        page_columns: "history_id, operation, recorded_at, id, location_id, name, kind, latitude, \
            longitude, CASE WHEN octet_length(graphic_plans::text) <= 65536 THEN graphic_plans END, \
            rfid_code, qr_code, tags",
        declare: "DECLARE history NO SCROLL CURSOR FOR ",
        fetch: ["FETCH 256 FROM history", "FETCH 16 FROM history", "FETCH 1 FROM history"],
    });
    const TIES: &'static [&'static str] = &["id", "history_id"];
    const SEARCH: &'static [&'static str] =
        &["name_folded", "qr_code_folded", "rfid_code_folded", "tags_folded"];

    type SqlType = (BigInt, SmallInt, Timestamptz, row::SqlType);
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

    fn is_left_out(read: &Read) -> bool {
        read.point.has_no_places()
    }

    fn column(filter: HistoryFilter) -> Column {
        match filter {
            HistoryFilter::Id => Column::Plain("id"),
            HistoryFilter::Name => Column::Plain("name_folded"),
            HistoryFilter::Type => Column::Plain("kind"),
            HistoryFilter::Location => Column::Plain("location_id"),
            HistoryFilter::Tags => Column::Array { column: "tags", or: None },
        }
    }

    fn sort(sort: HistorySort) -> SortKey {
        let (sql, nullable) = match sort {
            HistorySort::Id => ("id", false),
            HistorySort::HistoryId => ("history_id", false),
            // By name, as all text.
            HistorySort::Operation => (
                "CASE operation WHEN 0 THEN 'create' WHEN 1 THEN 'update' ELSE 'delete' END \
                    COLLATE \"C\"",
                false,
            ),
            HistorySort::RecordedAt => ("recorded_at", false),
            HistorySort::LocationId => ("location_id", false),
            HistorySort::Name => ("name_folded", false),
            HistorySort::Type => (
                "CASE kind WHEN 0 THEN 'virtual' WHEN 1 THEN 'qr' WHEN 2 THEN 'rfid' \
                    WHEN 3 THEN 'nfc' ELSE 'ble' END COLLATE \"C\"",
                false,
            ),
            HistorySort::Latitude => ("latitude", true),
            HistorySort::Longitude => ("longitude", true),
            HistorySort::RfidCode => ("rfid_code_folded", true),
            HistorySort::QrCode => ("qr_code_folded", true),
        };
        SortKey { sql, nullable }
    }
}

/// A row of the list, in the order of its columns.
#[derive(Queryable)]
pub(crate) struct Read {
    history_id: i64,
    operation: i16,
    recorded_at: Time,
    point: row::Read,
}
