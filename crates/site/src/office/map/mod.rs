//! Maps of rounds as SVG, without I/O: the points of a round on the picture of a plan, or by their
//! coordinates together with the way of the device. North is up.

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use askama::{Template, filters::HtmlSafe};
use patrol_domain::{location::Position, task_execution::State};

use super::{
    state::Mark,
    tiles::{MapTiles, Number, Tile},
};
use crate::texts::Texts;

/// The width of a map in its own units. It is shown as wide as its place on the page.
const WIDTH: f64 = 640.0;
/// The bounds of its height.
const HEIGHT: (f64, f64) = (320.0, 640.0);
/// What stays free around the outermost positions.
const MARGIN: f64 = 48.0;
/// Half the size of the mark of a point.
const MARK: f64 = 13.0;
/// How far a mark is moved aside for each one that stands at the same place.
const ASIDE: f64 = 10.0;
/// The longest bar of the scale.
const LONGEST_BAR: f64 = 160.0;
/// The least part of the earth that a map by coordinates shows, in metres.
const LEAST_METRES: f64 = 60.0;
/// The circumference of the earth, in metres.
const EQUATOR: f64 = 40_075_016.686;
/// Web Mercator ends here, in degrees.
const MAX_LATITUDE: f64 = 85.051_128;

/// A step of the round, in planned order.
#[derive(Clone, Debug)]
pub(crate) struct Stop {
    /// From 1.
    pub(crate) number: usize,
    pub(crate) name: String,
    pub(crate) state: State,
    pub(crate) position: Option<Position>,
    /// The place on the plan: from the left and the top edge (0) to the other one (1).
    pub(crate) place: Option<(f64, f64)>,
}

/// Where the device was.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fix {
    pub(crate) position: Position,
    /// Metres.
    pub(crate) accuracy: f64,
}

/// What was odd.
#[derive(Clone, Debug)]
pub(crate) struct MapFlag {
    /// In words.
    pub(crate) text: String,
    /// Where the device was, if it knew.
    pub(crate) position: Option<Position>,
    /// The number of the step that it is about.
    pub(crate) stop: Option<usize>,
}

/// The picture of a plan.
#[derive(Clone, Debug)]
pub(crate) struct PlanPicture {
    pub(crate) name: String,
    pub(crate) address: String,
    /// Pixels.
    pub(crate) width: u32,
    /// Pixels.
    pub(crate) height: u32,
}

/// What happened on a round, for its maps.
#[derive(Default)]
pub(crate) struct Walk {
    pub(crate) stops: Vec<Stop>,
    /// In the order of the device's clock.
    pub(crate) fixes: Vec<Fix>,
    pub(crate) flags: Vec<MapFlag>,
}

/// A map.
#[derive(Template)]
#[template(path = "office/map.html")]
pub(crate) struct Map<'a> {
    t: &'a Texts,
    /// Its name for assistive technology.
    label: String,
    width: Number,
    height: Number,
    picture: Option<PlanPicture>,
    tiles: Vec<Tile>,
    /// The points of the way of the device, as the attribute `points` has them.
    way: String,
    circles: Vec<Circle>,
    marks: Vec<PlacedStop<'a>>,
    flags: Vec<PlacedFlag<'a>>,
    scale: Option<ScaleBar>,
}

impl HtmlSafe for Map<'_> {}

struct Circle {
    x: Number,
    y: Number,
    radius: Number,
}

struct PlacedStop<'a> {
    x: Number,
    y: Number,
    stop: &'a Stop,
}

struct PlacedFlag<'a> {
    x: Number,
    y: Number,
    text: &'a str,
}

struct ScaleBar {
    y: Number,
    length: Number,
    text: String,
}

