//! The use cases, ports and settings of the pages.

use std::{sync::Arc, time::Duration};

use patrol_application::{ImageService, ImportService, SignInService};
use patrol_domain::{point::Point, schedule::TimeZone, sign_in::SignInSecrets, user::User};
use patrol_http::Services;

use crate::{guard::bundle::App, live::Live, office::tiles::MapTiles, public_url::PublicUrl};

/// The use cases and ports that only the pages need.
#[derive(Clone)]
pub struct SiteServices {
    /// Signing in, sessions, passwords and invitations.
    pub sign_in: SignInService,
    /// Imports people.
    pub import_people: ImportService<User>,
    /// Imports points.
    pub import_points: ImportService<Point>,
    /// Reads codes in pictures.
    pub images: ImageService,
    /// Generates and digests secrets.
    pub secrets: Arc<dyn SignInSecrets>,
}

/// The settings of the pages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SiteSettings {
    /// Where people reach the program. Links and cookies depend on it.
    pub public_url: PublicUrl,
    /// How long the cookie of a session is kept: the longest time of a session.
    pub session_max: Duration,
    /// The time zone of pages whose reader has chosen none.
    pub time_zone: TimeZone,
    /// The server of the tiles behind maps.
    pub map_tiles: Option<MapTiles>,
}

/// What all pages share.
pub(crate) struct Shared {
    /// The use cases and ports that the API uses too.
    pub(crate) api: Services,
    pub(crate) services: SiteServices,
    pub(crate) settings: SiteSettings,
    /// The guard's page.
    pub(crate) app: App,
    /// Tells open pages about changes.
    pub(crate) live: Arc<Live>,
}

impl Shared {
    /// The token of the forms that are bound to this secret, which cannot be computed from it.
    pub(crate) fn form_token(&self, secret: &str) -> String {
        let digest = self.services.secrets.digest(&format!("form {secret}"));
        digest.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Whether `sent` is the token for this secret. Digests are compared, so that the time tells
    /// nothing.
    pub(crate) fn is_form_token(&self, sent: &str, secret: &str) -> bool {
        let digest = |text: &str| self.services.secrets.digest(text);
        digest(sent) == digest(&self.form_token(secret))
    }
}
