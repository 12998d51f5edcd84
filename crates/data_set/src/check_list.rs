//! Check-lists as lines of the data set.

use patrol_domain::{
    check_list::{CheckList, CheckListAction, CheckListActionDraft, CheckListDraft},
    ids::{CheckListActionId, CheckListId},
    task_execution::ActionType,
};
use patrol_json::{fields::Fields, write};
use serde::Serialize;

pub(crate) fn read(fields: &mut Fields<'_>) -> CheckListDraft {
    CheckListDraft {
        id: fields.uuid("id"),
        name: fields.text("name"),
        actions: fields.list("actions", read_action).unwrap_or_default(),
    }
}

fn read_action(fields: &mut Fields<'_>) -> CheckListActionDraft {
    CheckListActionDraft {
        id: fields.uuid("id"),
        name: fields.text("name"),
        kind: fields.text("type"),
        order: fields.integer("order"),
        required: fields.boolean("required").unwrap_or_default(),
        min_value: fields.number("minValue"),
        max_value: fields.number("maxValue"),
    }
}

/// A check-list as a line.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Row<'a> {
    #[serde(serialize_with = "write::id")]
    id: CheckListId,
    name: &'a str,
    actions: Vec<ActionRow<'a>>,
}

impl<'a> From<&'a CheckList> for Row<'a> {
    fn from(list: &'a CheckList) -> Self {
        let CheckList { id, name, actions } = list;
        Self { id: *id, name, actions: actions.iter().map(ActionRow::from).collect() }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ActionRow<'a> {
    #[serde(serialize_with = "write::id")]
    id: CheckListActionId,
    name: &'a str,
    #[serde(rename = "type", serialize_with = "write::name")]
    kind: ActionType,
    order: i32,
    required: bool,
    #[serde(serialize_with = "write::number_or_null")]
    min_value: Option<f64>,
    #[serde(serialize_with = "write::number_or_null")]
    max_value: Option<f64>,
}

impl<'a> From<&'a CheckListAction> for ActionRow<'a> {
    fn from(action: &'a CheckListAction) -> Self {
        let CheckListAction { id, name, kind, order, required, min_value, max_value } = action;
        Self {
            id: *id,
            name,
            kind: *kind,
            order: *order,
            required: *required,
            min_value: *min_value,
            max_value: *max_value,
        }
    }
}
