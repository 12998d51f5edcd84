//! The list of check-lists. A page is one statement.

use patrol_domain::{
    Resource, StoreError,
    check_list::{CheckList, CheckListFilter, CheckListList, CheckListSort},
};

use super::CheckListRow;
use crate::stored::{
    list::{Column, ListTable, SortKey, Text, Trigrams},
    sql::types,
};

impl ListTable for CheckListList {
    const KEY: &'static str = "check_lists.row";
    const SEARCH: &'static [&'static str] = &["name_folded"];
    const TRIGRAMS: Option<Trigrams> = Some(Trigrams::of("check_list_texts"));
    const FROM: &'static str = "check_lists";
    const COLUMNS: Text = Text {
        sqlite: concat!("id, name, ", actions!(sqlite)),
        postgres: concat!("id, name, ", actions!(postgres)),
    };
    const PAGE_COLUMNS: Option<&'static str> = Some(concat!(
        "id, name, (SELECT CASE WHEN \
            coalesce(sum(octet_length(action.name) + 150), 0) <= 65536 \
        THEN ",
        actions!(array),
        " END FROM check_list_actions AS action WHERE action.check_list_id = check_lists.id)"
    ));
    const KIND: Resource = Resource::CheckList;

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
