//! The row of a location, and the list of locations.

use diesel::{dsl::SqlTypeOf, pg::Pg, prelude::*, sqlite::Sqlite};
use patrol_domain::{
    Resource, StoreError, Version, Versioned,
    location::{Location, LocationFilter, LocationList, LocationSort},
    shared::text::fold,
};

use crate::stored::{
    computed_text,
    list::{Column, ListTable, SortKey, Text, Trigrams},
    row::Row,
    schema::locations,
    sql::{Id, Ids, Texts, columns, id, types},
    statement::{Computed, computed},
    texts::folded_tags,
};

/// The columns of a location without its graphic plans and the folded texts.
#[derive(Insertable, AsChangeset, Queryable, Selectable)]
#[diesel(table_name = locations, check_for_backend(Sqlite, Pg))]
#[diesel(treat_none_as_default_value = false, treat_none_as_null = true)]
pub struct LocationRow {
    id: Id,
    name: String,
    address: String,
    latitude: Option<f64>,
    longitude: Option<f64>,
    tags: Texts,
}

/// The texts that the list compares, in folded form.
#[derive(Insertable, AsChangeset, Queryable, Selectable, PartialEq, Eq)]
#[diesel(table_name = locations, check_for_backend(Sqlite, Pg))]
pub struct Folded {
    name_folded: String,
    address_folded: String,
    tags_folded: String,
}

impl Folded {
    fn of(name: &str, address: &str, tags: &[String]) -> Self {
        Self {
            name_folded: fold(name),
            address_folded: fold(address),
            tags_folded: folded_tags(tags),
        }
    }
}

/// The right folded texts of a row; see [`crate::stored::user::outdated`].
#[must_use]
pub fn outdated((read, stored): (LocationRow, Folded)) -> Option<Folded> {
    let folded = Folded::of(&read.name, &read.address, read.tags.0.as_ref().ok()?);
    (folded != stored).then_some(folded)
}

impl LocationRow {
    /// The columns of `location`.
    #[must_use]
    pub fn of(location: &Location) -> (Self, Folded) {
        let Location { id: location_id, name, address, position, tags, graphic_plan_ids: _ } =
            location;
        let row = Self {
            id: id(*location_id),
            name: name.clone(),
            address: address.clone(),
            latitude: position.map(|position| position.latitude),
            longitude: position.map(|position| position.longitude),
            tags: Texts(Ok(tags.clone())),
        };
        (row, Folded::of(name, address, tags))
    }

    /// Decodes the location with these graphic plans.
    ///
    /// # Errors
    /// `Corrupt` when a column cannot be read.
    pub fn with_plans(self, plans: Ids) -> Result<Location, StoreError> {
        let graphic_plan_ids = Row::new("graphic_plans", self.id).ids("id", plans)?;
        Ok(Location { graphic_plan_ids, ..self.location()? })
    }

    /// Decodes the location, without its graphic plans.
    ///
    /// # Errors
    /// `Corrupt` when a column cannot be read.
    pub fn location(self) -> Result<Location, StoreError> {
        let at = Row::new("locations", self.id);
        Ok(Location {
            id: at.id("id", self.id)?,
            name: self.name,
            address: self.address,
            position: at.position(self.latitude, self.longitude)?,
            tags: at.texts("tags", self.tags)?,
            graphic_plan_ids: Vec::new(),
        })
    }
}

/// The ids of the graphic plans of a location, ascending. SQLite joins them into one blob, as in other
/// tables.
macro_rules! plan_ids {
    (sqlite) => {
        "coalesce((SELECT unhex(group_concat(hex(graphic_plans.id), '' ORDER BY graphic_plans.id)) \
        FROM graphic_plans WHERE graphic_plans.location_id = locations.id), x'')"
    };
    (postgres) => {
        "ARRAY(SELECT plan.id FROM graphic_plans AS plan WHERE plan.location_id = locations.id \
        ORDER BY plan.id)"
    };
}

computed_text!(PlanIds: types::Ids, sqlite: plan_ids!(sqlite), postgres: plan_ids!(postgres));

/// All columns of a location.
pub type Columns =
    (<LocationRow as Selectable<Pg>>::SelectExpression, Computed<PlanIds>, locations::version);

/// The columns of a location with its graphic plans and its version; read them with [`versioned`].
#[must_use]
pub fn all_columns() -> Columns {
    (columns::<LocationRow>(), computed(), locations::version)
}

/// Decodes a row of [`all_columns`].
///
/// # Errors
/// `Corrupt` when a column cannot be read.
pub fn versioned(
    (read, plans, version): (LocationRow, Ids, i64),
) -> Result<Versioned<Location>, StoreError> {
    Ok(Versioned { record: read.with_plans(plans)?, version: Version(version) })
}

impl ListTable for LocationList {
    const KEY: &'static str = "locations.row";
    const SEARCH: &'static [&'static str] = &["name_folded", "address_folded", "tags_folded"];
    const TRIGRAMS: Option<Trigrams> = Some(Trigrams::of("location_texts"));
    const FROM: &'static str = "locations";
    const COLUMNS: Text = Text {
        sqlite: concat!("id, name, address, latitude, longitude, tags, ", plan_ids!(sqlite)),
        postgres: concat!("id, name, address, latitude, longitude, tags, ", plan_ids!(postgres)),
    };
    const KIND: Resource = Resource::Location;

    type SqlType = (SqlTypeOf<<LocationRow as Selectable<Pg>>::SelectExpression>, types::Ids);
    type Row = (LocationRow, Ids);

    fn column(filter: LocationFilter) -> Column {
        match filter {
            LocationFilter::Id => Column::Plain("id"),
            LocationFilter::Name => Column::Plain("name_folded"),
            LocationFilter::Address => Column::Plain("address_folded"),
            LocationFilter::WithGraphicPlan => Column::Condition(
                "EXISTS (SELECT 1 FROM graphic_plans AS plan WHERE plan.location_id = locations.id)",
            ),
            LocationFilter::Tags => Column::Set { table: "location_tags", array: "tags", or: None },
        }
    }

    fn item((read, plans): (LocationRow, Ids)) -> Result<Location, StoreError> {
        read.with_plans(plans)
    }

    fn sort(sort: LocationSort) -> SortKey {
        match sort {
            LocationSort::Id => SortKey::of("id"),
            LocationSort::Name => SortKey::of("name_folded"),
            LocationSort::Address => {
                SortKey::of("address_folded").long("left(address_folded, 200)")
            }
            LocationSort::Latitude => SortKey::nullable("latitude"),
            LocationSort::Longitude => SortKey::nullable("longitude"),
        }
    }
}
