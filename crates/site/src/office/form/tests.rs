//! Forms for the tests.

use patrol_domain::{Timestamp, schedule::TimeZone};

use super::parts::{Field, Kind, Part, Rows};
use crate::{
    texts::{Languages, Texts},
    times::Times,
};

pub(super) const TYPED: &[Part] = &[
    Field::new("name", |t| &t.name, Kind::Line).required().part(),
    Field::new("latitude", |t| &t.latitude, Kind::Number).part(),
    Field::new("tags", |t| &t.tags, Kind::Lines).part(),
    Field::new("schedule.start", |t| &t.name, Kind::LocalTime).part(),
    Field::new("startAt", |t| &t.name, Kind::Instant).part(),
    Field::new("published", |t| &t.name, Kind::Flag).part(),
    Part::Rows(Rows {
        path: "steps",
        legend: |t| &t.points,
        add: |t| &t.new_point,
        name: "name",
        parts: &[Field::new("name", |t| &t.name, Kind::Line).part()],
    }),
];

const ROWS: Rows = Rows {
    path: "rows",
    legend: |t| &t.name,
    add: |t| &t.name,
    name: "name",
    parts: &[Field::new("name", |t| &t.name, Kind::Line).part()],
};

pub(super) const FORM: &[Part] = &[
    Field::new("days", |t| &t.name, Kind::Boxes(&[("MO", |t| &t.name)])).part(),
    Field::new("place", |t| &t.name, Kind::One("places")).part(),
    Part::Rows(ROWS),
    Part::Button { action: "look", label: |t| &t.search },
];

/// Gives the work the texts and the times of Berlin.
pub(super) fn with_times<T>(work: impl FnOnce(&Texts, &Times<'_>) -> T) -> T {
    let languages = Languages::load().unwrap();
    let t = &languages.default().texts;
    let now = Timestamp::parse("2026-06-01T00:00:00Z").unwrap();
    work(t, &Times::new(TimeZone::named("Europe/Berlin").unwrap(), t, now))
}
