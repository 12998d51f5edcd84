//! A mocked store with two points in memory.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::stream;
use patrol_domain::{
    EditError, Existing, Reference, References, StoreError, UniqueValue, Versioned,
    ids::{LocationId, PointId},
    list::Part,
    location::Position,
    point::{
        HistoryQuery, HistoryRecord, MockPointHistory, Operation, PlanPlace, Point, PointType,
    },
    shared::drafted::MockRecords,
};

use crate::tests::{NOW, Ports, TestServer, at, id};

/// The points, the time of the last change, and the history queries.
#[derive(Clone)]
pub(crate) struct Store {
    points: Arc<Mutex<Vec<Point>>>,
    queries: Arc<Mutex<Vec<HistoryQuery>>>,
}

/// A point with all members.
pub(crate) fn gate() -> Point {
    Point {
        position: Some(Position { latitude: 59.93, longitude: -30.0 }),
        graphic_plans: vec![PlanPlace {
            plan: id(0x701),
            x: Some(0.25),
            y: None,
            further: vec![
                ("label".to_owned(), "\"G 1\"".to_owned()),
                ("style".to_owned(), "{\"size\":10,\"z\":[null]}".to_owned()),
            ],
        }],
        rfid_code: Some("04:A2:2B".to_owned()),
        qr_code: Some("GATE-1".to_owned()),
        tags: vec!["outside".to_owned(), "порт".to_owned()],
        ..Point::new(id(0xc01), id(0x001), "Gate, порт", PointType::Qr)
    }
}

/// A point with the required members only.
pub(crate) fn cellar() -> Point {
    Point::new(id(0xc02), id(0x001), "Cellar", PointType::Virtual)
}

impl Default for Store {
    fn default() -> Self {
        Self { points: Arc::new(Mutex::new(vec![gate(), cellar()])), queries: Arc::default() }
    }
}

impl Store {
    /// A test server with this store.
    pub(crate) fn server(&self) -> TestServer {
        TestServer::new(Ports {
            points: self.mock(),
            point_history: self.history(),
            ..Ports::default()
        })
    }

    /// The stored point.
    pub(crate) fn get(&self, point: PointId) -> Option<Point> {
        self.with(|points| points.iter().find(|stored| stored.id == point).cloned())
    }

    /// The number of points.
    pub(crate) fn len(&self) -> usize {
        self.with(|points| points.len())
    }

    /// The last history query.
    pub(crate) fn last_query(&self) -> HistoryQuery {
        self.queries.lock().unwrap_or_else(PoisonError::into_inner).last().cloned().unwrap()
    }

    fn with<T>(&self, work: impl FnOnce(&mut Vec<Point>) -> T) -> T {
        work(&mut self.points.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn mock(&self) -> MockRecords<Point> {
        let mut mock = MockRecords::new();
        let store = self.clone();
        mock.expect_get().returning(move |id| Ok(store.get(id).map(Versioned::unversioned)));
        let store = self.clone();
        mock.expect_create().returning(move |new, now| {
            assert_eq!(now.at, at(NOW));
            store.with(|points| {
                let point = (new.make)(&existing(&new.references, points))?;
                points.push(point.clone());
                Ok(point)
            })
        });
        let store = self.clone();
        mock.expect_update().returning(move |edit, now| {
            assert_eq!(now.at, at(NOW));
            store.with(|points| {
                let existing = existing(&edit.references, points);
                let stored = points.iter_mut().find(|stored| stored.id == edit.at.id);
                let stored = stored.ok_or(EditError::Missing)?;
                if let Some(next) = (edit.change)(stored, &existing)? {
                    *stored = next;
                }
                Ok(Versioned::unversioned(stored.clone()))
            })
        });
        let store = self.clone();
        mock.expect_delete().returning(move |target, now| {
            assert_eq!(now.at, at(NOW));
            store.with(|points| {
                let found = points.iter().position(|stored| stored.id == target.id);
                points.remove(found.ok_or(EditError::Missing)?);
                Ok(())
            })
        });
        mock
    }

    fn history(&self) -> MockPointHistory {
        let mut mock = MockPointHistory::new();
        let store = self.clone();
        mock.expect_list().returning(move |query| {
            store.queries.lock().unwrap_or_else(PoisonError::into_inner).push(query);
            let record = HistoryRecord {
                history_id: 42,
                operation: Operation::Delete,
                recorded_at: at("2026-01-30T10:00:00.5Z"),
                point: gate(),
            };
            Box::pin(stream::iter([Ok(Part::Rows(vec![record])), Ok(Part::Total(1))]))
        });
        mock
    }
}

/// A test server whose store is unavailable.
pub(crate) fn unavailable() -> TestServer {
    let error = || StoreError::Unavailable("secret-address".to_owned());
    let (mut points, mut point_history) = (MockRecords::new(), MockPointHistory::new());
    points.expect_get().returning(move |_| Err(error()));
    points.expect_create().returning(move |_, _| Err(error().into()));
    points.expect_update().returning(move |_, _| Err(error().into()));
    points.expect_delete().returning(move |_, _| Err(error().into()));
    point_history.expect_list().returning(move |_| Box::pin(stream::iter([Err(error())])));
    TestServer::new(Ports { points, point_history, ..Ports::default() })
}

/// Two locations, each with a plan; codes are those of the points.
fn existing(references: &References, points: &[Point]) -> Existing {
    let is_named = |kind, id| references.records.get(&kind).is_some_and(|ids| ids.contains(&id));
    let mut existing = Existing::default();
    for (plan, location) in [(0x701, 0x001), (0x702, 0x002)] {
        let (plan, location) = (id(plan), id::<LocationId>(location));
        let records = [location.into(), Reference::to_plan(plan, location)];
        existing.extend(records.into_iter().filter(|record| is_named(record.kind, record.id)));
    }
    for point in points {
        let codes =
            [(UniqueValue::QrCode, &point.qr_code), (UniqueValue::RfidCode, &point.rfid_code)];
        for (kind, code) in codes {
            let named = references.values.get(&kind).into_iter().flatten();
            for code in named.filter(|named| code.as_ref() == Some(named)) {
                existing.add_owner(kind, code.clone(), point.id.0);
            }
        }
    }
    existing
}
