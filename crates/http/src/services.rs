//! The use cases and ports that the adapter needs.

use std::sync::Arc;

use patrol_application::{
    AccessService, CheckListActionService, EventService, FiguresService, GraphicPlanService,
    MediaService, PhotoService, PointHistoryService, RecordService, ReportService, RoundService,
    ScheduleService, SeriesService, TaskExecutionService, UserService,
};
use patrol_domain::{
    Clock, Ids, Monitored, Readiness, access::Authentication, check_list::CheckList,
    idempotency::IdempotencyKeys, location::Location, point::Point, scheduled_task::ScheduledTask,
    task_execution::Punctuality,
};

use crate::{build::Build, trace::TraceContext};

/// The use cases and ports that answer requests.
#[derive(Clone)]
pub struct Services {
    /// Create, read, replace, change, delete, copy and list executions.
    pub executions: TaskExecutionService,
    /// Report what happened on an execution, and list it.
    pub reports: ReportService,
    /// Change an execution and those that follow in its series.
    pub series: SeriesService,
    /// Scheduled tasks.
    pub scheduled_tasks: RecordService<ScheduledTask>,
    /// Create, read, change, delete and list users; change many users at once.
    pub users: UserService,
    /// Upload, read and delete photos of users.
    pub photos: PhotoService,
    /// Upload and read media.
    pub media: MediaService,
    /// Create, read, list and delete graphic plans, and their pictures.
    pub graphic_plans: GraphicPlanService,
    /// Locations.
    pub locations: RecordService<Location>,
    /// Points.
    pub points: RecordService<Point>,
    /// List the history of points.
    pub point_history: PointHistoryService,
    /// Check-lists.
    pub check_lists: RecordService<CheckList>,
    /// Add, change and delete actions of check-lists.
    pub check_list_actions: CheckListActionService,
    /// Compute what a change of a plan would do to the executions of its schedule.
    pub rounds: RoundService,
    /// Preview the occurrences of schedules.
    pub schedules: ScheduleService,
    /// Issue, list and revoke tokens.
    pub access: AccessService,
    /// Read the log of changes.
    pub events: EventService,
    /// Finds the user of a credential.
    pub authentication: Arc<dyn Authentication>,
    /// Looks up the idempotency keys of requests.
    pub idempotency_keys: Arc<dyn IdempotencyKeys>,
    /// Checks whether the store can be used.
    pub readiness: Arc<dyn Readiness>,
    /// The parts whose metrics `/metrics` shows.
    pub monitored: Vec<Arc<dyn Monitored>>,
    /// Count rounds.
    pub figures: FiguresService,
    /// When the start of a round is late.
    pub punctuality: Punctuality,
    /// Where people reach the program: the beginning of addresses on labels, for example
    /// `https://patrol.example.org`.
    pub public_url: String,
    /// The build of the program.
    pub build: Build,
    /// The clock, for times in responses and logs.
    pub clock: Arc<dyn Clock>,
    /// Generates ids, also for requests.
    pub ids: Arc<dyn Ids>,
    /// Makes the span of a request a part of its client's trace. Called only when spans are
    /// exported.
    pub continue_trace: fn(&tracing::Span, TraceContext<'_>),
}
