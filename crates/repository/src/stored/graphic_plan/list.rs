//! The list of graphic plans.

use diesel::{dsl::SqlTypeOf, pg::Pg, prelude::*};
use patrol_domain::{
    Resource, StoreError,
    graphic_plan::{GraphicPlan, GraphicPlanFilter, GraphicPlanList, GraphicPlanSort},
};

use super::GraphicPlanRow;
use crate::stored::list::{Column, ListTable, SortKey, Text};

impl ListTable for GraphicPlanList {
    const KEY: &'static str = "graphic_plans.row";
    const SEARCH: &'static [&'static str] = &["name_folded"];
    const FROM: &'static str = "graphic_plans";
    const COLUMNS: Text =
        Text::same("id, location_id, name, image_id, image_format, width, height");
    const KIND: Resource = Resource::Location;

    type SqlType = SqlTypeOf<<GraphicPlanRow as Selectable<Pg>>::SelectExpression>;
    type Row = GraphicPlanRow;

    fn column(filter: GraphicPlanFilter) -> Column {
        match filter {
            GraphicPlanFilter::Id => Column::Plain("id"),
            GraphicPlanFilter::Location => Column::Plain("location_id"),
            GraphicPlanFilter::Name => Column::Plain("name_folded"),
        }
    }

    fn item(read: GraphicPlanRow) -> Result<GraphicPlan, StoreError> {
        read.plan()
    }

    fn sort(sort: GraphicPlanSort) -> SortKey {
        match sort {
            GraphicPlanSort::Id => SortKey::of("id"),
            GraphicPlanSort::LocationId => SortKey::of("location_id"),
            GraphicPlanSort::Name => SortKey::of("name_folded"),
            GraphicPlanSort::Width => SortKey::nullable("width"),
            GraphicPlanSort::Height => SortKey::nullable("height"),
            GraphicPlanSort::ContentType => SortKey::nullable("image_format"),
        }
    }
}
