//! The list of locations.

use diesel::{
    Queryable,
    sql_types::{Binary, Double, Nullable, Text},
};
use patrol_domain::{
    StoreError,
    ids::GraphicPlanId,
    location::{LocationFilter, LocationItem, LocationList, LocationSort},
};

use crate::{
    list::{Column, ListTable, SortKey},
    revision::Aggregate,
    value::{Row, StoredIds},
};

impl ListTable for LocationList {
    const FROM: &'static str = "locations";
    const KEY: &'static str = "locations.row";
    // The ids of the plans, one after another, as other tables keep them.
    const COLUMNS: &'static str = "id, name, address, latitude, longitude, tags, coalesce(( \
            SELECT unhex(group_concat(hex(id), '' ORDER BY id)) FROM graphic_plans \
            WHERE location_id = locations.id \
        ), x'')";
    const TIES: &'static [&'static str] = &["id"];
    const SEARCH: &'static [Column] = &[
        Column::Plain("name_folded"),
        Column::Plain("address_folded"),
        Column::Plain("tags_folded"),
    ];
    const AGGREGATE: Aggregate = Aggregate::Location;

    type SqlType = ((Binary, Text, Text, Nullable<Double>, Nullable<Double>, Text), Binary);
    type Row = Read;

    fn item(read: Read) -> Result<LocationItem, StoreError> {
        let Read { location, graphic_plan_ids } = read;
        let at = Row::new("graphic_plans", location.id);
        Ok(LocationItem {
            graphic_plan_ids: at.ids("id", graphic_plan_ids)?,
            location: super::read(location)?,
        })
    }

    fn column(filter: LocationFilter) -> Column {
        match filter {
            LocationFilter::Name => Column::Plain("name_folded"),
            LocationFilter::Address => Column::Plain("address_folded"),
            LocationFilter::WithGraphicPlan => Column::Plain(
                "EXISTS (SELECT 1 FROM graphic_plans WHERE location_id = locations.id)",
            ),
            LocationFilter::Tags => Column::Linked { table: "location_tags", or: None },
        }
    }

    fn sort(sort: LocationSort) -> SortKey {
        let (sql, nullable) = match sort {
            LocationSort::Id => ("id", false),
            LocationSort::Name => ("name_folded", false),
            LocationSort::Address => ("address_folded", false),
            LocationSort::Latitude => ("latitude", true),
            LocationSort::Longitude => ("longitude", true),
        };
        SortKey { sql, nullable, few: false }
    }
}

/// A row of the list, in the order of its columns.
#[derive(Queryable)]
pub(crate) struct Read {
    location: super::Read,
    graphic_plan_ids: StoredIds<GraphicPlanId>,
}
