//! The HTTP adapter of Patrol, an actix-web app: features register their resources
//! ([`features`]), extractors authenticate and check a request before its handler runs
//! ([`route`]), and [`middleware`] adds what every response has.

mod access;
mod answer_memory;
mod api_path;
mod app;
mod body;
mod body_kind;
mod budget;
mod build;
mod check_list;
mod client_address;
mod connection;
mod cors;
mod csv;
mod dry_run;
mod error;
mod event;
mod event_waiters;
mod extract;
mod fault_style;
mod features;
mod figures;
mod form;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod graphic_plan;
mod header;
mod health;
mod idempotency;
mod image;
mod import;
mod list;
mod load;
mod location;
mod log;
mod media;
mod metrics;
mod middleware;
mod next_starts;
mod openapi;
mod operations;
mod page;
mod photo;
mod point;
mod query_string;
mod record;
mod reply;
mod report;
mod request_id;
mod request_limit;
mod request_state;
mod route;
mod scheduled_task;
mod schema;
mod series;
mod serve;
mod services;
mod settings;
mod shared;
mod task_execution;
#[cfg(test)]
mod tests;
mod throttle;
mod tls;
mod trace;
mod unknown_names;
mod usage;
mod user;

pub use build::Build;
pub use client_address::TrustedProxies;
pub use connection::SPARE as SPARE_CONNECTIONS;
pub use cors::{AllowedOrigins, origin};
pub use figures::csv as figures_csv;
pub use import::{
    Cause, CheckedFile, FileFault, Import, ImportedFile, LineFault, MAX_FILE, MAX_LINES, check,
    columns, import, is_list_column,
};
pub use log::ChangedRecords;
pub use media::media_file;
pub use page::{
    ErrorPage, FileForm, FoundSession, JsonError, PageError, PageRequest, SessionCredential, Site,
    SiteResource, Stopping,
};
pub use reply::{OpenEnded, with_changed};
pub use request_limit::RequestPermit;
pub use series::read_series_update;
pub use serve::{BoundSocket, bind, serve};
pub use services::Services;
pub use settings::Settings;
pub use task_execution::{read_execution, read_execution_patch};
pub use tls::{Tls, TlsFiles};
pub use trace::TraceContext;
