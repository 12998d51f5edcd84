//! A location as it is stored: one row.

use diesel::{pg::Pg, prelude::*};
use diesel_async::RunQueryDsl;
use patrol_domain::{StoreError, ids::Uuid, location::Location, shared::text::fold};

use crate::{
    engine::{Abort, Connection},
    schema::locations,
    value::{Row, folded_tags},
};

#[derive(Insertable)]
#[diesel(table_name = locations, treat_none_as_default_value = false)]
struct Written<'a> {
    id: Uuid,
    name: &'a str,
    name_folded: String,
    address: &'a str,
    address_folded: String,
    latitude: Option<f64>,
    longitude: Option<f64>,
    tags: &'a [String],
    tags_folded: String,
}

impl<'a> Written<'a> {
    fn of(location: &'a Location) -> Self {
        let Location { id, name, address, position, tags } = location;
        Self {
            id: id.0,
            name,
            name_folded: fold(name),
            address,
            address_folded: fold(address),
            latitude: position.map(|position| position.latitude),
            longitude: position.map(|position| position.longitude),
            tags,
            tags_folded: folded_tags(tags),
        }
    }
}

/// Stores new locations.
pub(crate) async fn insert(mut conn: &Connection, locations: &[&Location]) -> QueryResult<()> {
    let written: Vec<_> = locations.iter().map(|location| Written::of(location)).collect();
    diesel::insert_into(locations::table).values(written).execute(&mut conn).await?;
    Ok(())
}

/// The columns that a location is read from.
#[derive(Queryable, Selectable)]
#[diesel(table_name = locations, check_for_backend(Pg))]
pub(crate) struct Read {
    id: Uuid,
    name: String,
    address: String,
    latitude: Option<f64>,
    longitude: Option<f64>,
    tags: Vec<String>,
}

/// At most `limit` locations by id, those after `after`.
pub(crate) async fn page<E>(
    mut conn: &Connection,
    after: Option<Uuid>,
    limit: i64,
) -> Result<Vec<Location>, Abort<E>> {
    let page = locations::table.select(Read::as_select()).order(locations::id).limit(limit);
    let mut page = page.into_boxed();
    if let Some(after) = after {
        page = page.filter(locations::id.gt(after));
    }
    let found: Vec<Read> = page.load(&mut conn).await?;
    Ok(found.into_iter().map(read).collect::<Result<_, _>>()?)
}

/// The location that a row holds.
pub(super) fn read(read: Read) -> Result<Location, StoreError> {
    let Read { id, name, address, latitude, longitude, tags } = read;
    let position = Row::new("locations", id).position(latitude, longitude)?;
    Ok(Location { id: id.into(), name, address, position, tags })
}
