//! The use cases, ports and settings of the pages.

use std::{sync::Arc, time::Duration};

use patrol_application::{
    AccessService, EventService, GraphicPlanService, ImageService, MediaService, RecordService,
    ReportService, SeriesService, SignInService, TaskExecutionService, UserService,
};
use patrol_domain::{
    Clock, Ids, check_list::CheckList, idempotency::IdempotencyKeys, location::Location,
    point::Point, schedule::TimeZone, scheduled_task::ScheduledTask, sign_in::SignInSecrets,
};

use crate::{guard::bundle::App, office::tiles::MapTiles, public_url::PublicUrl, texts::Languages};

/// The use cases and ports that the pages need.
#[derive(Clone)]
pub struct SiteServices {
    /// Signing in, sessions, passwords and invitations.
    pub sign_in: SignInService,
    /// Issues, lists and revokes tokens.
    pub access: AccessService,
    /// Lists users.
    pub users: UserService,
    /// Reads locations.
    pub locations: RecordService<Location>,
    /// Lists points.
    pub points: RecordService<Point>,
    /// Reads, makes and changes rounds.
    pub executions: TaskExecutionService,
    /// Lists the entries of rounds.
    pub reports: ReportService,
    /// Changes the rounds of a series.
    pub series: SeriesService,
    /// Reads and lists plans.
    pub scheduled_tasks: RecordService<ScheduledTask>,
    /// Reads and lists check-lists.
    pub check_lists: RecordService<CheckList>,
    /// Lists the graphic plans of locations.
    pub graphic_plans: GraphicPlanService,
    /// Reads media.
    pub media: MediaService,
    /// Reads the log of changes.
    pub events: EventService,
    /// Reads codes in pictures.
    pub images: ImageService,
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
    /// The time zone of pages whose reader has chosen none.
    pub time_zone: TimeZone,
    /// The server of the tiles behind maps.
    pub map_tiles: Option<MapTiles>,
}

/// What all pages share.
pub(crate) struct Shared {
    pub(crate) services: SiteServices,
    pub(crate) settings: SiteSettings,
    pub(crate) languages: Languages,
    /// The guard's page.
    pub(crate) app: App,
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
