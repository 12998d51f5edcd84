//! Check-list actions over HTTP.

#[cfg(test)]
pub(crate) mod tests;

use patrol_application::Operation;
use patrol_domain::check_list::{CheckListAction, CheckListActionEdit};
use patrol_json::fields::Fields;
use patrol_record::value::{ActionType, Id};
use serde::Serialize;
use utoipa::{OpenApi, ToSchema};

use crate::{
    openapi::Part,
    reply,
    route::{
        Answer, Api, BodyFault, Call, Endpoint, FaultStyle, JsonObject, Plan, WithBody, resource,
    },
    schema::{Name, body},
};

/// Registers the resource of check-list actions.
pub(crate) fn configure(api: &mut Api<'_>) {
    api.service(resource("/check-lists/actions/{id}").put(edit, edited).delete(delete));
}

/// The operations in the API document.
#[derive(OpenApi)]
#[openapi(
    paths(edit, delete),
    tags((name = "Check-list actions", description = "Templates for the actions of executions."))
)]
struct Description;

/// The part of the API document about check-list actions.
pub(crate) fn part() -> Part {
    Part::of::<Description>(include_str!("examples.json"))
}

/// Malformed JSON is 406 here; see `docs/api/errors.md`.
struct Edit;

impl Endpoint for Edit {
    const OPERATION: Operation = Operation::Plan;
    const FAULTS: FaultStyle = FaultStyle { syntax: BodyFault::NotAcceptable, ..FaultStyle::PLAIN };
}

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
async fn edit(WithBody(call, given): WithBody<Edit, CheckListActionEdit>) -> Answer {
    let edited = call.services().check_lists.edit(call.actor(), call.id(), given).await?;
    reply::ok(&ActionRecord::new(&edited))
}

/// PUT that is repeated.
async fn edited(call: Call<Edit>) -> Answer {
    let action = call.services().check_lists.get(call.actor(), call.id()).await?;
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
async fn delete(call: Call<Plan>) -> Answer {
    call.services().check_lists.delete(call.actor(), call.id()).await?;
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

/// An action of a check-list.
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
        // The API does not return the order, `required` and the bounds.
        let CheckListAction { id, name, kind, order: _, required: _, min_value: _, max_value: _ } =
            action;
        Self { id: Id::of(*id), name, kind: ActionType(*kind) }
    }
}
