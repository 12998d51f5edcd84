//! The list of check-lists. A page is one statement.

use patrol_domain::{
    StoreError,
    check_list::{CheckList, CheckListFilter, CheckListList, CheckListSort},
};

use super::CheckListRow;
use crate::{
    aggregate::Aggregate,
    list::{Column, Large, ListTable, SortKey, Text, Trigrams},
    sql::types,
};

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
        sqlite: concat!("id, name, ", actions!(sqlite)),
        postgres: concat!("id, name, ", actions!(postgres)),
    };
    const LARGE: Option<Large> = Some(Large {
        page_columns: concat!(
            "id, name, (SELECT CASE WHEN \
                coalesce(sum(octet_length(action.name) + 150), 0) <= 65536 \
            THEN ",
            actions!(array),
            " END FROM check_list_actions AS action WHERE action.check_list_id = check_lists.id)"
        ),
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
    type Row = CheckListRow;

    fn column(filter: CheckListFilter) -> Column {
        match filter {
            CheckListFilter::Id => Column::Plain("id"),
            CheckListFilter::Name => Column::Plain("name_folded"),
        }
    }

    fn item(read: CheckListRow) -> Result<CheckList, StoreError> {
        read.list()
    }

    fn lacks_large_value(read: &CheckListRow) -> bool {
        read.actions.is_none()
    }

    fn sort(sort: CheckListSort) -> SortKey {
        match sort {
            CheckListSort::Id => SortKey::of("id"),
            CheckListSort::Name => SortKey::of("name_folded"),
        }
    }
}
