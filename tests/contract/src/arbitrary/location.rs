//! Random locations.

use patrol_domain::location::Location;
use proptest::{collection::vec, option::of, prelude::*};

use super::{position, tags, texts, uuid};

/// Locations with graphic plans.
pub(crate) fn location() -> impl Strategy<Value = Location> {
    let address = prop_oneof![texts(), Just(String::new())];
    (uuid(), texts(), address, of(position()), tags(), vec(uuid(), 0..4)).prop_map(
        |(id, name, address, position, tags, mut graphic_plan_ids)| {
            graphic_plan_ids.sort_unstable();
            Location { address, position, tags, graphic_plan_ids, ..Location::new(id, name) }
        },
    )
}
