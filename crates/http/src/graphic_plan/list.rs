//! Declaration of the list of graphic plans: parameters, sorting, items.

use patrol_domain::graphic_plan::{GraphicPlan, GraphicPlanFilter, GraphicPlanList};
use patrol_record::GraphicPlanRecord;

use crate::list::{Filter, Kind, ListDeclaration, RowContext, Search};

impl ListDeclaration for GraphicPlanList {
    type Options = ();
    type Row<'a> = GraphicPlanRecord<'a>;

    const NAME: &'static str = "GraphicPlanList";

    const FILTERS: &'static [Filter<GraphicPlanFilter>] = &[
        Filter::new("id", GraphicPlanFilter::Id, Kind::Id)
            .about("Ids.", "0190de30-0002-7000-8000-000000000001"),
        Filter::new("name", GraphicPlanFilter::Name, Kind::Text).about("Name.", "like:floor"),
    ];

    const SORT_EXAMPLE: &'static str = "name,asc";

    const SEARCH: Option<Search> = Some(Search { fields: "name", example: "floor" });

    fn row(item: &GraphicPlan, _: RowContext) -> GraphicPlanRecord<'_> {
        GraphicPlanRecord::new(item)
    }
}
