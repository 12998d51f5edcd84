//! Declaration of the list of locations: parameters, sorting, items.

use patrol_domain::location::{Location, LocationFilter, LocationList};
use patrol_record::LocationRecord;

use crate::list::{Filter, FilterPlace, Kind, ListDeclaration, RowContext, Search};

impl ListDeclaration for LocationList {
    type Options = ();
    type Row<'a> = LocationRecord<'a>;

    const NAME: &'static str = "LocationList";

    const FILTERS: &'static [Filter<LocationFilter>] = &[
        Filter::new("name", LocationFilter::Name, Kind::Text).about("Name.", "like:port"),
        Filter::new("address", LocationFilter::Address, Kind::Text).about("Address.", "Quay Rd"),
        Filter::new("withGraphicPlan", LocationFilter::WithGraphicPlan, Kind::Boolean)
            .about("Whether there is a graphic plan: true or false.", "true"),
        Filter::new("tags", LocationFilter::Tags, Kind::Tag)
            .about("Tags, compared exactly.", "in:port,north"),
    ];

    const SORT_EXAMPLE: &'static str = "name,asc";

    const SEARCH: Option<Search> =
        Some(Search { fields: "name, address or a tag", example: "quay" });

    const FILTER_PLACE: FilterPlace = FilterPlace::Meta;

    fn row(item: &Location, _: RowContext) -> LocationRecord<'_> {
        LocationRecord::new(item)
    }
}
