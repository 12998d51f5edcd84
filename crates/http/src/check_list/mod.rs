//! Check-list actions over HTTP.

#[cfg(test)]
pub(crate) mod tests;

use actix_web::http::Method;
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
    route::{Answer, BodyFault, Call, FaultStyle, Route},
};

/// The routes of check-list actions. Malformed JSON is 406 here; see `docs/api/errors.md`.
pub(crate) fn routes() -> Vec<Route> {
    const ONE: &str = "/check-lists/actions/{id}";
    let put = FaultStyle { syntax: BodyFault::NotAcceptable, ..FaultStyle::JSON };
    vec![
        Route::json(Method::PUT, ONE, Operation::Plan, put, None, read, edit),
        Route::delete(ONE, Operation::Plan, FaultStyle::PLAIN, delete),
    ]
}

/// PUT /check-lists/actions/{id}.
async fn edit(call: Call, given: CheckListActionEdit) -> Answer {
    let edited = call.services().check_lists.edit(call.actor(), call.id(), given).await?;
    reply::ok(&ActionRecord::new(&edited))
}

/// DELETE /check-lists/actions/{id}.
async fn delete(call: Call) -> Answer {
    call.services().check_lists.delete(call.actor(), call.id()).await?;
    Ok(reply::no_content())
}

/// Reads the body of a PUT, which may contain the id of the path.
fn read(fields: &mut Fields<'_>) -> CheckListActionEdit {
    fields.accept(&["id"]);
    CheckListActionEdit { name: fields.patch_text("name"), kind: fields.text("type") }
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
