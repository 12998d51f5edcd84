//! Random points and changes of points.

use patrol_domain::{
    Named, Timestamp,
    point::{PlanPlace, Point, PointType},
};
use proptest::{collection::vec, option::of, prelude::*, sample::select};

use super::{TEXTS, number, position, some, tags, texts, times};
use crate::sample::{location_id, plan_id, point_id};

/// Points of [`crate::sample::world`]'s locations, with its ids. Points with different ids have
/// different codes.
fn point() -> impl Strategy<Value = Point> {
    let share = || of(select(vec![0.0, 0.1, 1.0]));
    let places = vec((share(), share()), 0..3);
    let codes = (of(texts()), of(texts()));
    let rest = (select(PointType::ALL), of(position()), places, codes, tags());
    (number(), number(), texts(), rest).prop_map(
        |(number, location, name, (kind, position, places, (rfid, qr), tags))| {
            let place = |(x, y)| PlanPlace { plan: plan_id(location), x, y, further: Vec::new() };
            let code = |text| format!("{text} {number}");
            Point {
                position,
                graphic_plans: places.into_iter().map(place).collect(),
                rfid_code: rfid.map(code),
                qr_code: qr.map(code),
                tags,
                ..Point::new(point_id(number), location_id(location), name, kind)
            }
        },
    )
}

/// Random points with ids numbered from 1. No two have the same code; some have one that tests name.
pub(crate) fn points(count: usize) -> Vec<Point> {
    let mut points = some(count, point());
    for (at, (point, number)) in points.iter_mut().zip(1..).enumerate() {
        point.id = point_id(number);
        let code =
            |own: Option<&&str>| own.map_or_else(|| format!("{at} b"), |own| (*own).to_owned());
        point.qr_code = point.qr_code.take().map(|_| code(TEXTS.get(at)));
        point.rfid_code = point.rfid_code.take().map(|_| code(TEXTS.iter().rev().nth(at)));
    }
    points
}

/// A change of a point.
#[derive(Debug, Clone)]
pub(crate) struct Happening {
    /// The point after the change.
    pub(crate) point: Point,
    /// The time of the change.
    pub(crate) at: Timestamp,
    /// Whether an existing point is deleted instead of changed, and a missing one imported instead
    /// of created.
    pub(crate) otherwise: bool,
}

/// Random changes of points.
pub(crate) fn happening() -> impl Strategy<Value = Happening> {
    (point(), times(), prop::bool::weighted(0.3)).prop_map(|(point, at, otherwise)| Happening {
        point,
        at,
        otherwise,
    })
}
