//! The bodies of POST and PUT.

use patrol_domain::check_list::{CheckListActionDraft, CheckListDraft};
use patrol_record::{
    json::fields::Fields,
    read_check_list, read_check_list_action,
    value::{ActionType, Id},
};

use crate::{
    route::JsonObject,
    schema::{Name, body, inline_schema},
};

body! {
    /// A new check-list. Members that are absent or null get their defaults.
    CheckListPost {
        /// A new id; Patrol makes one when absent.
        id: Option<Id>,
        name: Name,
        actions: Option<Actions>,
    }
}

body! {
    /// The new content of a check-list. Actions are matched by id; stored actions that the body does
    /// not contain are removed.
    CheckListPut {
        name: Name,
        actions: Option<Actions>,
    }
}

body! {
    /// An action of a check-list.
    CheckListActionPost {
        /// The id of the action; Patrol makes one for a new action when absent. It must not be the id
        /// of an action of another check-list.
        id: Option<Id>,
        name: Name,
        r#type: ActionType,
        /// Last when absent.
        order: Option<i32>,
        /// Whether a missing or wrong result is an ERROR; otherwise a wrong one is a WARNING.
        required: Option<bool>,
        /// The least reading that is right; NUMBER only.
        min_value: Option<f64>,
        /// The greatest reading that is right, not less than minValue; NUMBER only.
        max_value: Option<f64>,
    }
}

inline_schema! {
    /// The actions of a check-list.
    Actions = {"maxItems": "{limit_actions}"} of CheckListActionPost;
}

impl JsonObject for CheckListDraft {
    fn read(fields: &mut Fields<'_>) -> Self {
        let id = fields.uuid("id");
        Self { id, ..read_check_list(fields) }
    }
}

impl JsonObject for CheckListActionDraft {
    fn read(fields: &mut Fields<'_>) -> Self {
        read_check_list_action(fields)
    }
}
