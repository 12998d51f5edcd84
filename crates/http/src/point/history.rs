//! Declaration of the history of points: parameters, sorting, items.

use patrol_domain::point::{HistoryFilter, HistoryList, HistoryRecord, PointType};
use patrol_record::HistoryRow;

use crate::list::{Filter, FilterPlace, Kind, ListDeclaration, RowContext, Search};

impl ListDeclaration for HistoryList {
    type Options = ();
    type Row<'a> = HistoryRow<'a>;

    const NAME: &'static str = "PointHistory";

    const FILTERS: &'static [Filter<HistoryFilter>] = &[
        Filter::new("id", HistoryFilter::Id, Kind::Id)
            .about("The point.", "in:0190de30-0003-7000-8000-000000000001"),
        Filter::new("name", HistoryFilter::Name, Kind::Text).about("Name.", "like:gate"),
        Filter::new("type", HistoryFilter::Type, Kind::of::<PointType>()).example("in:QR,NFC"),
        Filter::new("locationId", HistoryFilter::Location, Kind::Id)
            .about("Location.", "in:0190de30-0001-7000-8000-000000000001"),
        Filter::new("tags", HistoryFilter::Tags, Kind::Tag)
            .about("Tags, compared exactly.", "in:outside,port"),
    ];

    const SORT_EXAMPLE: &'static str = "recordedAt,desc";

    const TIES: &'static str = "id, then by historyId";

    const SEARCH: Option<Search> =
        Some(Search { fields: "name, qrCode, rfidCode or a tag", example: "GATE-1" });

    const FILTER_PLACE: FilterPlace = FilterPlace::Absent;

    fn row(item: &HistoryRecord, _: RowContext) -> HistoryRow<'_> {
        HistoryRow::new(item)
    }
}
