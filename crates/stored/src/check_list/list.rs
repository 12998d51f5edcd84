//! The list of check-lists. A row contains the actions as JSON, so that a page is one statement.

use diesel::prelude::*;
use patrol_domain::{
    Named, StoreError,
    check_list::{CheckList, CheckListAction, CheckListFilter, CheckListList, CheckListSort},
    ids::{CheckListActionId, Uuid},
};
use serde::Deserialize;

use crate::{
    Error,
    aggregate::Aggregate,
    list::{Column, Large, ListTable, SortKey, Text, Trigrams},
    row::Row,
    sql::{Id, types},
};

/// A row of the list.
#[derive(Queryable)]
pub struct ActionItemRow {
    id: Id,
    name: String,
    /// `None` when the actions are too large for a page.
    actions: Option<String>,
}

/// An action as JSON: id, name, type, order, whether it is required, and the bounds as text, because
/// neither database writes every number exactly as JSON.
#[derive(Deserialize)]
struct ListedAction(String, String, i16, i32, u8, Option<String>, Option<String>);

impl ListedAction {
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

impl ListTable for CheckListList {
    const KEY: &'static str = "check_lists.row";
    const SEARCH: &'static [Column] = &[Column::Plain("name_folded")];
    const TRIGRAMS: Option<Trigrams> = Some(Trigrams {
        matching: "SELECT rowid FROM check_list_texts WHERE check_list_texts MATCH ",
        // Every change of a check-list updates the trigrams at once.
        missing: "SELECT NULL WHERE FALSE",
        max_candidates: 2_000,
    });
    const FROM: &'static str = "check_lists";
    const COLUMNS: Text = Text {
        sqlite: "id, name, (SELECT json_group_array(json_array( \
            hex(id), name, kind, place, required, \
            CASE WHEN min_value IS NOT NULL THEN quote(min_value) END, \
            CASE WHEN max_value IS NOT NULL THEN quote(max_value) END \
        ) ORDER BY place, row) FROM check_list_actions WHERE check_list_row = check_lists.row)",
        postgres: "id, name, (SELECT coalesce(json_agg(json_build_array( \
            action.id, action.name, action.kind, action.place, action.required::integer, \
            action.min_value::text, action.max_value::text \
        ) ORDER BY action.place, action.position), '[]'::json)::text \
        FROM check_list_actions AS action WHERE action.check_list_id = check_lists.id)",
    };
    const LARGE: Option<Large> = Some(Large {
        page_columns: "id, name, (SELECT CASE WHEN \
            coalesce(sum(octet_length(action.name) + 150), 0) <= 65536 \
        THEN coalesce(json_agg(json_build_array( \
            action.id, action.name, action.kind, action.place, action.required::integer, \
            action.min_value::text, action.max_value::text \
        ) ORDER BY action.place, action.position), '[]'::json)::text END \
        FROM check_list_actions AS action WHERE action.check_list_id = check_lists.id)",
        declare: "DECLARE check_lists NO SCROLL CURSOR FOR ",
        fetch: [
            "FETCH 256 FROM check_lists",
            "FETCH 16 FROM check_lists",
            "FETCH 1 FROM check_lists",
        ],
    });
    const TIES: &'static [&'static str] = &["id"];
    const AGGREGATE: Aggregate = Aggregate::CheckList;

    type SqlType = (types::Id, types::Text, types::Nullable<types::Text>);
    type Row = ActionItemRow;

    fn column(filter: CheckListFilter) -> Column {
        match filter {
            CheckListFilter::Id => Column::Plain("id"),
            CheckListFilter::Name => Column::Plain("name_folded"),
        }
    }

    fn item(read: ActionItemRow) -> Result<CheckList, StoreError> {
        let ActionItemRow { id, name, actions } = read;
        let at = Row::new("check_lists", id);
        let actions = actions.unwrap_or_default();
        let actions: Vec<ListedAction> = serde_json::from_str(&actions)
            .map_err(|error| at.corrupt("actions", Error::from(error)))?;
        let actions = actions.into_iter().map(ListedAction::action).collect::<Result<_, _>>();
        let actions = actions.map_err(|column| at.corrupt("actions", column))?;
        Ok(CheckList { id: at.id("id", id)?, name, actions })
    }

    fn lacks_large_value(read: &ActionItemRow) -> bool {
        read.actions.is_none()
    }

    fn sort(sort: CheckListSort) -> SortKey {
        match sort {
            CheckListSort::Id => SortKey::of("id"),
            CheckListSort::Name => SortKey::of("name_folded"),
        }
    }
}
