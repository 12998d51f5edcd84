//! Locations.

mod graphic_plan;
mod list;
mod row;

use patrol_domain::{
    list::Listing,
    location::{LocationItem, LocationQuery, Locations},
};

pub(crate) use graphic_plan::{insert as insert_graphic_plans, page as graphic_plans_page};
pub(crate) use row::{insert, page};

use crate::Store;

impl Locations for Store {
    fn list(&self, query: LocationQuery) -> Listing<LocationItem> {
        self.listing(query)
    }
}
