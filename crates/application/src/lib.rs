//! The use cases of Patrol. HTTP, the command line and the periodic jobs call them. A use case checks
//! the permission of its caller first, then applies the rules of the domain and calls the ports.

mod access;
mod check_list_action;
mod context;
mod data_set;
mod dry_run;
mod event;
mod failure;
mod figures;
mod graphic_plan;
mod image;
mod media;
mod permission;
mod photo;
mod point_history;
mod record;
mod report;
mod round;
mod rules;
mod schedule;
mod series;
mod sign_in;
mod task_execution;
mod user;

pub use access::{AccessService, IssuedToken, TokenDraft};
pub use check_list_action::CheckListActionService;
pub use context::Context;
pub use data_set::DataSetService;
pub use event::{EventService, RecordEvents};
pub use failure::Failure;
pub use figures::{FiguresRequest, FiguresService, PeriodBound};
pub use graphic_plan::{GraphicPlanService, NewGraphicPlan};
pub use image::{ImageCheck, ImageService};
pub use media::{MAX_UPLOAD_MILLIS, MediaService, MediaUpload};
pub use permission::{
    Actor, Operation, Operator, may_see_pin, permit, permit_members, permit_performer,
    permit_record, permit_tokens,
};
pub use photo::PhotoService;
pub use point_history::PointHistoryService;
pub use record::{RecordService, UnstoredRecord};
pub use report::ReportService;
pub use round::RoundService;
pub use rules::rules;
pub use schedule::{MAX_PREVIEW, Preview, PreviewDraft, ScheduleService};
pub use series::{SeriesPorts, SeriesService, SplitSeries};
pub use sign_in::{
    ActiveSession, NewPasswordError, OpenedSession, SignInError, SignInPorts, SignInService,
    Visitor,
};
pub use task_execution::{CopyDraft, MAX_COPIES, TaskExecutionService};
pub use user::UserService;
