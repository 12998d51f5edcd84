//! The list of locations.

use patrol_domain::{
    Timestamp,
    list::Test,
    location::{LocationFilter, LocationItem, LocationList, LocationSort},
};
use proptest::strategy::{BoxedStrategy, Strategy};

use super::{Key, Modelled, Value};
use crate::arbitrary::{flag_tests, tag_tests, text_tests};

impl Modelled for LocationList {
    type Record = LocationItem;

    const FILTERS: &'static [LocationFilter] = &[
        LocationFilter::Name,
        LocationFilter::Address,
        LocationFilter::WithGraphicPlan,
        LocationFilter::Tags,
    ];
    const SORTS: &'static [LocationSort] = &[
        LocationSort::Id,
        LocationSort::Name,
        LocationSort::Address,
        LocationSort::Latitude,
        LocationSort::Longitude,
    ];

    fn item(item: &LocationItem) -> LocationItem {
        item.clone()
    }

    fn value(item: &LocationItem, filter: LocationFilter) -> Value {
        let LocationItem { location, graphic_plan_ids } = item;
        match filter {
            LocationFilter::Name => Value::Text(location.name.clone()),
            LocationFilter::Address => Value::Text(location.address.clone()),
            LocationFilter::WithGraphicPlan => Value::Flag(!graphic_plan_ids.is_empty()),
            LocationFilter::Tags => Value::Tags(location.tags.clone()),
        }
    }

    fn test(filter: LocationFilter) -> BoxedStrategy<Test> {
        match filter {
            LocationFilter::Name | LocationFilter::Address => text_tests().boxed(),
            LocationFilter::WithGraphicPlan => flag_tests().boxed(),
            LocationFilter::Tags => tag_tests().boxed(),
        }
    }

    fn searched(item: &LocationItem) -> Vec<&str> {
        let location = &item.location;
        let tags = location.tags.iter().map(String::as_str);
        tags.chain([location.name.as_str(), location.address.as_str()]).collect()
    }

    fn key(item: &LocationItem, sort: LocationSort, _: Timestamp) -> Option<Key> {
        let location = &item.location;
        match sort {
            LocationSort::Id => Some(Key::Id(location.id.0)),
            LocationSort::Name => Some(Key::text(&location.name)),
            LocationSort::Address => Some(Key::text(&location.address)),
            LocationSort::Latitude => location.position.map(|at| Key::Degrees(at.latitude)),
            LocationSort::Longitude => location.position.map(|at| Key::Degrees(at.longitude)),
        }
    }

    fn ties(item: &LocationItem) -> Vec<Key> {
        vec![Key::Id(item.location.id.0)]
    }
}
