//! The list of reports: its filters and its sort properties.

use super::Report;
use crate::list::{Listed, Query, sort_properties};

/// The list of reports. Without a sort, entries are in the order in which they arrived.
#[derive(Debug, Clone, Copy)]
pub struct ReportList;

/// A query of the list of reports.
pub type ReportQuery = Query<ReportList>;

impl Listed for ReportList {
    type Filter = ReportFilter;
    type Sort = ReportSort;
    type Item = Report;

    fn bytes(item: &Report) -> usize {
        let texts = [&item.entry.code, &item.entry.text_value].into_iter().flatten();
        size_of_val(item)
            + texts.map(String::len).sum::<usize>()
            + size_of_val(item.entry.media_ids.as_slice())
            + size_of_val(item.verdicts())
    }
}

/// Properties by which reports can be filtered, with the tests that each accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportFilter {
    /// The id of the entry: [`crate::list::Test::Ids`].
    Id,
    /// The round: [`crate::list::Test::Ids`].
    Execution,
    /// The type: [`crate::list::Test::Codes`].
    Type,
    /// The step; may be null: [`crate::list::Test::Ids`].
    Step,
    /// ACCEPTED or REFUSED: [`crate::list::Test::Codes`].
    Outcome,
    /// Whether the entry has a verdict: [`crate::list::Test::Flag`].
    Flagged,
}

sort_properties! {
    /// Properties by which reports can be sorted.
    ReportSort {
        Id = "id";
        At = "at";
        ReceivedAt = "receivedAt";
    }
}
