//! A point as a row.

use diesel::{
    deserialize::{self, FromSql, FromSqlRow},
    prelude::*,
    sql_types::{Binary, Double, Nullable, SmallInt, Text},
    sqlite::{Sqlite, SqliteValue},
};
use patrol_domain::{
    Named, StoreError,
    ids::PointId,
    point::{PlanPlace, Point},
};
use patrol_stored as stored;

use crate::{
    engine::Abort,
    schema::points,
    update,
    value::{Id, Row, StoredId, StoredTexts, id, unwritable},
};

#[derive(Insertable, AsChangeset)]
#[diesel(table_name = points, treat_none_as_default_value = false, treat_none_as_null = true)]
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

impl<'a> Written<'a> {
    fn of(point: &'a Point) -> Result<Self, StoreError> {
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
        Ok(Self {
            id: id(*point_id),
            location_id: id(*location_id),
            name,
            kind: kind.code(),
            latitude: position.map(|position| position.latitude),
            longitude: position.map(|position| position.longitude),
            graphic_plans: stored::places::write(graphic_plans).map_err(unwritable)?,
            rfid_code: rfid_code.as_deref(),
            qr_code: qr_code.as_deref(),
            tags: stored::texts::write(tags).map_err(unwritable)?,
        })
    }
}

/// Stores a new point.
pub(crate) fn insert<E>(conn: &mut SqliteConnection, point: &Point) -> Result<(), Abort<E>> {
    diesel::insert_into(points::table).values(Written::of(point)?).execute(conn)?;
    Ok(())
}

/// Stores `point` where another content of it is.
pub(super) fn replace<E>(
    conn: &mut SqliteConnection,
    row: i64,
    point: &Point,
) -> Result<(), Abort<E>> {
    update::set(points::table, points::row.eq(row), Written::of(point)?).execute(conn)?;
    Ok(())
}

pub(super) fn remove(conn: &mut SqliteConnection, row: i64) -> QueryResult<()> {
    diesel::delete(points::table.filter(points::row.eq(row))).execute(conn)?;
    Ok(())
}

/// The columns of a point, which its history has as well.
#[derive(Queryable, Selectable)]
#[diesel(table_name = points, check_for_backend(Sqlite))]
pub(crate) struct Read {
    id: StoredId,
    location_id: StoredId,
    name: String,
    kind: i16,
    latitude: Option<f64>,
    longitude: Option<f64>,
    graphic_plans: StoredPlaces,
    rfid_code: Option<String>,
    qr_code: Option<String>,
    tags: StoredTexts,
}

/// Places on graphic plans as they were found. They are read where SQLite has them: they may be
/// megabytes, of which a copy less is a copy less for each reader.
#[derive(FromSqlRow)]
pub(crate) struct StoredPlaces(Result<Vec<PlanPlace>, stored::Error>);

impl FromSql<Text, Sqlite> for StoredPlaces {
    fn from_sql(mut value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
        Ok(Self(stored::places::read(value.read_text())))
    }
}

impl Read {
    pub(super) const fn id(&self) -> StoredId {
        self.id
    }
}

/// The SQL types of [`Read`].
pub(crate) type SqlType = (
    Binary,
    Binary,
    Text,
    SmallInt,
    Nullable<Double>,
    Nullable<Double>,
    Text,
    Nullable<Text>,
    Nullable<Text>,
    Text,
);

/// The point with its row, or none.
pub(super) fn get<E>(
    conn: &mut SqliteConnection,
    point: PointId,
) -> Result<Option<(i64, Point)>, Abort<E>> {
    let found: Option<(i64, Read)> = points::table
        .filter(points::id.eq(id(point)))
        .select((points::row, Read::as_select()))
        .first(conn)
        .optional()?;
    Ok(found.map(with_row).transpose()?)
}

/// At most `limit` points of a row after `after`, by row, each with its row.
pub(crate) fn page<E>(
    conn: &mut SqliteConnection,
    after: i64,
    limit: i64,
) -> Result<Vec<(i64, Point)>, Abort<E>> {
    let found: Vec<(i64, Read)> = points::table
        .filter(points::row.gt(after))
        .order(points::row)
        .limit(limit)
        .select((points::row, Read::as_select()))
        .load(conn)?;
    Ok(found.into_iter().map(with_row).collect::<Result<_, _>>()?)
}

fn with_row((row, found): (i64, Read)) -> Result<(i64, Point), StoreError> {
    Ok((row, read("points", found)?))
}

/// The point that a row of `table` holds.
pub(super) fn read(table: &'static str, read: Read) -> Result<Point, StoreError> {
    let Read {
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
    let at = Row::new(table, id);
    Ok(Point {
        id: at.id("id", id)?,
        location_id: at.id("location_id", location_id)?,
        name,
        kind: at.named("kind", kind)?,
        position: at.position(latitude, longitude)?,
        graphic_plans: graphic_plans.0.map_err(|error| at.corrupt("graphic_plans", error))?,
        rfid_code,
        qr_code,
        tags: at.texts("tags", tags)?,
    })
}
