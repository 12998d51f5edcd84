//! The list of locations.

use patrol_domain::{
    list::Test,
    location::{Location, LocationFilter, LocationList, LocationSort},
    task_execution::Moment,
};
use proptest::strategy::{BoxedStrategy, Strategy};

use super::{Key, Modelled, Value};
use crate::{
    arbitrary::{flag_tests, id_tests, tag_tests, text_tests},
    sample::location_id,
};

impl Modelled for LocationList {
    type Record = Location;

    const FILTERS: &'static [LocationFilter] = &[
        LocationFilter::Id,
        LocationFilter::Name,
        LocationFilter::Address,
        LocationFilter::WithGraphicPlan,
        LocationFilter::Tags,
    ];
    fn item(location: &Location) -> Location {
        location.clone()
    }

    fn value(location: &Location, filter: LocationFilter) -> Value {
        match filter {
            LocationFilter::Id => Value::Ids(vec![location.id.0]),
            LocationFilter::Name => Value::Text(location.name.clone()),
            LocationFilter::Address => Value::Text(location.address.clone()),
            LocationFilter::WithGraphicPlan => Value::Flag(!location.graphic_plan_ids.is_empty()),
            LocationFilter::Tags => Value::Tags(location.tags.clone()),
        }
    }

    fn test(filter: LocationFilter) -> BoxedStrategy<Test> {
        match filter {
            LocationFilter::Id => id_tests(location_id).boxed(),
            LocationFilter::Name | LocationFilter::Address => text_tests().boxed(),
            LocationFilter::WithGraphicPlan => flag_tests().boxed(),
            LocationFilter::Tags => tag_tests().boxed(),
        }
    }

    fn searched(location: &Location) -> Vec<&str> {
        let tags = location.tags.iter().map(String::as_str);
        tags.chain([location.name.as_str(), location.address.as_str()]).collect()
    }

    fn key(location: &Location, sort: LocationSort, _: Moment) -> Option<Key> {
        match sort {
            LocationSort::Id => Some(Key::Id(location.id.0)),
            LocationSort::Name => Some(Key::text(&location.name)),
            LocationSort::Address => Some(Key::text(&location.address)),
            LocationSort::Latitude => location.position.map(|at| Key::Degrees(at.latitude)),
            LocationSort::Longitude => location.position.map(|at| Key::Degrees(at.longitude)),
        }
    }

    fn ties(location: &Location) -> Vec<Key> {
        vec![Key::Id(location.id.0)]
    }
}
