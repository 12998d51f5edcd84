//! Forms for the tests.

use patrol_domain::{Timestamp, schedule::TimeZone};

use super::parts::{Kind, Part, Rows};
use crate::{
    texts::{Language, Texts},
    times::Times,
};

pub(super) const TYPED: &[Part] = &[
    Part::field("name", |t| &t.name, Kind::Line).required(),
    Part::field("latitude", |t| &t.latitude, Kind::Number),
    Part::field("tags", |t| &t.tags, Kind::Lines),
    Part::field("schedule.start", |t| &t.name, Kind::LocalTime),
    Part::field("startAt", |t| &t.name, Kind::Instant),
    Part::field("published", |t| &t.name, Kind::Flag),
    Part::Rows(Rows {
        path: "steps",
        legend: |t| &t.points,
        add: |t| &t.new_point,
        name: "name",
        parts: &[Part::field("name", |t| &t.name, Kind::Line)],
    }),
];

const ROWS: Rows = Rows {
    path: "rows",
    legend: |t| &t.name,
    add: |t| &t.name,
    name: "name",
    parts: &[Part::field("name", |t| &t.name, Kind::Line)],
};

pub(super) const FORM: &[Part] = &[
    Part::field("days", |t| &t.name, Kind::Boxes(&[("MO", |t| &t.name)])),
    Part::field("place", |t| &t.name, Kind::One("places")),
    Part::Rows(ROWS),
    Part::Button { action: "look", label: |t| &t.search },
];

/// Gives the work the texts and the times of Berlin.
pub(super) fn with_times<T>(work: impl FnOnce(&Texts, &Times<'_>) -> T) -> T {
    let t = &Language::usual().texts;
    let now = Timestamp::parse("2026-06-01T00:00:00Z").unwrap();
    work(t, &Times::new(TimeZone::named("Europe/Berlin").unwrap(), t, now))
}
