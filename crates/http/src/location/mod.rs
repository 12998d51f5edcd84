//! Locations over HTTP.

mod draft;
mod list;

use patrol_application::RecordService;
use patrol_domain::location::{Location, LocationDraft, LocationList};
use patrol_record::{json::fields::Fields, read_location};
use utoipa::OpenApi;

use crate::{
    record::{RecordResource, RecordTexts},
    services::Services,
};
use draft::{LocationPost, LocationPut};

impl RecordResource for Location {
    const PATH: &'static str = "/locations";
    const UNCHANGEABLE: &'static [&'static str] = &["id", "graphicPlanIds"];
    const TEXTS: RecordTexts = RecordTexts {
        name: "Location",
        noun: "location",
        list: ["Filters, sorts and pages. The applied filters are inside meta.", "The locations."],
        create: "Only name is required.",
        read: (None, "The full record."),
        replace: Some([
            "Members that are absent or null become null or empty. The graphic plans of the location \
             stay.",
            "The location was replaced.",
        ]),
        delete: "Refused while points, graphic plans, task executions in any state, scheduled tasks, or \
                 users name the location. The history of its points is kept.",
    };

    type Listing = LocationList;
    type Post = LocationPost;
    type Put = LocationPut;

    fn service(services: &Services) -> &RecordService<Self> {
        &services.locations
    }

    fn read_content(fields: &mut Fields<'_>) -> LocationDraft {
        read_location(fields)
    }
}

#[derive(OpenApi)]
#[openapi(tags((name = "Locations", description = "Places that are guarded.")))]
pub(crate) struct Description;
