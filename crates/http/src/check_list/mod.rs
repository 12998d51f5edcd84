//! Check-lists and their actions over HTTP.

mod action;
mod draft;
mod list;
#[cfg(test)]
pub(crate) mod tests;

use patrol_application::{Operation, RecordService};
use patrol_domain::check_list::{CheckList, CheckListDraft, CheckListList};
use patrol_record::{json::fields::Fields, read_check_list};
use utoipa::OpenApi;

use crate::{
    record::{self, RecordResource, RecordTexts},
    route::{Api, Endpoint, Repeated, api_resource},
    services::Services,
};
use draft::{CheckListPost, CheckListPut};

/// Registers the resources of check-lists. `/check-lists/actions` has no methods: it is registered so
/// that `actions` is answered with 405 and not taken for an id.
pub(crate) fn configure(api: &mut Api<'_>) {
    let edit = Endpoint::from(Operation::Plan).faults(action::EDIT_FAULTS);
    api.service(record::collection::<CheckList>())
        .service(api_resource("/check-lists/actions"))
        .service(
            api_resource("/check-lists/actions/{id}")
                .put(edit, action::edit, Repeated(action::edited))
                .delete(Operation::Plan, action::delete),
        )
        .service(record::item::<CheckList>())
        .service(api_resource("/check-lists/{id}/actions").post(
            Operation::Plan,
            action::create,
            Repeated(action::created),
        ));
}

impl RecordResource for CheckList {
    const PATH: &'static str = "/check-lists";
    const TEXTS: RecordTexts = RecordTexts {
        name: "CheckList",
        noun: "check-list",
        list: [
            "Filters, sorts and pages. Each item has its actions.",
            "The check-lists that match.",
        ],
        create: "An action without `order` comes after those that have one.",
        read: (None, "The check-list with its actions."),
        replace: Some([
            "Actions are matched by id: an action with the id of a stored one replaces it, one with a \
             new id or without an id is a new one, and stored ones that the body does not contain are \
             removed. Existing executions do not change.",
            "The check-list after the change.",
        ]),
        delete: "With its actions. Refused while scheduled tasks name the check-list. Existing \
                 executions do not change.",
    };

    type Listing = CheckListList;
    type Post = CheckListPost;
    type Put = CheckListPut;

    fn service(services: &Services) -> &RecordService<Self> {
        &services.check_lists
    }

    fn read_content(fields: &mut Fields<'_>) -> CheckListDraft {
        read_check_list(fields)
    }
}

/// The operations in the API document, besides those of every record.
#[derive(OpenApi)]
#[openapi(
    paths(action::create, action::edit, action::delete),
    tags((name = "Check-lists", description = "Templates for the actions of executions."))
)]
pub(crate) struct Description;
