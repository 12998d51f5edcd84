//! Locations.

mod graphic_plan;
mod list;

use diesel::{prelude::*, sqlite::Sqlite};
use patrol_domain::{
    StoreError,
    list::Listing,
    location::{Location, LocationItem, LocationQuery, Locations},
    shared::text::fold,
};
use patrol_stored as stored;

pub(crate) use graphic_plan::{insert as insert_graphic_plan, page as graphic_plans_page};

use crate::{
    Store,
    engine::Abort,
    schema::{location_tags, locations},
    value::{Id, Row, StoredId, StoredTexts, folded_tags, id, last_insert_rowid, unwritable},
};

impl Locations for Store {
    fn list(&self, query: LocationQuery) -> Listing<LocationItem> {
        self.listing(query)
    }
}

#[derive(Insertable)]
#[diesel(table_name = locations, treat_none_as_default_value = false)]
struct Written<'a> {
    id: Id,
    name: &'a str,
    name_folded: String,
    address: &'a str,
    address_folded: String,
    latitude: Option<f64>,
    longitude: Option<f64>,
    tags: String,
    tags_folded: String,
}

/// Stores a new location.
pub(crate) fn insert<E>(conn: &mut SqliteConnection, location: &Location) -> Result<(), Abort<E>> {
    let Location { id: location_id, name, address, position, tags } = location;
    let written = Written {
        id: id(*location_id),
        name,
        name_folded: fold(name),
        address,
        address_folded: fold(address),
        latitude: position.map(|position| position.latitude),
        longitude: position.map(|position| position.longitude),
        tags: stored::texts::write(tags).map_err(unwritable)?,
        tags_folded: folded_tags(tags),
    };
    diesel::insert_into(locations::table).values(written).execute(conn)?;
    let row: i64 = diesel::select(last_insert_rowid()).get_result(conn)?;
    for tag in tags {
        diesel::insert_into(location_tags::table)
            .values((location_tags::value.eq(tag), location_tags::row.eq(row)))
            .execute(conn)?;
    }
    Ok(())
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = locations, check_for_backend(Sqlite))]
pub(crate) struct Read {
    id: StoredId,
    name: String,
    address: String,
    latitude: Option<f64>,
    longitude: Option<f64>,
    tags: StoredTexts,
}

/// At most `limit` locations of a row after `after`, by row, each with its row.
pub(crate) fn page<E>(
    conn: &mut SqliteConnection,
    after: i64,
    limit: i64,
) -> Result<Vec<(i64, Location)>, Abort<E>> {
    let found: Vec<(i64, Read)> = locations::table
        .filter(locations::row.gt(after))
        .order(locations::row)
        .limit(limit)
        .select((locations::row, Read::as_select()))
        .load(conn)?;
    found.into_iter().map(|(row, found)| Ok((row, read(found)?))).collect()
}

fn read(read: Read) -> Result<Location, StoreError> {
    let Read { id, name, address, latitude, longitude, tags } = read;
    let at = Row::new("locations", id);
    Ok(Location {
        id: at.id("id", id)?,
        name,
        address,
        position: at.position(latitude, longitude)?,
        tags: at.texts("tags", tags)?,
    })
}
