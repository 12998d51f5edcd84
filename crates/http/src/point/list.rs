//! Declaration of the list of points: parameters, sorting, items.

use patrol_domain::point::{Point, PointFilter, PointList, PointType};
use patrol_record::PointRecord;

use crate::list::{Filter, Kind, ListDeclaration, RowContext, Search};

impl ListDeclaration for PointList {
    type Options = ();
    type Row<'a> = PointRecord<'a>;

    const NAME: &'static str = "PointList";
    const HAS_CSV: bool = true;

    const FILTERS: &'static [Filter<PointFilter>] = &[
        Filter::new("id", PointFilter::Id, Kind::Id).about(
            "Ids.",
            "in:0190de30-0003-7000-8000-000000000001,0190de30-0003-7000-8000-000000000002",
        ),
        Filter::new("name", PointFilter::Name, Kind::Text).about("Name.", "like:gate"),
        Filter::new("type", PointFilter::Type, Kind::of::<PointType>()).example("in:QR,NFC"),
        Filter::new("locationId", PointFilter::Location, Kind::Id)
            .about("Location.", "0190de30-0001-7000-8000-000000000001"),
        Filter::new("tags", PointFilter::Tags, Kind::Tag)
            .about("Tags, compared exactly.", "in:outside,port"),
        Filter::new("qrCode", PointFilter::QrCode, Kind::Exact)
            .about("Printed code, compared with case, except by like.", "PORT-01-1"),
        Filter::new("rfidCode", PointFilter::RfidCode, Kind::Exact)
            .about("Code of the RFID tag, compared with case, except by like.", "like:04:a2"),
    ];

    const SORT_EXAMPLE: &'static str = "name,asc";

    const SEARCH: Option<Search> =
        Some(Search { fields: "name, qrCode, rfidCode or a tag", example: "gate" });

    fn row(item: &Point, _: RowContext) -> PointRecord<'_> {
        PointRecord::new(item)
    }
}
