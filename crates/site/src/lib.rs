//! The web site of Patrol: pages outside `/v1` on which people sign in, generate access tokens, and
//! invite others. `docs/site.md` describes them. The pages call the same use cases as the API and the
//! command line.

mod assets;
mod browser;
mod cookies;
mod form;
mod guard;
mod labels;
mod live;
mod office;
mod once;
mod pages;
mod public_url;
mod shared;
mod texts;
mod times;
mod view;
mod visit;

use std::sync::Arc;

use actix_web::web::Data;
use patrol_http::{Services, Site};

pub use labels::{LabelsDocument, labels_file, language_codes, points_to_label};
pub use office::tiles::MapTiles;
pub use public_url::PublicUrl;
pub use shared::{SiteServices, SiteSettings};

use guard::bundle::App;
use live::Live;
use shared::Shared;

/// The site. `api` has the use cases and ports that the API uses too.
pub fn site(api: Services, services: SiteServices, settings: SiteSettings) -> Site {
    let app = App::new(services.secrets.as_ref(), api.punctuality);
    let live = Arc::new(Live::new(api.events.clone(), api.reports.clone()));
    let shared = Data::new(Shared { api, services, settings, app, live });
    let (for_errors, for_sessions) = (Data::clone(&shared), Data::clone(&shared));
    Site {
        resources: Arc::new(move || pages::resources(&shared)),
        error_page: Arc::new(move |request, error| pages::error::page(&for_errors, request, error)),
        session: Arc::new(move |request| guard::session::find(&for_sessions, request)),
    }
}
