//! Check-lists and their actions over HTTP.

mod action;
mod draft;
mod list;
#[cfg(test)]
pub(crate) mod tests;

use patrol_domain::{
    At,
    check_list::{CheckList, CheckListDraft, CheckListList},
};
use patrol_record::{CheckListRecord, value::Id};
use utoipa::OpenApi;

use crate::{
    error::{ApiError, HandlerResult},
    list::{self as lists, List},
    log::ChangedRecords,
    openapi::{DocumentOf, DocumentPart},
    reply,
    route::{Api, Call, Plan, Read, WithBody, api_resource},
};
use draft::{CheckListPost, CheckListPut, Replacement};

/// Registers the resources of check-lists. `/check-lists/actions` has no methods: it is registered so
/// that `actions` is answered with 405 and not taken for an id.
pub(crate) fn configure(api: &mut Api<'_>) {
    api.service(api_resource("/check-lists").get(list).post(create, created))
        .service(api_resource("/check-lists/actions"))
        .service(
            api_resource("/check-lists/actions/{id}")
                .put(action::edit, action::edited)
                .delete(action::delete),
        )
        .service(api_resource("/check-lists/{id}").get(get).put(replace, replaced).delete(delete))
        .service(api_resource("/check-lists/{id}/actions").post(action::create, action::created));
}

/// The list in the API document.
type ListDocument = DocumentOf<CheckListList>;

/// The operations in the API document.
#[derive(OpenApi)]
#[openapi(
    paths(
        list, create, get, replace, delete, action::create, action::edit, action::delete
    ),
    tags((name = "Check-lists", description = "Templates for the actions of executions."))
)]
struct Description;

/// The part of the API document about check-lists.
pub(crate) fn part() -> DocumentPart {
    DocumentPart::of::<Description>(include_str!("examples.json"))
}

/// List check-lists
///
/// Filters, sorts and pages. Each item has its actions.
#[utoipa::path(
    get,
    path = "/check-lists",
    operation_id = "getCheckLists",
    params(ListDocument),
    responses((status = 200, description = "The check-lists that match.", body = ListDocument)),
)]
async fn list(call: Call<List<Read, CheckListList>>) -> HandlerResult {
    let check_lists = &call.services().check_lists;
    lists::answer(&call, |query, ()| Ok(check_lists.list(call.actor(), query)?)).await
}

/// Create a check-list
///
/// An action without `order` comes after those that have one.
#[utoipa::path(
    post,
    path = "/check-lists",
    operation_id = "postCheckList",
    request_body = CheckListPost,
    responses(
        (
            status = 201,
            description = "The check-list was created.",
            body = CheckListRecord<'_>,
            headers(("Location")),
        ),
    ),
)]
async fn create(WithBody(call, draft): WithBody<Plan, CheckListDraft>) -> HandlerResult {
    let created = call.services().check_lists.create(call.actor(), draft).await?;
    Ok(reply::with_changed(reply_created(&created)?, ChangedRecords::one(created.id.0)))
}

/// Answers a repeated POST with the record as it is now.
async fn created(call: Call<Plan>) -> HandlerResult {
    let list = call.services().check_lists.get(call.actor(), call.changed()?).await?;
    reply_created(&list.record)
}

fn reply_created(list: &CheckList) -> HandlerResult {
    reply::created(&CheckListRecord::new(list), "/check-lists", list.id.0)
}

/// Read a check-list
#[utoipa::path(
    get,
    path = "/check-lists/{id}",
    operation_id = "getCheckList",
    params(("id" = Id, Path, description = "The check-list."), ("If-None-Match", Header)),
    responses(
        (
            status = 200,
            description = "The check-list with its actions.",
            body = CheckListRecord<'_>,
            headers(("ETag")),
        ),
        (status = 304, description = "The client has this version already.", headers(("ETag"))),
    ),
)]
async fn get(call: Call<Read>) -> HandlerResult {
    let found = call.services().check_lists.get(call.actor(), call.id()).await?;
    reply::ok_or_not_modified(
        call.conditions(),
        found.version,
        &CheckListRecord::new(&found.record),
    )
}

/// Replace a check-list
///
/// Actions are matched by id: an action with the id of a stored one replaces it, one with a new id or
/// without an id is a new one, and stored ones that the body does not contain are removed. Existing
/// executions do not change.
#[utoipa::path(
    put,
    path = "/check-lists/{id}",
    operation_id = "putCheckList",
    params(("id" = Id, Path, description = "The check-list."), ("If-Match", Header)),
    request_body = CheckListPut,
    responses(
        (
            status = 200,
            description = "The check-list after the change.",
            body = CheckListRecord<'_>,
            headers(("ETag")),
        ),
    ),
)]
async fn replace(WithBody(call, Replacement(draft)): WithBody<Plan, Replacement>) -> HandlerResult {
    let at = target(&call).await?;
    let list = call.services().check_lists.replace(call.actor(), at, draft).await?;
    reply::versioned(&CheckListRecord::new(&list.record), list.version)
}

/// Answers a repeated PUT with the record as it is now.
async fn replaced(call: Call<Plan>) -> HandlerResult {
    let list = call.services().check_lists.get(call.actor(), call.id()).await?;
    reply::versioned(&CheckListRecord::new(&list.record), list.version)
}

/// Delete a check-list
///
/// With its actions. Refused while scheduled tasks name the check-list. Existing executions do not
/// change.
#[utoipa::path(
    delete,
    path = "/check-lists/{id}",
    operation_id = "deleteCheckList",
    params(("id" = Id, Path, description = "The check-list."), ("If-Match", Header)),
    responses((status = 204, description = "The check-list is deleted.")),
)]
async fn delete(call: Call<Plan>) -> HandlerResult {
    let at = target(&call).await?;
    call.services().check_lists.delete(call.actor(), at).await?;
    Ok(reply::no_content())
}

/// The check-list in the path, with the expected version from `If-Match`.
async fn target<E>(call: &Call<E>) -> Result<At<CheckList>, ApiError> {
    let check_lists = &call.services().check_lists;
    call.target(|actor, id| check_lists.get(actor, id)).await
}
