//! Graphic plans of locations over HTTP.

mod form;
mod list;
#[cfg(test)]
pub(crate) mod tests;

use patrol_application::{NewGraphicPlan, Operation};
use patrol_domain::graphic_plan::{GraphicPlan, GraphicPlanList};
use patrol_record::{GraphicPlanRecord, value::Id};
use utoipa::OpenApi;

use self::form::GraphicPlanUpload;
use crate::{
    error::HandlerResult,
    image::{self, ImageFile},
    list as lists,
    log::ChangedRecords,
    openapi::DocumentOf,
    reply,
    route::{Api, Call, Endpoint, FaultStyle, Repeated, WithBody, api_resource},
};

/// Registers the resources of graphic plans. `/locations/graphic-plans` has no methods: it is registered
/// so that `graphic-plans` is answered with 405 and not taken for the id of a location.
pub(crate) fn configure(api: &mut Api<'_>) {
    let (read, plan) = (Operation::Read, Operation::Plan);
    let upload = Endpoint::from(plan).faults(FaultStyle::BODY_AS_INPUT);
    api.service(api_resource("/locations/graphic-plans"))
        .service(api_resource("/locations/graphic-plans/{id}").get(read, get).delete(plan, delete))
        .service(
            api_resource("/locations/graphic-plans/{id}/image").no_store().get(read, read_image),
        )
        .service(
            api_resource("/locations/{id}/graphic-plans")
                .get(lists::endpoint::<GraphicPlanList>(read), list)
                .post(upload, create, Repeated(created)),
        );
}

/// The list in the API document.
type ListDocument = DocumentOf<GraphicPlanList>;

/// The operations in the API document.
#[derive(OpenApi)]
#[openapi(
    paths(list, create, get, delete, read_image),
    tags((name = "Graphic plans", description = "Plans of locations, on which points are placed."))
)]
pub(crate) struct Description;

/// List the graphic plans of a location
///
/// Filters, sorts and pages.
#[utoipa::path(
    get,
    path = "/locations/{id}/graphic-plans",
    operation_id = "getGraphicPlans",
    params(("id" = Id, Path, description = "The location."), ListDocument),
    responses((status = 200, description = "The plans that match.", body = ListDocument)),
)]
async fn list(call: Call) -> HandlerResult {
    // Faults of the query string come before a missing location.
    lists::parse_query::<GraphicPlanList>(call.query(), call.moment())?;
    let (plans, actor, location) = (&call.services().graphic_plans, call.actor(), call.id());
    plans.check_location(actor, location).await?;
    lists::answer::<GraphicPlanList>(&call, |query, ()| Ok(plans.list(actor, location, query)?))
        .await
}

/// Create a graphic plan
///
/// The format of the picture is recognised by content. It is stored upright and encoded again, so that
/// only its pixels are kept. A plan never changes.
#[utoipa::path(
    post,
    path = "/locations/{id}/graphic-plans",
    operation_id = "postGraphicPlan",
    params(("id" = Id, Path, description = "The location.")),
    request_body(
        content = GraphicPlanUpload,
        content_type = "multipart/form-data",
        encoding(("image" = (content_type = "image/jpeg, image/png, image/webp")))
    ),
    responses((status = 201, description = "The plan was created.", body = GraphicPlanRecord<'_>)),
)]
async fn create(WithBody(call, new): WithBody<NewGraphicPlan>) -> HandlerResult {
    let plans = &call.services().graphic_plans;
    let created = plans.create(call.actor(), call.id(), new).await?;
    Ok(reply::with_changed(reply_created(&created)?, ChangedRecords::one(created.id.0)))
}

/// Answers a repeated POST with the record as it is now.
async fn created(call: Call) -> HandlerResult {
    let plan = call.services().graphic_plans.get(call.actor(), call.changed()?).await?;
    reply_created(&plan.record)
}

fn reply_created(plan: &GraphicPlan) -> HandlerResult {
    reply::created(&GraphicPlanRecord::new(plan), "/locations/graphic-plans", plan.id.0)
}

/// Read a graphic plan
#[utoipa::path(
    get,
    path = "/locations/graphic-plans/{id}",
    operation_id = "getGraphicPlan",
    params(("id" = Id, Path, description = "The graphic plan."), ("If-None-Match", Header)),
    responses((status = 200, description = "The graphic plan.", body = GraphicPlanRecord<'_>)),
)]
async fn get(call: Call) -> HandlerResult {
    let found = call.services().graphic_plans.get(call.actor(), call.id()).await?;
    reply::ok_or_not_modified(
        call.conditions(),
        found.version,
        &GraphicPlanRecord::new(&found.record),
    )
}

/// Delete a graphic plan
///
/// With its picture. A plan on which points are placed is not deleted.
#[utoipa::path(
    delete,
    path = "/locations/graphic-plans/{id}",
    operation_id = "deleteGraphicPlan",
    params(("id" = Id, Path, description = "The graphic plan."), ("If-Match", Header)),
    responses((status = 204, description = "The graphic plan is deleted.")),
)]
async fn delete(call: Call) -> HandlerResult {
    let plans = &call.services().graphic_plans;
    let at = call.target(|actor, id| plans.get(actor, id)).await?;
    plans.delete(call.actor(), at).await?;
    Ok(reply::no_content())
}

/// Read the picture of a graphic plan
#[utoipa::path(
    get,
    path = "/locations/graphic-plans/{id}/image",
    operation_id = "getGraphicPlanImage",
    params(("id" = Id, Path, description = "The graphic plan."), ("If-None-Match", Header)),
    responses(
        (
            status = 200,
            description = "The picture.",
            content(
                (ImageFile = "image/jpeg"),
                (ImageFile = "image/png"),
                (ImageFile = "image/webp")
            ),
        ),
        (status = 304, description = "The client has this picture already."),
    ),
)]
async fn read_image(call: Call) -> HandlerResult {
    let (plans, actor, plan) = (&call.services().graphic_plans, call.actor(), call.id());
    image::answer(call.request(), plans.current_image(actor, plan), plans.image(actor, plan)).await
}
