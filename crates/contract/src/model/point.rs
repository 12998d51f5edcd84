//! The list of the history of points.

use patrol_domain::{
    Named, Timestamp,
    list::Test,
    point::{HistoryFilter, HistoryList, HistoryRecord, HistorySort, PointType},
};
use proptest::strategy::{BoxedStrategy, Strategy};

use super::{Key, Modelled, Value};
use crate::{
    arbitrary::{code_tests, id_tests, tag_tests, text_tests},
    sample::{location_id, point_id},
};

impl Modelled for HistoryList {
    type Record = HistoryRecord;

    const FILTERS: &'static [HistoryFilter] = &[
        HistoryFilter::Id,
        HistoryFilter::Name,
        HistoryFilter::Type,
        HistoryFilter::Location,
        HistoryFilter::Tags,
    ];
    const SORTS: &'static [HistorySort] = &[
        HistorySort::Id,
        HistorySort::HistoryId,
        HistorySort::Operation,
        HistorySort::RecordedAt,
        HistorySort::LocationId,
        HistorySort::Name,
        HistorySort::Type,
        HistorySort::Latitude,
        HistorySort::Longitude,
        HistorySort::RfidCode,
        HistorySort::QrCode,
    ];

    fn item(record: &HistoryRecord) -> HistoryRecord {
        record.clone()
    }

    fn value(record: &HistoryRecord, filter: HistoryFilter) -> Value {
        let point = &record.point;
        match filter {
            HistoryFilter::Id => Value::Ids(vec![point.id.0]),
            HistoryFilter::Name => Value::Text(point.name.clone()),
            HistoryFilter::Type => Value::Code(Some(point.kind.code())),
            HistoryFilter::Location => Value::Ids(vec![point.location_id.0]),
            HistoryFilter::Tags => Value::Tags(point.tags.clone()),
        }
    }

    fn test(filter: HistoryFilter) -> BoxedStrategy<Test> {
        match filter {
            HistoryFilter::Id => id_tests(point_id).boxed(),
            HistoryFilter::Name => text_tests().boxed(),
            HistoryFilter::Type => code_tests::<PointType>().boxed(),
            HistoryFilter::Location => id_tests(location_id).boxed(),
            HistoryFilter::Tags => tag_tests().boxed(),
        }
    }

    fn searched(record: &HistoryRecord) -> Vec<&str> {
        let point = &record.point;
        let codes = point.qr_code.as_deref().into_iter().chain(point.rfid_code.as_deref());
        let tags = point.tags.iter().map(String::as_str);
        codes.chain(tags).chain([point.name.as_str()]).collect()
    }

    fn key(record: &HistoryRecord, sort: HistorySort, _: Timestamp) -> Option<Key> {
        let HistoryRecord { history_id, operation, recorded_at, point } = record;
        match sort {
            HistorySort::Id => Some(Key::Id(point.id.0)),
            HistorySort::HistoryId => Some(Key::Number(*history_id)),
            HistorySort::Operation => Some(Key::text(operation.name())),
            HistorySort::RecordedAt => Some(Key::Number(recorded_at.millis())),
            HistorySort::LocationId => Some(Key::Id(point.location_id.0)),
            HistorySort::Name => Some(Key::text(&point.name)),
            HistorySort::Type => Some(Key::text(point.kind.name())),
            HistorySort::Latitude => point.position.map(|at| Key::Degrees(at.latitude)),
            HistorySort::Longitude => point.position.map(|at| Key::Degrees(at.longitude)),
            HistorySort::RfidCode => point.rfid_code.as_deref().map(Key::text),
            HistorySort::QrCode => point.qr_code.as_deref().map(Key::text),
        }
    }

    fn ties(record: &HistoryRecord) -> Vec<Key> {
        vec![Key::Id(record.point.id.0), Key::Number(record.history_id)]
    }
}
