//! Points, and their history.

use diesel::{prelude::*, sqlite::Sqlite};
use patrol_domain::{
    Named, StoreError, Timestamp,
    point::{Operation, Point},
    shared::text::fold,
};
use patrol_stored as stored;

use crate::{
    engine::Abort,
    schema::{point_history, point_history_tags, points},
    value::{Id, Row, StoredId, StoredTexts, folded_tags, id, last_insert_rowid, unwritable},
};

#[derive(Insertable)]
#[diesel(table_name = points, treat_none_as_default_value = false)]
struct Written<'a> {
    id: Id,
    location_id: Id,
    name: &'a str,
    kind: i16,
    latitude: Option<f64>,
    longitude: Option<f64>,
    graphic_plans: String,
    rfid_code: Option<&'a str>,
    qr_code: Option<&'a str>,
    tags: String,
}

/// Stores a new point.
pub(crate) fn insert<E>(conn: &mut SqliteConnection, point: &Point) -> Result<(), Abort<E>> {
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
    let written = Written {
        id: id(*point_id),
        location_id: id(*location_id),
        name,
        kind: kind.rank(),
        latitude: position.map(|position| position.latitude),
        longitude: position.map(|position| position.longitude),
        graphic_plans: stored::places::write(graphic_plans).map_err(unwritable)?,
        rfid_code: rfid_code.as_deref(),
        qr_code: qr_code.as_deref(),
        tags: stored::texts::write(tags).map_err(unwritable)?,
    };
    diesel::insert_into(points::table).values(written).execute(conn)?;
    Ok(())
}

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
        operation: operation.rank(),
        recorded_at: at.millis(),
        id: id(*point_id),
        location_id: id(*location_id),
        name,
        name_folded: fold(name),
        kind: kind.rank(),
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

#[derive(Queryable, Selectable)]
#[diesel(table_name = points, check_for_backend(Sqlite))]
struct Read {
    row: i64,
    id: StoredId,
    location_id: StoredId,
    name: String,
    kind: i16,
    latitude: Option<f64>,
    longitude: Option<f64>,
    graphic_plans: String,
    rfid_code: Option<String>,
    qr_code: Option<String>,
    tags: StoredTexts,
}

/// At most `limit` points of a row after `after`, by row, each with its row.
pub(crate) fn page<E>(
    conn: &mut SqliteConnection,
    after: i64,
    limit: i64,
) -> Result<Vec<(i64, Point)>, Abort<E>> {
    let found: Vec<Read> = points::table
        .filter(points::row.gt(after))
        .order(points::row)
        .limit(limit)
        .select(Read::as_select())
        .load(conn)?;
    Ok(found.into_iter().map(read).collect::<Result<_, _>>()?)
}

fn read(read: Read) -> Result<(i64, Point), StoreError> {
    let Read {
        row,
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
    } = read;
    let at = Row::new("points", id);
    let point = Point {
        id: at.id("id", id)?,
        location_id: at.id("location_id", location_id)?,
        name,
        kind: at.named("kind", kind)?,
        position: at.position(latitude, longitude)?,
        graphic_plans: stored::places::read(&graphic_plans)
            .map_err(|error| at.corrupt("graphic_plans", error))?,
        rfid_code,
        qr_code,
        tags: at.texts("tags", tags)?,
    };
    Ok((row, point))
}