impl<'a> Map<'a> {
    /// The points of the round on the picture of a plan; `None` when none of them is placed there.
    pub(crate) fn on_picture(t: &'a Texts, picture: PlanPicture, walk: &'a Walk) -> Option<Self> {
        let (width, height) = (f64::from(picture.width.max(1)), f64::from(picture.height.max(1)));
        let scale = WIDTH / width.max(height);
        let (width, height) = (width * scale, height * scale);
        let at = |(x, y): (f64, f64)| (x.clamp(0.0, 1.0) * width, y.clamp(0.0, 1.0) * height);
        let marks = marks(walk.stops.iter().filter_map(|stop| Some((stop, at(stop.place?)))));
        if marks.is_empty() {
            return None;
        }
        Some(Self {
            label: picture.name.clone(),
            width: Number(width.max(2.0 * MARK)),
            height: Number(height.max(2.0 * MARK)),
            tiles: Vec::new(),
            way: String::new(),
            circles: Vec::new(),
            flags: placed_flags(&walk.flags, &marks, |_| None),
            marks,
            scale: None,
            picture: Some(picture),
            t,
        })
    }

    /// The numbers of the steps that are on the map.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = usize> {
        self.marks.iter().map(|mark| mark.stop.number)
    }

    /// The points and the way of the device by their coordinates; `None` when there are none.
    pub(crate) fn by_coordinates(
        t: &'a Texts,
        walk: &'a Walk,
        tiles: Option<&MapTiles>,
    ) -> Option<Self> {
        let stops = walk.stops.iter().filter_map(|stop| stop.position);
        let fixes = walk.fixes.iter().map(|fix| fix.position);
        let view = View::of(&stops.chain(fixes).collect::<Vec<_>>())?;
        let placed = walk.stops.iter().filter_map(|stop| Some((stop, view.place(stop.position?))));
        let marks = marks(placed);
        let way = walk.fixes.iter().map(|fix| {
            let (x, y) = view.place(fix.position);
            format!("{},{}", Number(x), Number(y))
        });
        let circles = walk.fixes.iter().map(|fix| {
            let (x, y) = view.place(fix.position);
            let radius = (fix.accuracy / view.metres).clamp(2.0, 2.0 * WIDTH);
            Circle { x: Number(x), y: Number(y), radius: Number(radius) }
        });
        // Several entries at the same place make it no darker.
        let mut drawn = HashSet::new();
        let circles = circles.filter(|circle| {
            drawn.insert([circle.x, circle.y, circle.radius].map(|Number(value)| value.to_bits()))
        });
        let circles = circles.collect();
        Some(Self {
            label: t.round_map.to_string(),
            width: Number(WIDTH),
            height: Number(view.height),
            picture: None,
            tiles: tiles.map_or_else(Vec::new, |tiles| view.tiles(tiles)),
            way: way.collect::<Vec<_>>().join(" "),
            circles,
            flags: placed_flags(&walk.flags, &marks, |at| Some(view.place(at))),
            marks,
            scale: Some(view.scale_bar(t)),
            t,
        })
    }
}

/// The marks at these places. Those at the same place stand beside each other.
fn marks<'a>(placed: impl Iterator<Item = (&'a Stop, (f64, f64))>) -> Vec<PlacedStop<'a>> {
    let mut marks: Vec<PlacedStop<'a>> = Vec::new();
    let mut places: Vec<(f64, f64)> = Vec::new();
    for (stop, (x, y)) in placed {
        let is_here = |at: &&(f64, f64)| (at.0 - x).abs() < 1.0 && (at.1 - y).abs() < 1.0;
        let same = places.iter().filter(is_here).count();
        let aside = f64::from(u32::try_from(same).unwrap_or(u32::MAX)) * ASIDE;
        places.push((x, y));
        marks.push(PlacedStop { x: Number(x + aside), y: Number(y), stop });
    }
    marks
}

