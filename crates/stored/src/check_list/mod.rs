//! The rows of a check-list: one for the list, and one for each action.

mod list;

use diesel::{dsl, pg::Pg, prelude::*, sqlite::Sqlite};
use patrol_domain::{
    Named, StoreError, Timestamp,
    check_list::{CheckList, CheckListAction},
    shared::text::fold,
};

use crate::{
    computed_text,
    row::Row,
    schema::{check_list_actions, check_lists},
    sql::{Id, id, types},
    statement::{Computed, computed},
};

/// The columns of a check-list that a change may write.
#[derive(Insertable, AsChangeset)]
#[diesel(table_name = check_lists)]
pub struct CheckListColumns<'a> {
    name: &'a str,
    name_folded: String,
}

impl<'a> CheckListColumns<'a> {
    /// The columns of `list`.
    #[must_use]
    pub fn of(list: &'a CheckList) -> Self {
        let CheckList { id: _, name, actions: _ } = list;
        Self { name, name_folded: fold(name) }
    }
}

/// All columns of a new check-list.
#[derive(Insertable)]
#[diesel(table_name = check_lists)]
pub struct NewList<'a> {
    id: Id,
    #[diesel(embed)]
    written: CheckListColumns<'a>,
    version: i64,
}

impl<'a> NewList<'a> {
    /// The columns of `list`, stored at this time. The id may have been used before; its versions were
    /// lower than the current time in milliseconds.
    #[must_use]
    pub fn of(list: &'a CheckList, at: Timestamp) -> Self {
        Self { id: id(list.id), written: CheckListColumns::of(list), version: at.millis() }
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
    StoredOrder: types::BigInt,
    sqlite: "check_list_actions.row",
    postgres: "check_list_actions.position"
);

/// Whether an action belongs to the check-list of the joined row.
#[must_use]
pub const fn is_in_list() -> Computed<IsInList> {
    computed()
}

/// The order of the actions of a check-list: by `order`, equal ones as they were stored.
#[dsl::auto_type(no_type_alias)]
pub fn in_order() -> _ {
    let stored: Computed<StoredOrder> = computed();
    (check_list_actions::place, stored)
}

/// The columns of a check-list, as read, without its actions.
#[derive(Queryable, Selectable, Clone)]
#[diesel(table_name = check_lists, check_for_backend(Sqlite, Pg))]
pub struct CheckListRow {
    id: Id,
    name: String,
}

impl CheckListRow {
    /// The check-list with these actions.
    ///
    /// # Errors
    /// `Corrupt` when a column cannot be read.
    pub fn list(self, actions: Vec<CheckListAction>) -> Result<CheckList, StoreError> {
        let Self { id, name } = self;
        Ok(CheckList { id: Row::new("check_lists", id).id("id", id)?, name, actions })
    }
}

/// The columns of an action, as read.
#[derive(Queryable, Selectable)]
#[diesel(table_name = check_list_actions, check_for_backend(Sqlite, Pg))]
pub struct ActionRow {
    id: Id,
    name: String,
    kind: i16,
    place: i32,
    required: bool,
    min_value: Option<f64>,
    max_value: Option<f64>,
}

impl ActionRow {
    /// Identifies the row in errors.
    #[must_use]
    pub const fn row(&self) -> Row {
        Row::new("check_list_actions", self.id)
    }

    /// Decodes the action.
    ///
    /// # Errors
    /// `Corrupt` when a column cannot be read.
    pub fn action(self) -> Result<CheckListAction, StoreError> {
        let at = self.row();
        let Self { id, name, kind, place, required, min_value, max_value } = self;
        Ok(CheckListAction {
            id: at.id("id", id)?,
            name,
            kind: at.named("kind", kind)?,
            order: place,
            required,
            min_value,
            max_value,
        })
    }
}
