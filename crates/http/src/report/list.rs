//! Declaration of the list of reports: parameters, sorting, items.

use patrol_domain::report::{EntryType, OutcomeKind, Report, ReportFilter, ReportList};

use super::record::ReportRecord;
use crate::list::{Filter, Kind, ListDeclaration, RowContext};

impl ListDeclaration for ReportList {
    type Options = ();
    type Row<'a> = ReportRecord<'a>;

    const NAME: &'static str = "ReportList";

    const FILTERS: &'static [Filter<ReportFilter>] = &[
        Filter::new("id", ReportFilter::Id, Kind::Id)
            .about("Ids of entries.", "0190de30-000a-7000-8000-000000000001"),
        Filter::new("type", ReportFilter::Type, Kind::of::<EntryType>()).example("in:SCAN,NOTE"),
        Filter::new("stepId", ReportFilter::Step, Kind::Id)
            .about("Step.", "0190de30-0009-7000-8000-000000000001"),
        Filter::new("outcome", ReportFilter::Outcome, Kind::of::<OutcomeKind>()).example("REFUSED"),
        Filter::new("flagged", ReportFilter::Flagged, Kind::Boolean)
            .about("Whether the entry has a verdict.", "true"),
    ];

    const SORT_EXAMPLE: &'static str = "at,desc";

    const TIES: &'static str = "order of arrival";
    const SORTED_BY_ID: bool = false;
    const HAS_MESSAGES: bool = true;

    fn row(item: &Report, context: RowContext) -> ReportRecord<'_> {
        ReportRecord::new(item, context.language)
    }
}
