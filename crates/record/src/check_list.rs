//! Check-lists with their actions.

use patrol_domain::check_list::{CheckList, CheckListAction, CheckListActionDraft, CheckListDraft};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    json::{fields::Fields, write},
    value::{ActionType, Id},
};

/// A list of actions from which rounds are created.
#[derive(Serialize, ToSchema, Debug)]
#[schema(as = CheckList)]
pub struct CheckListRecord<'a> {
    id: Id,
    name: &'a str,
    /// In their order.
    actions: Vec<CheckListActionRecord<'a>>,
}

impl<'a> CheckListRecord<'a> {
    /// The record of a check-list.
    #[must_use]
    pub fn new(list: &'a CheckList) -> Self {
        let CheckList { id, name, actions } = list;
        Self {
            id: Id::of(*id),
            name,
            actions: actions.iter().map(CheckListActionRecord::new).collect(),
        }
    }
}

/// An action of a check-list, with all members.
#[derive(Serialize, ToSchema, Debug)]
#[serde(rename_all = "camelCase")]
#[schema(as = FullCheckListAction)]
pub struct CheckListActionRecord<'a> {
    id: Id,
    name: &'a str,
    #[serde(rename = "type")]
    kind: ActionType,
    /// Actions with the same order keep the order in which they were sent.
    order: i32,
    /// Whether a missing or wrong result is an ERROR; otherwise a wrong one is a WARNING.
    required: bool,
    /// The least reading that is right; NUMBER only.
    #[serde(serialize_with = "write::number_or_null")]
    min_value: Option<f64>,
    /// The greatest reading that is right; NUMBER only.
    #[serde(serialize_with = "write::number_or_null")]
    max_value: Option<f64>,
}

impl<'a> CheckListActionRecord<'a> {
    /// The record of an action.
    #[must_use]
    pub fn new(action: &'a CheckListAction) -> Self {
        let CheckListAction { id, name, kind, order, required, min_value, max_value } = action;
        Self {
            id: Id::of(*id),
            name,
            kind: ActionType(*kind),
            order: *order,
            required: *required,
            min_value: *min_value,
            max_value: *max_value,
        }
    }
}

/// Reads the members of a check-list, except its id.
pub fn read_check_list(fields: &mut Fields<'_>) -> CheckListDraft {
    CheckListDraft {
        id: None,
        name: fields.text("name"),
        actions: fields.list("actions", read_check_list_action).unwrap_or_default(),
    }
}

/// Reads an action of a check-list.
pub fn read_check_list_action(fields: &mut Fields<'_>) -> CheckListActionDraft {
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
