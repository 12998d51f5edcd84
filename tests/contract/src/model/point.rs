//! The list of points, and the list of their history.

use patrol_domain::{
    Named,
    list::Test,
    point::{
        HistoryFilter, HistoryList, HistoryRecord, HistorySort, Point, PointFilter, PointList,
        PointSort, PointType,
    },
    task_execution::Moment,
};
use proptest::strategy::{BoxedStrategy, Strategy};

use super::{Key, Modelled, Value};
use crate::{
    arbitrary::{code_tests, exact_tests, id_tests, tag_tests, text_tests},
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
        searched(&record.point)
    }

    fn key(record: &HistoryRecord, sort: HistorySort, _: Moment) -> Option<Key> {
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

/// The texts that the quick search compares.
fn searched(point: &Point) -> Vec<&str> {
    let codes = point.qr_code.as_deref().into_iter().chain(point.rfid_code.as_deref());
    let tags = point.tags.iter().map(String::as_str);
    codes.chain(tags).chain([point.name.as_str()]).collect()
}

impl Modelled for PointList {
    type Record = Point;

    const FILTERS: &'static [PointFilter] = &[
        PointFilter::Id,
        PointFilter::Name,
        PointFilter::Type,
        PointFilter::Location,
        PointFilter::Tags,
        PointFilter::QrCode,
        PointFilter::RfidCode,
    ];
    fn item(point: &Point) -> Point {
        point.clone()
    }

    fn value(point: &Point, filter: PointFilter) -> Value {
        match filter {
            PointFilter::Id => Value::Ids(vec![point.id.0]),
            PointFilter::Name => Value::Text(point.name.clone()),
            PointFilter::Type => Value::Code(Some(point.kind.code())),
            PointFilter::Location => Value::Ids(vec![point.location_id.0]),
            PointFilter::Tags => Value::Tags(point.tags.clone()),
            PointFilter::QrCode => Value::OptionalText(point.qr_code.clone()),
            PointFilter::RfidCode => Value::OptionalText(point.rfid_code.clone()),
        }
    }

    fn test(filter: PointFilter) -> BoxedStrategy<Test> {
        match filter {
            PointFilter::Id => id_tests(point_id).boxed(),
            PointFilter::Name => text_tests().boxed(),
            PointFilter::Type => code_tests::<PointType>().boxed(),
            PointFilter::Location => id_tests(location_id).boxed(),
            PointFilter::Tags => tag_tests().boxed(),
            PointFilter::QrCode | PointFilter::RfidCode => exact_tests().boxed(),
        }
    }

    fn searched(point: &Point) -> Vec<&str> {
        searched(point)
    }

    fn key(point: &Point, sort: PointSort, _: Moment) -> Option<Key> {
        match sort {
            PointSort::Id => Some(Key::Id(point.id.0)),
            PointSort::LocationId => Some(Key::Id(point.location_id.0)),
            PointSort::Name => Some(Key::text(&point.name)),
            PointSort::Type => Some(Key::text(point.kind.name())),
            PointSort::Latitude => point.position.map(|at| Key::Degrees(at.latitude)),
            PointSort::Longitude => point.position.map(|at| Key::Degrees(at.longitude)),
            PointSort::RfidCode => point.rfid_code.as_deref().map(Key::text),
            PointSort::QrCode => point.qr_code.as_deref().map(Key::text),
        }
    }

    fn ties(point: &Point) -> Vec<Key> {
        vec![Key::Id(point.id.0)]
    }
}
