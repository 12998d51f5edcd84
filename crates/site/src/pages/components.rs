//! What pages are made of, in all states on one page, so that a change of the look can be judged at once. Only
//! in debug builds.

use actix_web::http::StatusCode;
use askama::Template;
use patrol_domain::{location::Position, task_execution::State};
use patrol_http::PageError;
use serde_json::json;

use super::HandlerResult;
use crate::{
    office::{
        chart::{Chart, Group},
        content::Facts,
        faults::FormFault,
        form::{FormView, Kind, Label, Part, Rows, Sources, set},
        list::Address,
        map::{Fix, Map, MapFlag, Stop, Walk},
        state::{Mark, StateLabel},
        table::{Cell, Column, Table},
    },
    texts::Texts,
    times::Times,
    view::{self, Frame},
    visit::Visit,
};

#[derive(Template)]
#[template(path = "components.html")]
struct Page<'a> {
    frame: Frame<'a>,
    states: Vec<StateLabel>,
    facts: Facts<'a>,
    tables: [Table<'a>; 2],
    form: String,
    chart: Option<Chart<'a>>,
    map: Option<Map<'a>>,
}

/// A field of each kind. Those with `Faulty` in their paths have a fault.
const FORM: &[Part] = &[
    Part::field("name", |t| &t.name, Kind::Line).required(),
    Part::field("nameFaulty", |t| &t.name, Kind::Line).hint(|t| &t.step_name_hint),
    Part::field("text", |t| &t.description, Kind::Paragraph),
    Part::field("number", |t| &t.latitude, Kind::Number),
    Part::field("numberFaulty", |t| &t.longitude, Kind::Number),
    Part::field("tags", |t| &t.tags, Kind::Lines).hint(|t| &t.one_a_line),
    Part::field("published", |t| &t.round_published, Kind::Flag).hint(|t| &t.round_published_hint),
    Part::Group {
        legend: |t| &t.state_planned,
        parts: &[
            Part::field("startAt", |t| &t.round_start, Kind::Instant),
            Part::field("local", |t| &t.round_start, Kind::LocalTime),
            Part::field("date", |t| &t.date, Kind::Date),
        ],
    },
    Part::field("choice", |t| &t.state, Kind::Choice(CHOICES)),
    Part::field("boxes", |t| &t.state, Kind::Boxes(CHOICES)),
    Part::field("place", |t| &t.location, Kind::One("places")),
    Part::field("noPlace", |t| &t.location, Kind::One("none")).required(),
    Part::field("people", |t| &t.people, Kind::Many("places")),
    Part::field("password", |t| &t.password, Kind::Secret),
    Part::field("file", |t| &t.file, Kind::File),
    Part::Rows(Rows {
        path: "rows",
        legend: |t| &t.steps,
        add: |t| &t.add_step,
        name: "name",
        parts: &[Part::field("name", |t| &t.name, Kind::Line)],
    }),
    Part::Button { action: "preview", label: |t| &t.show },
];

const CHOICES: &[(&str, Label)] = &[("A", |t| &t.state_planned), ("B", |t| &t.state_completed)];

/// GET /docs/components
pub(crate) async fn show(visit: Visit) -> HandlerResult {
    let t = &visit.language().texts;
    let times = visit.times();
    let walk = walk();
    let form = form(t, &times).map_err(PageError::internal)?;
    let frame = Frame::of_visit(&visit, &t.rounds).headed("Components");
    let page = Page {
        states: marks().map(|mark| StateLabel::new(mark, t)).into(),
        facts: Facts(vec![
            (&t.name, Cell::text("Along the fence")),
            (&t.location, Cell::link("#content", "Pier 3")),
            (&t.state, Cell::Several(marks().map(|mark| StateLabel::new(mark, t).into()).into())),
        ]),
        tables: [table(t, &times), Table { rows: Vec::new(), pager: None, ..table(t, &times) }],
        form,
        chart: Chart::new(t, t.figures_chart.with("Components"), groups()),
        map: Map::by_coordinates(t, &walk, None),
        frame: Frame {
            alert: Some("An alert says why nothing was saved, and what to do.".to_owned()),
            notice: Some("A notice says what was done.".to_owned()),
            ..frame
        },
    };
    view::page(&visit, StatusCode::OK, &page)
}

