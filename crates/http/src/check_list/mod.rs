//! Check-list actions over HTTP.

#[cfg(test)]
pub(crate) mod tests;

use patrol_application::Operation;
use patrol_domain::{
    check_list::{CheckListAction, CheckListActionEdit},
    ids::CheckListActionId,
    task_execution::ActionType,
};
use patrol_json::{fields::Fields, write};
use serde::Serialize;

use crate::{
    reply,
    route::{
        Answer, Api, BodyFault, Call, Endpoint, FaultStyle, JsonObject, Plan, WithBody, resource,
    },
};

/// Registers the resource of check-list actions.
pub(crate) fn configure(api: &mut Api<'_>) {
    api.service(resource("/check-lists/actions/{id}").put(edit).delete(delete));
}

/// Malformed JSON is 406 here; see `docs/api/errors.md`.
struct Edit;

impl Endpoint for Edit {
    const OPERATION: Operation = Operation::Plan;
    const FAULTS: FaultStyle = FaultStyle { syntax: BodyFault::NotAcceptable, ..FaultStyle::PLAIN };
}

/// PUT /check-lists/actions/{id}.
async fn edit(WithBody(call, given): WithBody<Edit, CheckListActionEdit>) -> Answer {
    let edited = call.services().check_lists.edit(call.actor(), call.id(), given).await?;
    reply::ok(&ActionRecord::new(&edited))
}

/// DELETE /check-lists/actions/{id}.
async fn delete(call: Call<Plan>) -> Answer {
    call.services().check_lists.delete(call.actor(), call.id()).await?;
    Ok(reply::no_content())
}

impl JsonObject for CheckListActionEdit {
    /// Reads the body of a PUT, which may contain the id of the path.
    fn read(fields: &mut Fields<'_>) -> Self {
        fields.accept(&["id"]);
        Self { name: fields.patch_text("name"), kind: fields.text("type") }
    }
}

/// The JSON form of a check-list action: id, name and type only.
#[derive(Serialize, Debug)]
struct ActionRecord<'a> {
    #[serde(serialize_with = "write::id")]
    id: CheckListActionId,
    name: &'a str,
    #[serde(rename = "type", serialize_with = "write::name")]
    kind: ActionType,
}

impl<'a> ActionRecord<'a> {
    fn new(action: &'a CheckListAction) -> Self {
        // The API does not return the order, `required` and the bounds.
        let CheckListAction { id, name, kind, order: _, required: _, min_value: _, max_value: _ } =
            action;
        Self { id: *id, name, kind: *kind }
    }
}
