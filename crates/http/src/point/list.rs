//! Declaration of the history of points: parameters, sorting, items.

use patrol_domain::{
    Timestamp,
    point::{HistoryFilter, HistoryList, HistoryRecord, HistorySort, PointType},
};
use patrol_record::HistoryRow;

use crate::list::{Declared, Filter, FilterPlace, Kind, OptionParameter};

const fn filter(name: &'static str, property: HistoryFilter, kind: Kind) -> Filter<HistoryFilter> {
    Filter { name, property, kind }
}

impl Declared for HistoryList {
    type Options = ();
    type Row<'a> = HistoryRow<'a>;

    const FILTERS: &'static [Filter<HistoryFilter>] = &[
        filter("id", HistoryFilter::Id, Kind::Id),
        filter("name", HistoryFilter::Name, Kind::Text),
        filter("type", HistoryFilter::Type, Kind::of::<PointType>()),
        filter("locationId", HistoryFilter::Location, Kind::Id),
        filter("tags", HistoryFilter::Tags, Kind::Tag),
    ];

    const OPTIONS: &'static [OptionParameter<()>] = &[];

    const SORTS: &'static [(&'static str, HistorySort)] = &[
        ("id", HistorySort::Id),
        ("locationId", HistorySort::LocationId),
        ("name", HistorySort::Name),
        ("type", HistorySort::Type),
        ("latitude", HistorySort::Latitude),
        ("longitude", HistorySort::Longitude),
        ("rfidCode", HistorySort::RfidCode),
        ("qrCode", HistorySort::QrCode),
        ("historyId", HistorySort::HistoryId),
        ("operation", HistorySort::Operation),
        ("recordedAt", HistorySort::RecordedAt),
    ];

    const SEARCHED: bool = true;

    const FILTER_PLACE: FilterPlace = FilterPlace::Absent;

    fn row(item: &HistoryRecord, _: Timestamp) -> HistoryRow<'_> {
        HistoryRow::new(item)
    }
}
