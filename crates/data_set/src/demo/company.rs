//! The sites of the demo company: locations, graphic plans and points.

use patrol_domain::{
    data_set::Record,
    graphic_plan::GraphicPlan,
    ids::{GraphicPlanId, LocationId, PointId},
    location::{Location, Position},
    point::{PlanPlace, Point, PointType},
    task_execution::Priority,
};

use super::{
    ids::{Kind, id},
    phrases::{ENGLISH, GERMAN, LATVIAN, Phrases, RUSSIAN},
};

/// A site that the company guards.
pub(super) struct Site {
    pub(super) name: &'static str,
    pub(super) phrases: &'static Phrases,
    pub(super) priority: Priority,
    pub(super) tag: &'static str,
    /// The number of points.
    pub(super) points: u64,
    address: &'static str,
    /// Degrees north and east; `None` where the position is unknown.
    position: Option<(f64, f64)>,
    /// The names of the graphic plans.
    plans: &'static [&'static str],
}

const fn site(
    name: &'static str,
    address: &'static str,
    position: (f64, f64),
    phrases: &'static Phrases,
    tag: &'static str,
) -> Site {
    Site {
        name,
        phrases,
        priority: Priority::Normal,
        tag,
        points: 3,
        address,
        position: Some(position),
        plans: &["0"],
    }
}

pub(super) const SITES: [Site; 12] = [
    Site {
        priority: Priority::Major,
        points: 4,
        plans: &["Pier", "Hall"],
        ..site("Porta Nova Terminal", "3 Quay Road, Harwich", (51.947, 1.288), &ENGLISH, "port")
    },
    Site {
        priority: Priority::Major,
        points: 4,
        plans: &["Этаж 1", "Этаж 2"],
        ..site("Порт, склад 3", "Причальная ул. 5, Балтийск", (54.651, 19.914), &RUSSIAN, "port")
    },
    Site {
        points: 4,
        ..site("Lager Nord", "Hafenstraße 12, Bremerhaven", (53.54, 8.58), &GERMAN, "warehouse")
    },
    Site {
        points: 4,
        ..site("Ūdenstornis", "Torņa iela 7, Ventspils", (57.389, 21.57), &LATVIAN, "water")
    },
    site("Museum of Clocks", "4 Mill Lane, Bury", (52.246, 0.711), &ENGLISH, "museum"),
    Site {
        priority: Priority::Minor,
        ..site("Бизнес-центр «Меридиан»", "Садовая ул. 21", (59.934, 30.335), &RUSSIAN, "office")
    },
    Site {
        priority: Priority::Critical,
        ..site("Rechenzentrum Ost", "Gerberweg 2, Leipzig", (51.34, 12.37), &GERMAN, "datacentre")
    },
    site("Tirgus noliktava", "Spīķeru iela 1, Rīga", (56.943, 24.116), &LATVIAN, "warehouse"),
    site("Airfreight Hall B", "Cargo Way 9, Kegworth", (52.83, -1.28), &ENGLISH, "airport"),
    site("Einkaufszentrum Lindenhof", "Lindenallee 40, Hagen", (51.36, 7.47), &GERMAN, "retail"),
    Site {
        position: None,
        plans: &[],
        ..site("Насосная станция 2", "", (0.0, 0.0), &RUSSIAN, "water")
    },
    Site {
        plans: &[],
        ..site("Solar field", "Old airfield, gate 2", (56.66, 21.1), &ENGLISH, "energy")
    },
];

/// The sites, numbered from 0.
pub(super) fn sites() -> impl Iterator<Item = (u64, &'static Site)> {
    (0..).zip(&SITES)
}

pub(super) const fn location_id(site: u64) -> LocationId {
    LocationId(id(Kind::Location, site + 1))
}

pub(super) const fn point_id(site: u64, point: u64) -> PointId {
    PointId(id(Kind::Point, site * 10 + point + 1))
}

const fn plan_id(site: u64, plan: u64) -> GraphicPlanId {
    GraphicPlanId(id(Kind::GraphicPlan, site * 10 + plan + 1))
}

/// The locations and their graphic plans.
pub(super) fn locations() -> Vec<Record> {
    let mut records = Vec::new();
    for (number, site) in sites() {
        records.push(Record::Location(Location {
            address: site.address.to_owned(),
            position: site.position.map(|(latitude, longitude)| Position { latitude, longitude }),
            tags: vec![site.tag.to_owned(), site.phrases.language.to_owned()],
            ..Location::new(location_id(number), site.name)
        }));
        for (plan, name) in (0..).zip(site.plans) {
            let name = format!("{} {name}", site.name);
            let plan = GraphicPlan::new(plan_id(number, plan), location_id(number), name);
            records.push(Record::GraphicPlan(plan));
        }
    }
    records
}

/// The points of all locations.
pub(super) fn points() -> Vec<Record> {
    sites()
        .flat_map(|(number, site)| (0..site.points).map(move |at| point(number, site, at)))
        .collect()
}

fn point(number: u64, site: &Site, at: u64) -> Record {
    let kinds = [PointType::Qr, PointType::Nfc, PointType::Rfid, PointType::Virtual];
    let names = kinds.into_iter().zip(site.phrases.points);
    let (kind, name) =
        names.cycle().nth(usize::try_from(at).unwrap_or(0)).unwrap_or((PointType::Ble, "Beacon"));
    let code = format!("{}-{:02}-{}", site.tag.to_uppercase(), number + 1, at + 1);
    let place = PlanPlace {
        plan: plan_id(number, 0),
        x: Some(0.25),
        y: Some(if at.is_multiple_of(2) { 0.25 } else { 0.75 }),
        further: Vec::new(),
    };
    Record::Point(Box::new(Point {
        graphic_plans: if site.plans.is_empty() { Vec::new() } else { vec![place] },
        rfid_code: (kind == PointType::Rfid).then(|| code.clone()),
        qr_code: (kind == PointType::Qr).then_some(code),
        tags: vec![site.tag.to_owned()],
        ..Point::new(point_id(number, at), location_id(number), name, kind)
    }))
}
