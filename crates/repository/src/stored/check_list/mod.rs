//! The rows of a check-list: one for the list, and one for each action. A list is read as one row, with its
//! actions as JSON.

/// The actions of a check-list: by `order`, equal ones as they were stored.
macro_rules! actions {
    (sqlite) => {
        "(SELECT json_group_array(json_array( \
            hex(id), name, kind, place, required, \
            CASE WHEN min_value IS NOT NULL THEN quote(min_value) END, \
            CASE WHEN max_value IS NOT NULL THEN quote(max_value) END \
        ) ORDER BY place, row) FROM check_list_actions WHERE check_list_row = check_lists.row)"
    };
    (postgres) => {
        concat!(
            "(SELECT ",
            actions!(array),
            " FROM check_list_actions AS action WHERE action.check_list_id = check_lists.id)"
        )
    };
    (array) => {
        "coalesce(json_agg(json_build_array( \
            action.id, action.name, action.kind, action.place, action.required::integer, \
            action.min_value::text, action.max_value::text \
        ) ORDER BY action.place, action.position), '[]'::json)::text"
    };
}

mod list;

use diesel::prelude::*;
use patrol_domain::{
    Named, StoreError,
    check_list::{CheckList, CheckListAction},
    ids::{CheckListActionId, Uuid},
    shared::text::fold,
};
use serde::Deserialize;

use crate::stored::{
    Error, computed_text,
    row::Row,
    schema::{check_list_actions, check_lists},
    sql::{Id, id, types},
    statement::{Computed, computed},
};

/// The columns of a check-list, without its actions.
#[derive(Insertable, AsChangeset)]
#[diesel(table_name = check_lists)]
pub struct CheckListColumns<'a> {
    id: Id,
    name: &'a str,
    name_folded: String,
}

impl<'a> CheckListColumns<'a> {
    /// The columns of `list`.
    #[must_use]
    pub fn of(list: &'a CheckList) -> Self {
        let CheckList { id: list_id, name, actions: _ } = list;
        Self { id: id(*list_id), name, name_folded: fold(name) }
    }
}

/// The columns of an action, without the check-list.
#[derive(Insertable, AsChangeset)]
#[diesel(table_name = check_list_actions)]
#[diesel(treat_none_as_default_value = false, treat_none_as_null = true)]
pub struct ActionColumns<'a> {
    id: Id,
    name: &'a str,
    kind: i16,
    place: i32,
    required: bool,
    min_value: Option<f64>,
    max_value: Option<f64>,
}

impl<'a> ActionColumns<'a> {
    /// The columns of `action`.
    #[must_use]
    pub fn of(action: &'a CheckListAction) -> Self {
        let CheckListAction { id: action_id, name, kind, order, required, min_value, max_value } =
            action;
        Self {
            id: id(*action_id),
            name,
            kind: kind.code(),
            place: *order,
            required: *required,
            min_value: *min_value,
            max_value: *max_value,
        }
    }
}

computed_text!(
    IsInList: types::Bool,
    sqlite: "check_lists.row = check_list_actions.check_list_row",
    postgres: "check_lists.id = check_list_actions.check_list_id"
);
computed_text!(
    Actions: types::Nullable<types::Text>,
    sqlite: actions!(sqlite),
    postgres: actions!(postgres)
);

/// Whether an action belongs to the check-list of the joined row.
#[must_use]
pub const fn is_in_list() -> Computed<IsInList> {
    computed()
}

/// The columns of a [`CheckListRow`].
pub type Columns = (check_lists::id, check_lists::name, Computed<Actions>);

/// The columns of a check-list with its actions.
#[must_use]
pub const fn all_columns() -> Columns {
    (check_lists::id, check_lists::name, computed())
}

/// A check-list with its actions, as read.
#[derive(Queryable)]
pub struct CheckListRow {
    id: Id,
    name: String,
    /// `None` when the actions are too large for a page.
    actions: Option<String>,
}

impl CheckListRow {
    /// Decodes the check-list.
    ///
    /// # Errors
    /// `Corrupt` when a column cannot be read.
    pub fn list(self) -> Result<CheckList, StoreError> {
        let Self { id, name, actions } = self;
        let at = Row::new("check_lists", id);
        let actions: Vec<StoredAction> = serde_json::from_str(&actions.unwrap_or_default())
            .map_err(|error| at.corrupt("actions", Error::from(error)))?;
        let actions = actions.into_iter().map(StoredAction::action).collect::<Result<_, _>>();
        let actions = actions.map_err(|column| at.corrupt("actions", column))?;
        Ok(CheckList { id: at.id("id", id)?, name, actions })
    }
}

/// An action as JSON: id, name, type, order, whether it is required, and the bounds as text, because
/// neither database writes every number exactly as JSON.
#[derive(Deserialize)]
struct StoredAction(String, String, i16, i32, u8, Option<String>, Option<String>);

impl StoredAction {
    /// The action; the name of a column that cannot be read otherwise.
    fn action(self) -> Result<CheckListAction, &'static str> {
        let Self(id, name, kind, order, required, min_value, max_value) = self;
        let number = |text: Option<String>| text.map(|text| text.parse()).transpose();
        let id = Uuid::try_parse(&id).map_err(|_| "id")?;
        Ok(CheckListAction {
            id: CheckListActionId(id),
            name,
            kind: Named::from_code(kind).ok_or("kind")?,
            order,
            required: required != 0,
            min_value: number(min_value).map_err(|_| "min_value")?,
            max_value: number(max_value).map_err(|_| "max_value")?,
        })
    }
}
