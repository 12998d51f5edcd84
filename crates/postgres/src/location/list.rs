//! The list of locations.

use diesel::sql_types::{Array, Double, Nullable, Text, Uuid as SqlUuid};
use patrol_domain::{
    StoreError,
    ids::Uuid,
    location::{LocationFilter, LocationItem, LocationList, LocationSort},
};

use super::row::{self, Read};
use crate::{
    list::{Column, ListTable, SortKey},
    value::ids,
};

impl ListTable for LocationList {
    const FROM: &'static str = "locations";
    const COLUMNS: &'static str = "id, name, address, latitude, longitude, tags, \
        ARRAY(SELECT plan.id FROM graphic_plans AS plan WHERE plan.location_id = locations.id \
        ORDER BY plan.id)";
    const TIES: &'static [&'static str] = &["id"];
    const SEARCH: &'static [&'static str] = &["name_folded", "address_folded", "tags_folded"];

    type SqlType =
        ((SqlUuid, Text, Text, Nullable<Double>, Nullable<Double>, Array<Text>), Array<SqlUuid>);
    type Row = (Read, Vec<Uuid>);

    fn item((read, plans): (Read, Vec<Uuid>)) -> Result<LocationItem, StoreError> {
        Ok(LocationItem { location: row::read(read)?, graphic_plan_ids: ids(plans) })
    }

    fn column(filter: LocationFilter) -> Column {
        match filter {
            LocationFilter::Name => Column::Plain("name_folded"),
            LocationFilter::Address => Column::Plain("address_folded"),
            LocationFilter::WithGraphicPlan => Column::Truth(
                "EXISTS (SELECT 1 FROM graphic_plans AS plan WHERE plan.location_id = locations.id)",
            ),
            LocationFilter::Tags => Column::Array { column: "tags", or: None },
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
        SortKey { sql, nullable }
    }
}
