//! The row of a point.

mod history;
mod list;

use diesel::{pg::Pg, prelude::*, sqlite::Sqlite};
use patrol_domain::{Named, StoreError, ids::PointId, point::Point, shared::text::fold};

pub use history::{HistoryColumns, operation_of};

use crate::stored::{
    row::Row,
    schema::points,
    sql::{Id, Places, StoredPlaces, Texts, id},
    texts::folded_tags,
};

/// The columns of a point.
#[derive(Insertable, AsChangeset)]
#[diesel(table_name = points, treat_none_as_default_value = false, treat_none_as_null = true)]
pub struct PointColumns<'a> {
    id: Id,
    location_id: Id,
    name: &'a str,
    kind: i16,
    latitude: Option<f64>,
    longitude: Option<f64>,
    graphic_plans: Places<'a>,
    rfid_code: Option<&'a str>,
    qr_code: Option<&'a str>,
    tags: Texts,
    #[diesel(embed)]
    folded: Folded,
}

/// The texts that the list compares, in folded form.
#[derive(Insertable, AsChangeset, Queryable, Selectable, Clone, PartialEq, Eq)]
#[diesel(table_name = points, check_for_backend(Sqlite, Pg))]
#[diesel(treat_none_as_default_value = false, treat_none_as_null = true)]
pub struct Folded {
    name_folded: Option<String>,
    rfid_code_folded: Option<String>,
    qr_code_folded: Option<String>,
    tags_folded: Option<String>,
}

impl Folded {
    /// The texts of `point`.
    #[must_use]
    pub fn of(point: &Point) -> Self {
        Self {
            name_folded: Some(fold(&point.name)),
            rfid_code_folded: point.rfid_code.as_deref().map(fold),
            qr_code_folded: point.qr_code.as_deref().map(fold),
            tags_folded: Some(folded_tags(&point.tags)),
        }
    }
}

/// The right folded texts of a row; see [`crate::stored::user::outdated`].
#[must_use]
pub fn outdated((read, stored): (PointRow, Folded)) -> Option<Folded> {
    let folded = Folded::of(&read.point().ok()?);
    (folded != stored).then_some(folded)
}

impl<'a> PointColumns<'a> {
    /// The columns of `point`.
    #[must_use]
    pub fn of(point: &'a Point) -> Self {
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
        Self {
            id: id(*point_id),
            location_id: id(*location_id),
            name,
            kind: kind.code(),
            latitude: position.map(|position| position.latitude),
            longitude: position.map(|position| position.longitude),
            graphic_plans: Places(graphic_plans),
            rfid_code: rfid_code.as_deref(),
            qr_code: qr_code.as_deref(),
            tags: Texts(Ok(tags.clone())),
            folded: Folded::of(point),
        }
    }
}

/// The columns of a point, as read; its history has them as well.
#[derive(Queryable, Selectable)]
#[diesel(table_name = points, check_for_backend(Sqlite, Pg))]
pub struct PointRow {
    id: Id,
    location_id: Id,
    name: String,
    kind: i16,
    latitude: Option<f64>,
    longitude: Option<f64>,
    graphic_plans: StoredPlaces,
    rfid_code: Option<String>,
    qr_code: Option<String>,
    tags: Texts,
}

impl PointRow {
    /// The id of the point, if it can be read.
    #[must_use]
    pub fn id(&self) -> Option<PointId> {
        self.id.get()
    }

    /// Decodes the point.
    ///
    /// # Errors
    /// `Corrupt` when a column cannot be read.
    pub fn point(self) -> Result<Point, StoreError> {
        self.point_of("points")
    }

    fn point_of(self, table: &'static str) -> Result<Point, StoreError> {
        let at = Row::new(table, self.id);
        let StoredPlaces(places) = self.graphic_plans;
        let places = places.ok_or_else(|| at.corrupt("graphic_plans", "null"))?;
        Ok(Point {
            id: at.id("id", self.id)?,
            location_id: at.id("location_id", self.location_id)?,
            name: self.name,
            kind: at.named("kind", self.kind)?,
            position: at.position(self.latitude, self.longitude)?,
            graphic_plans: places.map_err(|error| at.corrupt("graphic_plans", error))?,
            rfid_code: self.rfid_code,
            qr_code: self.qr_code,
            tags: at.texts("tags", self.tags)?,
        })
    }
}
