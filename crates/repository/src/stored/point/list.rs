//! The list of points.

use std::sync::LazyLock;

use diesel::{dsl::SqlTypeOf, pg::Pg, prelude::*};
use patrol_domain::{
    Resource, StoreError,
    point::{Point, PointFilter, PointList, PointSort, PointType},
};

use super::PointRow;
use crate::stored::{
    list::{Column, ListTable, SortKey, Text, Trigrams, by_name},
    sql::StoredPlaces,
};

static KIND: LazyLock<String> = LazyLock::new(|| by_name::<PointType>("kind"));

impl ListTable for PointList {
    const KEY: &'static str = "points.row";
    const SEARCH: &'static [&'static str] =
        &["name_folded", "qr_code_folded", "rfid_code_folded", "tags_folded"];
    const TRIGRAMS: Option<Trigrams> = Some(Trigrams::of("point_texts"));
    const FROM: &'static str = "points";
    const COLUMNS: Text = Text::same(
        "id, location_id, name, kind, latitude, longitude, graphic_plans, rfid_code, qr_code, tags",
    );
    const PAGE_COLUMNS: Option<&'static str> = Some(
        "id, location_id, name, kind, latitude, longitude, \
        CASE WHEN octet_length(graphic_plans::text) <= 65536 THEN graphic_plans END, \
        rfid_code, qr_code, tags",
    );
    const KIND: Resource = Resource::Point;

    type SqlType = SqlTypeOf<<PointRow as Selectable<Pg>>::SelectExpression>;
    type Row = PointRow;

    fn column(filter: PointFilter) -> Column {
        match filter {
            PointFilter::Id => Column::Plain("id"),
            PointFilter::Name => Column::Plain("name_folded"),
            PointFilter::Type => Column::LowCardinality { column: "kind", then: &["id"] },
            PointFilter::Location => {
                Column::LowCardinality { column: "location_id", then: &["id"] }
            }
            PointFilter::Tags => Column::Set { table: "point_tags", array: "tags", or: None },
            PointFilter::QrCode => Column::Exact { text: "qr_code", folded: "qr_code_folded" },
            PointFilter::RfidCode => {
                Column::Exact { text: "rfid_code", folded: "rfid_code_folded" }
            }
        }
    }

    fn item(read: PointRow) -> Result<Point, StoreError> {
        read.point()
    }

    fn lacks_large_value(read: &PointRow) -> bool {
        let StoredPlaces(places) = &read.graphic_plans;
        places.is_none()
    }

    fn sort(sort: PointSort) -> SortKey {
        match sort {
            PointSort::Id => SortKey::of("id"),
            PointSort::LocationId => SortKey::of("location_id"),
            PointSort::Name => SortKey::of("name_folded"),
            PointSort::Type => SortKey::of(&KIND),
            PointSort::Latitude => SortKey::nullable("latitude"),
            PointSort::Longitude => SortKey::nullable("longitude"),
            PointSort::RfidCode => SortKey::nullable("rfid_code_folded"),
            PointSort::QrCode => SortKey::nullable("qr_code_folded"),
        }
    }
}