const fn marks() -> [Mark; 6] {
    [Mark::Planned, Mark::InProgress, Mark::Completed, Mark::Late, Mark::Missed, Mark::Flagged]
}

fn table<'a>(t: &'a Texts, times: &Times<'_>) -> Table<'a> {
    let address = Address::new("/docs/components", vec![("sort".into(), "name".into())]);
    let row = |n: u64, mark| {
        vec![
            Cell::link(format!("#row-{n}"), format!("Round {n}")),
            times.time(times.now()).into(),
            Cell::Progress { done: n, all: 12, text: format!("{n} {}", t.of_total.with(&12)) },
            Cell::State(StateLabel::new(mark, t)),
            Cell::Number(n),
        ]
    };
    Table {
        label: "Rounds".to_owned(),
        columns: vec![
            Column::new(&t.name).sorted_by(&address, "name"),
            Column::new(&t.state_planned).sorted_by(&address, "start"),
            Column::new(&t.steps),
            Column::new(&t.state),
            Column::of_numbers(&t.flags),
        ],
        rows: (1..).zip(marks()).map(|(n, mark)| row(n, mark)).collect(),
        empty: "An empty list says what belongs there.".to_owned(),
        pager: Some(address.pager_of(6, 6, 18)),
        t,
    }
}

fn form(t: &Texts, times: &Times<'_>) -> askama::Result<String> {
    let places = ["Pier 3", "Hall 7", "Gate"].map(|name| (name.to_owned(), name.to_owned()));
    let record = json!({
        "name": "Along the fence", "tags": ["night", "hall"], "published": true, "number": 51.5,
        "choice": "B", "boxes": ["A"], "place": "gone", "people": ["Gate"],
        "rows": [{ "name": "Gate" }, { "name": "Pier 3" }, { "name": "Hall 7" }],
    });
    let mut changed = record.clone();
    set(&mut changed, "number", json!(48));
    FormView {
        t,
        times,
        sources: &Sources::default().with("places", places.into()),
        faults: &[
            FormFault::new("nameFaulty", &t.fault_required),
            FormFault::new("numberFaulty", &t.fault_number),
            FormFault::new("rows[1].name", &t.fault_unique),
        ],
        changed: Some(&changed),
        answer: Some(("preview", "<p>What a button shows stands below it.</p>".to_owned())),
    }
    .html(FORM, &record)
}

fn groups() -> Vec<Group> {
    let group = |(label, completed, late, missed): (&str, u64, u64, u64)| Group {
        label: label.to_owned(),
        completed,
        late,
        missed,
    };
    [("Mon 1 Dec", 12, 2, 0), ("Tue 2 Dec", 9, 4, 3), ("Wed 3 Dec", 0, 0, 0)].map(group).into()
}

/// A walk over three steps, one in each state, with a flag.
fn walk() -> Walk {
    let at = |north: f64| Position { latitude: 51.5 + north, longitude: 7.0 + north / 2.0 };
    let states = [State::Completed, State::InProgress, State::Pending];
    let places = [0.0, 0.001, 0.002];
    let stops = (1..).zip(states).zip(places).map(|((number, state), north)| Stop {
        number,
        name: format!("Step {number}"),
        state,
        position: Some(at(north)),
        place: None,
    });
    let fix = |north| Fix { position: at(north), accuracy: 20.0 };
    let flag = MapFlag { text: "A flag".to_owned(), position: Some(at(0.0015)), stop: Some(2) };
    Walk { stops: stops.collect(), fixes: [0.0, 0.0004, 0.001].map(fix).into(), flags: vec![flag] }
}
