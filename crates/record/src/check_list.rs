//! Check-lists with their actions.

use patrol_domain::check_list::{CheckList, CheckListAction};
use patrol_json::write;
use serde::Serialize;

use crate::value::{ActionType, Id};

/// A check-list.
#[derive(Serialize, Debug)]
pub struct CheckListRecord<'a> {
    id: Id,
    name: &'a str,
    actions: Vec<ActionRecord<'a>>,
}

impl<'a> CheckListRecord<'a> {
    /// The record of a check-list.
    #[must_use]
    pub fn new(list: &'a CheckList) -> Self {
        let CheckList { id, name, actions } = list;
        Self { id: Id::of(*id), name, actions: actions.iter().map(ActionRecord::new).collect() }
    }
}

/// An action of a check-list.
#[derive(Serialize, Debug)]
#[serde(rename_all = "camelCase")]
struct ActionRecord<'a> {
    id: Id,
    name: &'a str,
    #[serde(rename = "type")]
    kind: ActionType,
    order: i32,
    required: bool,
    #[serde(serialize_with = "write::number_or_null")]
    min_value: Option<f64>,
    #[serde(serialize_with = "write::number_or_null")]
    max_value: Option<f64>,
}

impl<'a> ActionRecord<'a> {
    fn new(action: &'a CheckListAction) -> Self {
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