/// The flags where they arose: at the position of the device, else at the point of the step. They leave the
/// numbers of points free.
fn placed_flags<'a>(
    flags: &'a [MapFlag],
    marks: &[PlacedStop<'_>],
    place: impl Fn(Position) -> Option<(f64, f64)>,
) -> Vec<PlacedFlag<'a>> {
    let beside = |mark: &PlacedStop<'_>| (mark.x.0 + MARK, mark.y.0 - MARK);
    let placed = flags.iter().filter_map(|flag| {
        let (x, y) = match flag.position.and_then(&place) {
            Some((x, y)) => {
                let is_here = |mark: &&PlacedStop<'_>| (mark.x.0 - x).hypot(mark.y.0 - y) < MARK;
                marks.iter().find(is_here).map_or((x, y), beside)
            }
            None => beside(marks.iter().find(|mark| Some(mark.stop.number) == flag.stop)?),
        };
        Some(PlacedFlag { x: Number(x), y: Number(y), text: &flag.text })
    });
    placed.collect()
}

/// The part of the world that a map shows, in Web Mercator. The world is 1 wide. Longitudes count from
/// that of the first position, so that a round over the antimeridian is in one piece.
struct View {
    origin: f64,
    /// The centre.
    x: f64,
    y: f64,
    /// The units of the map for one width of the world.
    scale: f64,
    height: f64,
    /// The metres of one unit, at the centre.
    metres: f64,
}

impl View {
    /// The view that shows all positions; `None` without any.
    fn of(positions: &[Position]) -> Option<Self> {
        let origin = positions.first()?.longitude;
        let (mut left, mut right) = (f64::INFINITY, f64::NEG_INFINITY);
        let (mut top, mut bottom) = (f64::INFINITY, f64::NEG_INFINITY);
        for position in positions {
            let (x, y) = project(*position, origin);
            (left, right) = (left.min(x), right.max(x));
            (top, bottom) = (top.min(y), bottom.max(y));
        }
        let (x, y) = (f64::midpoint(left, right), f64::midpoint(top, bottom));
        // The metres of the world's width at the latitude of the centre.
        let around = EQUATOR / (std::f64::consts::PI * (1.0 - 2.0 * y)).cosh();
        let least = LEAST_METRES / around;
        let (wide, high) = ((right - left).max(least), (bottom - top).max(least));
        let height = (WIDTH * high / wide).clamp(HEIGHT.0, HEIGHT.1);
        let scale = ((WIDTH - 2.0 * MARGIN) / wide).min((height - 2.0 * MARGIN) / high);
        Some(Self { origin, x, y, scale, height, metres: around / scale })
    }

    /// The place of a position on the map.
    fn place(&self, position: Position) -> (f64, f64) {
        let (x, y) = project(position, self.origin);
        (
            (x - self.x).mul_add(self.scale, WIDTH / 2.0),
            (y - self.y).mul_add(self.scale, self.height / 2.0),
        )
    }

    /// The longest bar of a round number of metres.
    fn scale_bar(&self, t: &Texts) -> ScaleBar {
        let mut metres = 1.0_f64;
        for factor in [2.0, 2.5, 2.0].into_iter().cycle().take(24) {
            if metres * factor / self.metres > LONGEST_BAR {
                break;
            }
            metres *= factor;
        }
        let text = if metres < 1_000.0 {
            t.round_metres.with(&metres)
        } else {
            t.round_kilometres.with(&(metres / 1_000.0))
        };
        ScaleBar { y: Number(self.height - 12.0), length: Number(metres / self.metres), text }
    }

    /// The tiles behind the map.
    fn tiles(&self, tiles: &MapTiles) -> Vec<Tile> {
        let half = (WIDTH / 2.0 / self.scale, self.height / 2.0 / self.scale);
        let origin = self.origin / 360.0;
        let (x, y) = (self.x + origin, self.y);
        let (left, top) = (x - half.0, y - half.1);
        tiles.behind((left, top), (x + half.0, y + half.1), self.scale)
    }
}

/// Web Mercator, from (0, 0) in the north-west to (1, 1), with `origin` at 0.5.
fn project(position: Position, origin: f64) -> (f64, f64) {
    let east = (position.longitude - origin + 540.0).rem_euclid(360.0) - 180.0;
    let north = position.latitude.clamp(-MAX_LATITUDE, MAX_LATITUDE).to_radians();
    let y = 0.5 - north.tan().asinh() / std::f64::consts::TAU;
    (0.5 + east / 360.0, y)
}
