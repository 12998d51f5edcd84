//! Actions of check-lists.

use patrol_domain::check_list::{CheckListAction, CheckListActionDraft, CheckListActionEdit};
use patrol_record::{
    CheckListActionRecord,
    json::fields::Fields,
    value::{ActionType, Id},
};
use serde::Serialize;
use utoipa::ToSchema;

use super::draft::CheckListActionPost;
use crate::{
    error::{Code, HandlerResult},
    log::ChangedRecords,
    reply,
    route::{Call, FaultStyle, JsonObject, WithBody},
    schema::{Name, body},
};

/// Add an action to a check-list
///
/// Without `order` it comes last. Existing executions do not change.
#[utoipa::path(
    post,
    path = "/check-lists/{id}/actions",
    operation_id = "postCheckListAction",
    params(("id" = Id, Path, description = "The check-list.")),
    request_body = CheckListActionPost,
    responses((
        status = 201,
        description = "The action was added.",
        body = CheckListActionRecord<'_>,
    )),
)]
pub(super) async fn create(WithBody(call, draft): WithBody<CheckListActionDraft>) -> HandlerResult {
    let actions = &call.services().check_list_actions;
    let action = actions.add(call.actor(), call.id(), draft).await?;
    Ok(reply::with_changed(reply_created(&action)?, ChangedRecords::one(action.id.0)))
}

/// Answers a repeated POST with the record as it is now.
pub(super) async fn created(call: Call) -> HandlerResult {
    let actions = &call.services().check_list_actions;
    reply_created(&actions.get(call.actor(), call.changed()?).await?)
}

fn reply_created(action: &CheckListAction) -> HandlerResult {
    reply::created(&CheckListActionRecord::new(action), "/check-lists/actions", action.id.0)
}

/// Malformed JSON is 406 here; see `docs/api/errors.md`.
pub(super) const EDIT_FAULTS: FaultStyle =
    FaultStyle { syntax: Code::NotAcceptable, ..FaultStyle::PLAIN };

/// Update a check-list action
///
/// Existing executions do not change.
#[utoipa::path(
    put,
    path = "/check-lists/actions/{id}",
    operation_id = "putCheckListAction",
    params(("id" = Id, Path, description = "The check-list action.")),
    request_body = CheckListActionPut,
    responses((status = 200, description = "The action was updated.", body = ActionRecord<'_>)),
)]
pub(super) async fn edit(WithBody(call, given): WithBody<CheckListActionEdit>) -> HandlerResult {
    let edited = call.services().check_list_actions.edit(call.actor(), call.id(), given).await?;
    reply::ok(&ActionRecord::new(&edited))
}

/// Answers a repeated PUT with the record as it is now.
pub(super) async fn edited(call: Call) -> HandlerResult {
    let action = call.services().check_list_actions.get(call.actor(), call.id()).await?;
    reply::ok(&ActionRecord::new(&action))
}

/// Delete a check-list action
///
/// Existing executions do not change.
#[utoipa::path(
    delete,
    path = "/check-lists/actions/{id}",
    operation_id = "deleteCheckListAction",
    params(("id" = Id, Path, description = "The check-list action.")),
    responses((status = 204, description = "The action is deleted.")),
)]
pub(super) async fn delete(call: Call) -> HandlerResult {
    call.services().check_list_actions.delete(call.actor(), call.id()).await?;
    Ok(reply::no_content())
}

body! {
    /// The new content of a check-list action.
    CheckListActionPut {
        /// Unchanged when absent.
        #[schema(required = false)]
        name: Name,
        r#type: ActionType,
    }
}

impl JsonObject for CheckListActionEdit {
    /// Reads the body of a PUT, which may contain the id of the path.
    fn read(fields: &mut Fields<'_>) -> Self {
        fields.accept(&["id"]);
        Self { name: fields.patch_text("name"), kind: fields.text("type") }
    }
}

/// The answer of PUT: an action without order, required and the bounds.
#[derive(Serialize, ToSchema, Debug)]
#[schema(as = CheckListAction)]
struct ActionRecord<'a> {
    id: Id,
    name: &'a str,
    #[serde(rename = "type")]
    kind: ActionType,
}

impl<'a> ActionRecord<'a> {
    fn new(action: &'a CheckListAction) -> Self {
        // PUT returns only these members; `CheckListActionRecord` has all of them.
        let CheckListAction { id, name, kind, order: _, required: _, min_value: _, max_value: _ } =
            action;
        Self { id: Id::of(*id), name, kind: ActionType(*kind) }
    }
}
