//! Declaration of the list of locations: parameters, sorting, items.

use patrol_domain::location::{Location, LocationFilter, LocationList, LocationSort};
use patrol_record::LocationRecord;

use crate::list::{
    Filter, FilterPlace, Kind, ListDeclaration, OptionParameter, RowContext, Search,
};

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

    const OPTIONS: &'static [OptionParameter<()>] = &[];

    const SORTS: &'static [(&'static str, LocationSort)] = &[
        ("id", LocationSort::Id),
        ("name", LocationSort::Name),
        ("address", LocationSort::Address),
        ("latitude", LocationSort::Latitude),
        ("longitude", LocationSort::Longitude),
    ];

    const SORT_EXAMPLE: &'static str = "name,asc";

    const SEARCH: Option<Search> =
        Some(Search { fields: "name, address or a tag", example: "quay" });

    const FILTER_PLACE: FilterPlace = FilterPlace::Meta;

    fn row(item: &Location, _: RowContext) -> LocationRecord<'_> {
        LocationRecord::new(item)
    }
}
