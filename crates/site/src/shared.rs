//! The use cases, ports and settings of the pages.

use std::{sync::Arc, time::Duration};

use patrol_application::{AccessService, SignInService, UserService};
use patrol_domain::{Clock, Ids, idempotency::IdempotencyKeys, sign_in::SignInSecrets};

use crate::{guard::App, public_url::PublicUrl, texts::Languages};

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
pub(crate) struct Shared {
    pub(crate) services: SiteServices,
    pub(crate) settings: SiteSettings,
    pub(crate) languages: Languages,
    /// The guard's page.
    pub(crate) app: App,
}
