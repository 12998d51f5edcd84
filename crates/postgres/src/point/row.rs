//! A point as a row.

use diesel::{
    deserialize::{self, FromSql, FromSqlRow},
    pg::{Pg, PgValue},
    prelude::*,
    sql_types::{Array, Double, Json, Nullable, SmallInt, Text, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use patrol_domain::{
    Named, StoreError,
    ids::{PointId, Uuid},
    point::{PlanPlace, Point},
};
use patrol_stored as stored;

use crate::{
    engine::{Abort, Connection},
    schema::points,
    value::{Document, Row, unwritable},
};

#[derive(Insertable, AsChangeset)]
#[diesel(table_name = points)]
#[diesel(treat_none_as_default_value = false, treat_none_as_null = true)]
struct Written<'a> {
    id: Uuid,
    location_id: Uuid,
    name: &'a str,
    kind: i16,
    latitude: Option<f64>,
    longitude: Option<f64>,
    graphic_plans: Document,
    rfid_code: Option<&'a str>,
    qr_code: Option<&'a str>,
    tags: &'a [String],
}

impl<'a> Written<'a> {
    fn of(point: &'a Point) -> Result<Self, StoreError> {
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
            id: id.0,
            location_id: location_id.0,
            name,
            kind: kind.code(),
            latitude: position.map(|position| position.latitude),
            longitude: position.map(|position| position.longitude),
            graphic_plans: places(point)?,
            rfid_code: rfid_code.as_deref(),
            qr_code: qr_code.as_deref(),
            tags,
        })
    }
}

/// The document that holds the places of `point` on graphic plans.
pub(super) fn places(point: &Point) -> Result<Document, StoreError> {
    let places = stored::places::write(&point.graphic_plans).map_err(unwritable)?;
    Ok(Document(places.into_bytes()))
}

/// Stores new points.
pub(crate) async fn insert<E>(mut conn: &Connection, points: &[&Point]) -> Result<(), Abort<E>> {
    let written: Result<Vec<_>, _> = points.iter().map(|point| Written::of(point)).collect();
    diesel::insert_into(points::table).values(written?).execute(&mut conn).await?;
    Ok(())
}

/// Stores `point` where another content of it is.
pub(super) async fn replace<E>(mut conn: &Connection, point: &Point) -> Result<(), Abort<E>> {
    let place = points::table.find(point.id.0);
    diesel::update(place).set(Written::of(point)?).execute(&mut conn).await?;
    Ok(())
}

/// Removes the point.
pub(super) async fn remove(mut conn: &Connection, id: PointId) -> QueryResult<()> {
    diesel::delete(points::table.find(id.0)).execute(&mut conn).await?;
    Ok(())
}

/// The columns of a point, which its history has as well.
#[derive(Queryable, Selectable)]
#[diesel(table_name = points, check_for_backend(Pg))]
pub(crate) struct Read {
    id: Uuid,
    location_id: Uuid,
    name: String,
    kind: i16,
    latitude: Option<f64>,
    longitude: Option<f64>,
    graphic_plans: StoredPlaces,
    rfid_code: Option<String>,
    qr_code: Option<String>,
    tags: Vec<String>,
}

/// Places on graphic plans as they were found. They are read where the row holds them: they may be
/// megabytes, and a copy of them would be one more for each reader.
/// None were left out by the statement.
#[derive(FromSqlRow)]
pub(crate) struct StoredPlaces(Option<Result<Vec<PlanPlace>, String>>);

impl FromSql<Json, Pg> for StoredPlaces {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        let text = std::str::from_utf8(value.as_bytes()).map_err(|error| error.to_string());
        let places = |text| stored::places::read(text).map_err(|error| error.to_string());
        Ok(Self(Some(text.and_then(places))))
    }

    fn from_nullable_sql(value: Option<PgValue<'_>>) -> deserialize::Result<Self> {
        value.map_or_else(|| Ok(Self(None)), Self::from_sql)
    }
}

impl Read {
    pub(super) const fn id(&self) -> Uuid {
        self.id
    }

    /// Whether the statement has left its places out.
    pub(super) const fn has_no_places(&self) -> bool {
        self.graphic_plans.0.is_none()
    }
}

/// The SQL types of [`Read`].
pub(crate) type SqlType = (
    SqlUuid,
    SqlUuid,
    Text,
    SmallInt,
    Nullable<Double>,
    Nullable<Double>,
    Json,
    Nullable<Text>,
    Nullable<Text>,
    Array<Text>,
);

/// The point, or none.
pub(super) async fn get<E>(mut conn: &Connection, id: PointId) -> Result<Option<Point>, Abort<E>> {
    let query = points::table.find(id.0).select(Read::as_select());
    let found = query.first(&mut conn).await.optional()?;
    Ok(found.map(|found| read("points", found)).transpose()?)
}

/// The point, or none, which nobody else changes until the transaction ends.
pub(super) async fn lock<E>(mut conn: &Connection, id: PointId) -> Result<Option<Point>, Abort<E>> {
    let query = points::table.find(id.0).select(Read::as_select()).for_update();
    let found = query.first(&mut conn).await.optional()?;
    Ok(found.map(|found| read("points", found)).transpose()?)
}

/// At most `limit` points by id, those after `after`.
pub(crate) async fn page<E>(
    mut conn: &Connection,
    after: Option<Uuid>,
    limit: i64,
) -> Result<Vec<Point>, Abort<E>> {
    let page = points::table.select(Read::as_select()).order(points::id).limit(limit);
    let mut page = page.into_boxed();
    if let Some(after) = after {
        page = page.filter(points::id.gt(after));
    }
    let found: Vec<Read> = page.load(&mut conn).await?;
    Ok(found.into_iter().map(|found| read("points", found)).collect::<Result<_, _>>()?)
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
        graphic_plans: StoredPlaces(graphic_plans),
        rfid_code,
        qr_code,
        tags,
    } = read;
    let at = Row::new(table, id);
    let places = graphic_plans
        .unwrap_or_else(|| Err("null".to_owned()))
        .map_err(|error| at.corrupt("graphic_plans", error))?;
    Ok(Point {
        id: id.into(),
        location_id: location_id.into(),
        name,
        kind: at.named("kind", kind)?,
        position: at.position(latitude, longitude)?,
        graphic_plans: places,
        rfid_code,
        qr_code,
        tags,
    })
}
