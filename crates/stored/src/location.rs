//! The row of a location, its graphic plans, and the list of locations.

use diesel::{dsl::SqlTypeOf, pg::Pg, prelude::*, sqlite::Sqlite};
use patrol_domain::{
    StoreError,
    location::{GraphicPlan, Location, LocationFilter, LocationItem, LocationList, LocationSort},
    shared::text::fold,
};

use crate::{
    aggregate::Aggregate,
    list::{Column, FilterTable, ListTable, SortKey, Text},
    row::Row,
    schema::{graphic_plans, locations},
    sql::{Id, StoredId, StoredIds, StoredTexts, Texts, id, types},
    texts::folded_tags,
};

/// The columns of a location.
#[derive(Insertable)]
#[diesel(table_name = locations, treat_none_as_default_value = false)]
pub struct Written<'a> {
    id: Id,
    name: &'a str,
    name_folded: String,
    address: &'a str,
    address_folded: String,
    latitude: Option<f64>,
    longitude: Option<f64>,
    tags: Texts,
    tags_folded: String,
}

impl<'a> Written<'a> {
    /// The columns of `location`.
    #[must_use]
    pub fn of(location: &'a Location) -> Self {
        let Location { id: location_id, name, address, position, tags } = location;
        Self {
            id: id(*location_id),
            name,
            name_folded: fold(name),
            address,
            address_folded: fold(address),
            latitude: position.map(|position| position.latitude),
            longitude: position.map(|position| position.longitude),
            tags: Texts(tags.clone()),
            tags_folded: folded_tags(tags),
        }
    }
}

/// The columns of a location, as read.
#[derive(Queryable, Selectable)]
#[diesel(table_name = locations, check_for_backend(Sqlite, Pg))]
pub struct Read {
    id: StoredId,
    name: String,
    address: String,
    latitude: Option<f64>,
    longitude: Option<f64>,
    tags: StoredTexts,
}

impl Read {
    /// Decodes the location.
    ///
    /// # Errors
    /// `Corrupt` when a column cannot be read.
    pub fn location(self) -> Result<Location, StoreError> {
        let Self { id, name, address, latitude, longitude, tags } = self;
        let at = Row::new("locations", id);
        Ok(Location {
            id: at.id("id", id)?,
            name,
            address,
            position: at.position(latitude, longitude)?,
            tags: at.texts("tags", tags)?,
        })
    }
}

/// The columns of a graphic plan.
#[derive(Insertable)]
#[diesel(table_name = graphic_plans)]
pub struct PlanWritten<'a> {
    id: Id,
    location_id: Id,
    name: &'a str,
}

impl<'a> PlanWritten<'a> {
    /// The columns of `plan`.
    #[must_use]
    pub fn of(plan: &'a GraphicPlan) -> Self {
        let GraphicPlan { id: plan_id, location_id, name } = plan;
        Self { id: id(*plan_id), location_id: id(*location_id), name }
    }
}

/// The columns of a graphic plan, as read.
#[derive(Queryable, Selectable)]
#[diesel(table_name = graphic_plans, check_for_backend(Sqlite, Pg))]
pub struct PlanRead {
    id: StoredId,
    location_id: StoredId,
    name: String,
}

impl PlanRead {
    /// Decodes the graphic plan.
    ///
    /// # Errors
    /// `Corrupt` when a column cannot be read.
    pub fn plan(self) -> Result<GraphicPlan, StoreError> {
        let Self { id, location_id, name } = self;
        let at = Row::new("graphic_plans", id);
        Ok(GraphicPlan {
            id: at.id("id", id)?,
            location_id: at.id("location_id", location_id)?,
            name,
        })
    }
}

/// A row of the list: a location and the ids of its graphic plans.
#[derive(Queryable)]
pub struct ItemRead {
    location: Read,
    graphic_plan_ids: StoredIds,
}

impl FilterTable for LocationList {
    const KEY: &'static str = "locations.row";
    const SEARCH: &'static [Column] = &[
        Column::Plain("name_folded"),
        Column::Plain("address_folded"),
        Column::Plain("tags_folded"),
    ];

    fn column(filter: LocationFilter) -> Column {
        match filter {
            LocationFilter::Name => Column::Plain("name_folded"),
            LocationFilter::Address => Column::Plain("address_folded"),
            LocationFilter::WithGraphicPlan => Column::Condition(
                "EXISTS (SELECT 1 FROM graphic_plans AS plan WHERE plan.location_id = locations.id)",
            ),
            LocationFilter::Tags => Column::Set { table: "location_tags", array: "tags", or: None },
        }
    }
}

impl ListTable for LocationList {
    const FROM: &'static str = "locations";
    const COLUMNS: Text = Text {
        // The ids of the plans are joined into one blob, as in other tables.
        sqlite: "id, name, address, latitude, longitude, tags, coalesce(( \
            SELECT unhex(group_concat(hex(id), '' ORDER BY id)) FROM graphic_plans \
            WHERE location_id = locations.id \
        ), x'')",
        postgres: "id, name, address, latitude, longitude, tags, \
            ARRAY(SELECT plan.id FROM graphic_plans AS plan WHERE plan.location_id = locations.id \
            ORDER BY plan.id)",
    };
    const TIES: &'static [&'static str] = &["id"];
    const AGGREGATE: Aggregate = Aggregate::Location;

    type SqlType = (SqlTypeOf<<Read as Selectable<Pg>>::SelectExpression>, types::Ids);
    type Row = ItemRead;

    fn item(read: ItemRead) -> Result<LocationItem, StoreError> {
        let ItemRead { location, graphic_plan_ids } = read;
        let at = Row::new("graphic_plans", location.id);
        Ok(LocationItem {
            graphic_plan_ids: at.ids("id", graphic_plan_ids)?,
            location: location.location()?,
        })
    }

    fn sort(sort: LocationSort) -> SortKey {
        match sort {
            LocationSort::Id => SortKey::of("id"),
            LocationSort::Name => SortKey::of("name_folded"),
            LocationSort::Address => SortKey::of("address_folded"),
            LocationSort::Latitude => SortKey::nullable("latitude"),
            LocationSort::Longitude => SortKey::nullable("longitude"),
        }
    }
}
