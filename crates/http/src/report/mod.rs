//! Reports of executions over HTTP.

mod list;
mod record;

use patrol_application::Operation;
use patrol_domain::report::{EntryDraft, MAX_ENTRIES, MAX_MEDIA, ReportList, ReportsDraft};
use patrol_record::value::{self, Id, PointType, Time};
use utoipa::OpenApi;

use self::record::AnswerRecord;
use crate::{
    error::{HandlerResult, Language},
    list as lists,
    log::ChangedRecords,
    openapi::DocumentOf,
    reply,
    route::{Api, Call, Repeated, WithBody, api_resource},
    schema::{LongText, OptionalText, body, inline_schema, json_schema},
};

/// Registers the resource of reports.
pub(crate) fn configure(api: &mut Api<'_>) {
    let resource = api_resource("/task-executions/{id}/reports");
    // Any role may report; the use case checks the assignees.
    api.service(resource.get(lists::endpoint::<ReportList>(Operation::Read), list).post(
        Operation::Report,
        create,
        Repeated(create),
    ));
}

/// The list in the API document.
type ListDocument = DocumentOf<ReportList>;

/// The operations in the API document.
#[derive(OpenApi)]
#[openapi(
    paths(list, create),
    tags((name = "Reports", description = "What happened on a round, entry by entry."))
)]
pub(crate) struct Description;

body! {
    /// An entry. Which members it needs depends on its type.
    EntryPost {
        /// Made by the device; the same when the entry is sent again.
        id: Id,
        r#type: value::EntryType,
        /// By the clock of the device.
        at: Time,
        position: Option<PositionPost>,
        /// START: the user who walks the round; the caller when absent.
        performer_id: Option<Id>,
        /// Required on SCAN, RESULT and FINISH_STEP.
        step_id: Option<Id>,
        /// Required on RESULT.
        action_id: Option<Id>,
        /// Required on SCAN.
        technology: Option<PointType>,
        /// SCAN: the code as it was read.
        code: Option<OptionalText>,
        boolean_value: Option<bool>,
        number_value: Option<f64>,
        text_value: Option<LongText>,
        media_ids: Option<MediaIds>,
    }
}

body! {
    /// The position of the device.
    PositionPost {
        #[schema(minimum = -90, maximum = 90)]
        latitude: f64,
        #[schema(minimum = -180, maximum = 180)]
        longitude: f64,
        /// Metres; 0 when absent.
        #[schema(minimum = 0)]
        accuracy: Option<f64>,
    }
}

inline_schema! {
    /// The media of an entry.
    MediaIds = {"maxItems": MAX_MEDIA} of Id;
}

json_schema! {
    /// The entries of a report, in the order in which they take effect.
    ReportPost = {"minItems": 1, "maxItems": MAX_ENTRIES} of EntryPost;
}

/// List the reports of an execution
///
/// Entries come in the order of their arrival, unless sorted.
#[utoipa::path(
    get,
    path = "/task-executions/{id}/reports",
    operation_id = "getReports",
    params(("id" = Id, Path, description = "The execution."), ListDocument),
    responses((
        status = 200,
        description = "The entries that match.",
        body = ListDocument,
        headers(("Content-Language")),
    )),
)]
async fn list(call: Call) -> HandlerResult {
    // Faults of the query string come before a missing execution.
    lists::parse_query::<ReportList>(call.query(), call.moment())?;
    let (reports, actor, execution) = (&call.services().reports, call.actor(), call.id());
    reports.check_execution(actor, execution).await?;
    lists::answer::<ReportList>(&call, |query, ()| Ok(reports.list(actor, execution, query)?)).await
}

/// Report what happened on a round
///
/// Entries take effect in the order sent, all in one transaction. An entry may be sent again until it
/// is answered. A fault of form in one entry refuses all of them.
#[utoipa::path(
    post,
    path = "/task-executions/{id}/reports",
    operation_id = "postReports",
    params(("id" = Id, Path, description = "The execution.")),
    request_body = ReportPost,
    responses((
        status = 200,
        description = "What became of each entry.",
        body = AnswerRecord<'_>,
        headers(("Content-Language")),
    )),
)]
async fn create(WithBody(call, entries): WithBody<Vec<EntryDraft>>) -> HandlerResult {
    let (reports, moment) = (&call.services().reports, call.moment());
    let performed = reports.report(call.actor(), call.id(), ReportsDraft(entries)).await?;
    let language = Language::of(call.request().headers());
    let summary = performed.execution.summary();
    let mut answer = reply::ok(&AnswerRecord::new(&performed, &summary, moment, language))?;
    language.mark(answer.headers_mut());
    Ok(reply::with_changed(answer, ChangedRecords::one(performed.execution.id.0)))
}
