//! Figures over HTTP.

mod parameters;
mod record;

use actix_web::{
    HttpResponse,
    http::header::{CONTENT_TYPE, HeaderValue, VARY},
};
use patrol_application::Operation;
use patrol_domain::{StoreError, figures::FiguresReport};
use patrol_record::value::Id;
use utoipa::OpenApi;

use self::{
    parameters::{Bound, GroupBy, request_of},
    record::{FiguresRecord, RowRecord},
};
use crate::{
    csv::{CSV, CsvRows, wants_csv},
    error::HandlerResult,
    reply,
    route::{Api, Call, Endpoint, FaultStyle, api_resource},
};

/// Registers the resource of figures.
pub(crate) fn configure(api: &mut Api<'_>) {
    let read = Endpoint::from(Operation::ReadFigures)
        .faults(FaultStyle::RULES_AS_INPUT)
        .parameters(parameters::knows);
    api.service(api_resource("/figures").get(read, report));
}

/// The operation in the API document.
#[derive(OpenApi)]
#[openapi(
    paths(report),
    components(schemas(Bound, GroupBy)),
    tags((name = "Figures", description = "How many rounds were planned, on time, late and missed."))
)]
pub(crate) struct Description;

/// Count the rounds of a period
///
/// Counts published rounds with from ≤ startAt < to, in groups or together. Each user may run one such
/// request at once; another one waits up to 5 seconds and is then answered with 429.
#[utoipa::path(
    get,
    path = "/figures",
    operation_id = "getFigures",
    params(
        ("from" = Bound, Query, example = "2026-11-01", description = "A timestamp, or a local date in \
            timeZone: its begin."),
        ("to" = Bound, Query, example = "2026-12-01", description = "A timestamp, or a local date in \
            timeZone: its begin. Not before from."),
        ("groupBy" = Option<GroupBy>, Query, example = "week", description = "One group of all rounds when absent."),
        ("timeZone" = Option<String>, Query, description = "An IANA name, for example `Europe/Berlin`; \
            the zone of the service when absent."),
        ("locationId" = Option<Id>, Query, description = "Only rounds of this location."),
        ("performerId" = Option<Id>, Query, description = "Only rounds with this performer."),
        ("scheduledTaskId" = Option<Id>, Query, description = "Only rounds of this scheduled task."),
    ),
    responses((status = 200, description = "The figures; as CSV only the groups.", content(
        (FiguresRecord<'_> = "application/json"),
        (String = "text/csv"),
    ))),
)]
async fn report(call: Call) -> HandlerResult {
    let request = request_of(call.query())?;
    let _permit = call.begin_figures().await?;
    let report = call.services().figures.report(call.actor(), request).await?;
    if !wants_csv(call.request().headers()) {
        return with_vary(reply::ok(&FiguresRecord::new(&report))?);
    }
    let mut answer = HttpResponse::Ok();
    answer.insert_header((CONTENT_TYPE, HeaderValue::from_static(CSV)));
    with_vary(answer.body(csv(&report)?))
}

/// The response depends on the header `Accept`.
fn with_vary(mut answer: HttpResponse) -> HandlerResult {
    answer.headers_mut().insert(VARY, HeaderValue::from_static("Accept"));
    Ok(answer)
}

/// The groups of a report as CSV, with a header line.
///
/// # Errors
/// `Internal` when a row cannot be written.
pub fn csv(report: &FiguresReport) -> Result<Vec<u8>, StoreError> {
    let mut body = Vec::new();
    let mut rows = CsvRows::begin::<RowRecord<'_>>(&mut body)?;
    rows.write(report.rows.iter().map(RowRecord::new), &mut body)?;
    Ok(body)
}
