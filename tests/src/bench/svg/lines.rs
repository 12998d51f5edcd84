//! Lines that show how values change from place to place.

use super::{MARGIN, Picture, TOP};

const LEFT: f64 = 80.0;
const RIGHT: f64 = 640.0;
const HEIGHT: f64 = 420.0;
const BOTTOM: f64 = HEIGHT - 56.0;

/// A colour for each series, distinguishable on light and dark pages.
const COLOURS: [&str; 8] =
    ["#0969da", "#bf8700", "#1a7f37", "#cf222e", "#8250df", "#1b7c83", "#bc4c00", "#6e7781"];

/// The labels at the bottom and on the left.
#[derive(Clone, Debug)]
pub struct Axis<'a> {
    /// The places at the bottom, one for each value of a series.
    pub places: &'a [String],
    /// The unit of the values.
    pub unit: &'a str,
    /// Values with a line across the chart: the goals.
    pub goals: &'a [(f64, String)],
}

/// A series of values.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name.
    pub label: String,
    /// One for each place.
    pub values: Vec<f64>,
}

/// Lines over equidistant places. The scale of the values is logarithmic.
#[must_use]
pub fn lines(title: &str, axis: &Axis<'_>, series: &[Series]) -> String {
    let mut picture = Picture::new(title, HEIGHT);
    let values = || {
        let goals = axis.goals.iter().map(|(value, _)| *value);
        series.iter().flat_map(|it| it.values.iter().copied()).chain(goals)
    };
    let ends =
        [values().fold(f64::MAX, f64::min).log2() - 0.2, values().fold(0.0, f64::max).log2() + 0.2];
    let [least, most] = ends;
    let y = |value: f64| BOTTOM - (BOTTOM - TOP) * (value.log2() - least) / (most - least);
    let apart = (RIGHT - LEFT - 40.0) / (axis.places.len().max(2) - 1) as f64;
    let x = |at: usize| LEFT + 20.0 + apart * at as f64;
    picture.text(MARGIN, TOP - 14.0, "faint", "start", axis.unit);
    picture.line([LEFT, BOTTOM], [RIGHT, BOTTOM], "rule");
    for value in ticks(ends) {
        picture.line([LEFT, y(value)], [RIGHT, y(value)], "grid");
        picture.text(LEFT - 8.0, y(value) + 4.0, "faint", "end", &number(value));
    }
    for (at, place) in axis.places.iter().enumerate() {
        picture.text(x(at), BOTTOM + 20.0, "faint", "middle", place);
    }
    for (value, label) in axis.goals {
        picture.line([LEFT, y(*value)], [RIGHT, y(*value)], "rule");
        picture.text(LEFT + 4.0, y(*value) - 4.0, "faint", "start", label);
    }
    let ends: Vec<f64> = series.iter().map(|it| y(it.values[it.values.len() - 1])).collect();
    let labels = spread(&ends);
    for (at, Series { label, values }) in series.iter().enumerate() {
        let colour = COLOURS[at % COLOURS.len()];
        let points = values.iter().enumerate().map(|(at, value)| [x(at), y(*value)]);
        picture.path(&points.collect::<Vec<_>>(), colour);
        let last = values[values.len() - 1];
        let [from, to] = [[x(values.len() - 1), ends[at]], [RIGHT + 16.0, labels[at]]];
        picture.leader(from, to, colour);
        picture.text(
            RIGHT + 22.0,
            labels[at] + 4.0,
            "",
            "start",
            &format!("{label}: {}", number(last)),
        );
    }
    picture.finish()
}

/// Powers of 2, or of 4 and so on, to limit their number.
fn ticks([least, most]: [f64; 2]) -> Vec<f64> {
    let step = ((most - least) / 8.0).ceil().max(1.0);
    let first = (least / step).ceil() * step;
    let many = ((most - first) / step).floor() as u32;
    (0..=many).map(|at| (first + step * f64::from(at)).exp2()).collect()
}

fn number(value: f64) -> String {
    if value >= 100.0 {
        format!("{value:.0}")
    } else if value >= 10.0 {
        format!("{value:.1}")
    } else if value >= 1.0 {
        format!("{value:.2}")
    } else {
        format!("{value:.3}")
    }
}

/// The positions of labels near `wanted`, without overlaps.
fn spread(wanted: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|a, b| wanted[*a].total_cmp(&wanted[*b]));
    let mut places = wanted.to_vec();
    let (mut free, many) = (TOP, wanted.len() as f64);
    for (at, which) in order.into_iter().enumerate() {
        // Leaves space for the labels below.
        let last = HEIGHT - MARGIN - 18.0 * (many - 1.0 - at as f64);
        places[which] = wanted[which].min(last).max(free);
        free = places[which] + 18.0;
    }
    places
}

impl Picture {
    fn path(&mut self, points: &[[f64; 2]], colour: &str) {
        use std::fmt::Write as _;

        let places: Vec<_> = points.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
        let places = places.join(" ");
        writeln!(
            self.body,
            r#"<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="2.5"/>"#
        )
        .unwrap();
        for [x, y] in points {
            writeln!(self.body, r#"<circle cx="{x:.1}" cy="{y:.1}" r="4" fill="{colour}"/>"#)
                .unwrap();
        }
    }

    /// A thin line from the end of a series to its label.
    fn leader(&mut self, from: [f64; 2], to: [f64; 2], colour: &str) {
        use std::fmt::Write as _;

        let ([x1, y1], [x2, y2]) = (from, to);
        writeln!(
            self.body,
            r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" stroke="{colour}" stroke-width="1" stroke-dasharray="2 3"/>"#
        )
        .unwrap();
    }
}
