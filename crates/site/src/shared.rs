//! The use cases, ports and settings of the pages.

use std::{sync::Arc, time::Duration};

use patrol_application::{
    AccessService, EventService, FiguresService, GraphicPlanService, ImageService, ImportService,
    MediaService, PhotoService, RecordService, ReportService, RoundService, ScheduleService,
    SeriesService, SignInService, TaskExecutionService, UserService,
};
use patrol_domain::{
    Clock, Ids, check_list::CheckList, idempotency::IdempotencyKeys, location::Location,
    point::Point, schedule::TimeZone, scheduled_task::ScheduledTask, sign_in::SignInSecrets,
    task_execution::Punctuality, user::User,
};

use crate::{
    guard::bundle::App, live::Live, office::tiles::MapTiles, public_url::PublicUrl,
    texts::Languages,
};

/// The use cases and ports that the pages need.
#[derive(Clone)]
pub struct SiteServices {
    /// Signing in, sessions, passwords and invitations.
    pub sign_in: SignInService,
    /// Issues, lists and revokes tokens.
    pub access: AccessService,
    /// Users.
    pub users: UserService,
    /// Locations.
    pub locations: RecordService<Location>,
    /// Points.
    pub points: RecordService<Point>,
    /// Plans.
    pub plans: RecordService<ScheduledTask>,
    /// What a changed plan does to rounds.
    pub rounds: RoundService,
    /// Previews of schedules.
    pub schedules: ScheduleService,
    /// Check-lists.
    pub check_lists: RecordService<CheckList>,
    /// Graphic plans of locations, with their pictures.
    pub graphic_plans: GraphicPlanService,
    /// Photos of users.
    pub photos: PhotoService,
    /// Imports people.
    pub import_people: ImportService<User>,
    /// Imports points.
    pub import_points: ImportService<Point>,
    /// Reads, lists, makes and changes rounds.
    pub executions: TaskExecutionService,
    /// Lists the entries of rounds.
    pub reports: ReportService,
    /// Changes the rounds of a series.
    pub series: SeriesService,
    /// Counts rounds.
    pub figures: FiguresService,
    /// Reads media.
    pub media: MediaService,
    /// Reads and follows the log of changes.
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
    /// When the start of a round is late.
    pub punctuality: Punctuality,
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
