//! Declaration of the list of check-lists: parameters, sorting, items.

use patrol_domain::check_list::{CheckList, CheckListFilter, CheckListList};
use patrol_record::CheckListRecord;

use crate::list::{Filter, Kind, ListDeclaration, RowContext, Search};

impl ListDeclaration for CheckListList {
    type Options = ();
    type Row<'a> = CheckListRecord<'a>;

    const NAME: &'static str = "CheckListList";

    const FILTERS: &'static [Filter<CheckListFilter>] = &[
        Filter::new("id", CheckListFilter::Id, Kind::Id)
            .about("Ids.", "0190de30-0005-7000-8000-000000000001"),
        Filter::new("name", CheckListFilter::Name, Kind::Text).about("Name.", "like:round"),
    ];

    const SORT_EXAMPLE: &'static str = "name,asc";

    const SEARCH: Option<Search> = Some(Search { fields: "name", example: "round" });

    fn row(item: &CheckList, _: RowContext) -> CheckListRecord<'_> {
        CheckListRecord::new(item)
    }
}
