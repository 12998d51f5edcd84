//! The web site of Patrol: pages outside `/v1` on which people sign in, generate access tokens, and
//! invite others. `docs/site.md` describes them. The pages call the same use cases as the API and the
//! command line.

mod assets;
mod browser;
mod cookies;
mod form;
mod pages;
mod public_url;
mod texts;
mod view;
mod visit;

use std::{sync::Arc, time::Duration};

use actix_web::web::Data;
use patrol_application::{AccessService, SignInService, UserService};
use patrol_domain::{Clock, Ids, idempotency::IdempotencyKeys, sign_in::SignInSecrets};
use patrol_http::Site;

pub use public_url::PublicUrl;
pub use texts::TextsError;

use texts::Languages;

/// The use cases and ports that the pages need.
#[derive(Clone)]
pub struct SiteServices {
    /// Signing in, sessions, passwords and invitations.
    pub sign_in: SignInService,
    /// Issues, lists and revokes tokens.
    pub access: AccessService,
    /// Lists users.
    pub users: UserService,
    /// Finds forms that were sent before.
    pub idempotency_keys: Arc<dyn IdempotencyKeys>,
    /// Generates and digests secrets.
    pub secrets: Arc<dyn SignInSecrets>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Generates the ids of forms.
    pub ids: Arc<dyn Ids>,
}

/// The settings of the pages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SiteSettings {
    /// Where people reach the program. Links and cookies depend on it.
    pub public_url: PublicUrl,
    /// How long the cookie of a session is kept: the longest time of a session.
    pub session_max: Duration,
}

/// What all pages share.
struct Shared {
    services: SiteServices,
    settings: SiteSettings,
    languages: Languages,
}

/// The site.
///
/// # Errors
/// When the texts of a language are incomplete, which a test rules out.
pub fn site(services: SiteServices, settings: SiteSettings) -> Result<Site, TextsError> {
    let shared = Data::new(Shared { services, settings, languages: Languages::load()? });
    let for_errors = Data::clone(&shared);
    Ok(Site {
        resources: Arc::new(move || pages::resources(&shared)),
        error_page: Arc::new(move |request, error| pages::error::page(&for_errors, request, error)),
    })
}
