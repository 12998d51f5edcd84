//! Declaration of the list of locations: parameters, sorting, items.

use patrol_domain::{
    Timestamp,
    location::{LocationFilter, LocationItem, LocationList, LocationSort},
};

use super::record::LocationRecord;
use crate::list::{Declared, Filter, FilterPlace, Kind, OptionParameter};

const fn filter(
    name: &'static str,
    property: LocationFilter,
    kind: Kind,
) -> Filter<LocationFilter> {
    Filter { name, property, kind }
}

impl Declared for LocationList {
    type Options = ();
    type Row<'a> = LocationRecord<'a>;

    const FILTERS: &'static [Filter<LocationFilter>] = &[
        filter("name", LocationFilter::Name, Kind::Text),
        filter("address", LocationFilter::Address, Kind::Text),
        filter("withGraphicPlan", LocationFilter::WithGraphicPlan, Kind::Boolean),
        filter("tags", LocationFilter::Tags, Kind::Tag),
    ];

    const OPTIONS: &'static [OptionParameter<()>] = &[];

    const SORTS: &'static [(&'static str, LocationSort)] = &[
        ("id", LocationSort::Id),
        ("name", LocationSort::Name),
        ("address", LocationSort::Address),
        ("latitude", LocationSort::Latitude),
        ("longitude", LocationSort::Longitude),
    ];

    const SEARCHED: bool = true;

    const FILTER_PLACE: FilterPlace = FilterPlace::Meta;

    fn row(item: &LocationItem, _: Timestamp) -> LocationRecord<'_> {
        LocationRecord::new(item)
    }
}
