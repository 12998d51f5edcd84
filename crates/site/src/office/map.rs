//! Maps of rounds as SVG, without I/O: the points of a round on the picture of a plan, or by their
//! coordinates together with the way of the device. North is up.

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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::texts::Languages;

    fn stop(number: usize, latitude: f64, longitude: f64) -> Stop {
        Stop {
            number,
            name: format!("Gate <{number}>"),
            state: State::Completed,
            position: Some(Position { latitude, longitude }),
            place: None,
        }
    }

    fn svg(walk: &Walk) -> String {
        let languages = Languages::load().unwrap();
        let map = Map::by_coordinates(&languages.default().texts, walk, None);
        map.expect("a map").render().unwrap()
    }

    fn walk(positions: &[(f64, f64)]) -> Walk {
        let stop =
            |(at, (latitude, longitude)): (usize, &(f64, f64))| stop(at + 1, *latitude, *longitude);
        Walk { stops: positions.iter().enumerate().map(stop).collect(), ..Walk::default() }
    }

    /// The values of an attribute.
    fn values(svg: &str, element: &str, attribute: &str) -> Vec<f64> {
        let opening = format!("<{element} ");
        let elements = svg.split(&opening).skip(1);
        let value = |rest: &str| {
            let value = rest.split_once(&format!("{attribute}=\"")).unwrap().1;
            value.split('"').next().unwrap().parse().unwrap()
        };
        elements.map(value).collect()
    }

    /// Where the marks stand.
    fn places(svg: &str) -> Vec<(f64, f64)> {
        places_of(svg, "mark")
    }

    /// Where the elements of a class stand.
    fn places_of(svg: &str, class: &str) -> Vec<(f64, f64)> {
        let place = |rest: &str| {
            let (x, y) = rest.split_once(')').unwrap().0.split_once(' ').unwrap();
            (x.parse().unwrap(), y.parse().unwrap())
        };
        svg.split(&format!("class=\"{class}"))
            .skip(1)
            .map(|element| place(element.split_once("translate(").unwrap().1))
            .collect()
    }

    #[test]
    fn north_is_up_and_east_is_right() {
        let svg = svg(&walk(&[(51.500, -0.10), (51.501, -0.10), (51.500, -0.09)]));
        let at = places(&svg);
        assert!(at[1].1 < at[0].1 && (at[1].0 - at[0].0).abs() < 0.2, "{at:?}");
        assert!(at[2].0 > at[0].0 && (at[2].1 - at[0].1).abs() < 0.2, "{at:?}");
        // 0.01 degrees of longitude are 692 m here, 0.001 of latitude 111 m: an eighth of the width.
        let (wide, high) = (at[2].0 - at[0].0, at[0].1 - at[1].1);
        assert!((wide / high - 692.0 / 111.2).abs() < 0.1, "{wide} {high}");
        assert!(svg.contains("Gate &#60;1&#62;") && !svg.contains("style="), "{svg}");
        assert!(svg.contains("<g class=\"north\"") && svg.contains(">N</text>"), "{svg}");
        assert!(!svg.contains("<polyline"), "the device had no positions: {svg}");
    }

    #[test]
    fn a_mark_has_the_colour_and_shape_of_its_state_and_its_number() {
        let mut walk = walk(&[(10.0, 10.0), (10.0, 10.1), (10.0, 10.2)]);
        let states = [State::Pending, State::InProgress, State::Completed];
        walk.stops.iter_mut().zip(states).for_each(|(stop, state)| stop.state = state);
        let svg = svg(&walk);
        let marks = svg.split("<g class=\"mark ").skip(1).zip(1..);
        let said =
            [("planned", "Planned"), ("in-progress", "In progress"), ("completed", "Completed")];
        let mut shapes = BTreeSet::new();
        for ((mark, number), (class, state)) in marks.zip(said) {
            assert!(mark.starts_with(&format!("{class}\"")), "{mark}");
            let title = format!("<title>{number}. Gate &#60;{number}&#62;: {state}</title>");
            let (_, rest) = mark.split_once(&title).expect(&title);
            let text = format!("<text y=\"5\">{number}</text></g>");
            shapes.insert(rest.split_once(&text).expect(&text).0);
        }
        assert_eq!(shapes.len(), 3, "colour alone tells states apart: {shapes:?}");
    }

    #[test]
    fn the_way_joins_the_positions_of_the_device_and_circles_have_their_accuracy() {
        let mut walk = walk(&[(0.0, 0.0), (0.0, 0.01)]);
        let fix =
            |longitude, accuracy| Fix { position: Position { latitude: 0.0, longitude }, accuracy };
        walk.fixes = vec![fix(0.0, 100.0), fix(0.01, 20.0), fix(0.005, 0.0)];
        let svg = svg(&walk);
        let way = "<polyline class=\"way\" points=\"48.0,160.0 592.0,160.0 320.0,160.0\"/>";
        assert!(svg.contains(way), "{svg}");
        assert_eq!(values(&svg, "circle class=\"accuracy\"", "cx"), [48.0, 592.0, 320.0]);
        // 1,113 m are as wide as the map without its margins. No circle is too small to be seen.
        let metre = (WIDTH - 2.0 * MARGIN) / 1_113.2;
        let radii = values(&svg, "circle class=\"accuracy\"", " r");
        for (radius, expected) in radii.into_iter().zip([100.0 * metre, 20.0 * metre, 2.0]) {
            assert!((radius - expected).abs() < 0.1, "{radius} {expected}");
        }
    }

    #[test]
    fn the_bar_has_the_length_of_its_text() {
        let svg = svg(&walk(&[(0.0, 0.0), (0.0, 0.01)]));
        // 1,113 m are as wide as the map without its margins.
        assert!(svg.contains(">200 m<"), "{svg}");
        let length = values(&svg, "rect class=\"bar\"", "width")[0];
        assert!((length - 200.0 / 1_113.2 * (WIDTH - 2.0 * MARGIN)).abs() < 1.0, "{length}");
    }

    #[test]
    fn hostile_positions_give_a_sane_map() {
        for positions in [
            &[(90.0, 0.0), (-90.0, 180.0)][..],
            &[(90.0, 10.0)],
            &[(0.0, 180.0), (0.0, -180.0)],
            &[(10.0, 179.999), (10.0, -179.999)],
            &[(1.0, 1.0); 20],
            &[(-0.0, -0.0)],
            &[(85.06, 1.0), (89.0, 1.0)],
        ] {
            let mut walk = walk(positions);
            let fix = |stop: &Stop| Fix { position: stop.position.unwrap(), accuracy: 1e300 };
            walk.fixes = walk.stops.iter().map(fix).collect();
            let svg = svg(&walk);
            for broken in ["NaN", "inf", "-0.0", "e+", "e3"] {
                assert!(!svg.contains(&format!("\"{broken}")), "{positions:?}: {svg}");
            }
            let height = svg.split_once("viewBox=\"0 0 640.0 ").unwrap().1;
            let height: f64 = height.split('"').next().unwrap().parse().unwrap();
            for (x, y) in places(&svg) {
                assert!((0.0..=WIDTH).contains(&x) && (0.0..=height).contains(&y), "{positions:?}");
            }
            assert!(values(&svg, "circle class=\"accuracy\"", " r").iter().all(|r| *r <= 1_280.0));
        }
    }

    #[test]
    fn a_round_over_the_antimeridian_is_in_one_piece() {
        let svg = svg(&walk(&[(10.0, 179.999), (10.0, -179.999)]));
        let at = places(&svg);
        assert!(at[1].0 > at[0].0 + 300.0, "{at:?}");
        assert!(svg.contains(">50 m<"), "219 m, not around the earth: {svg}");
    }

    #[test]
    fn marks_at_the_same_place_stand_beside_each_other() {
        let at = places(&svg(&walk(&[(1.0, 1.0), (1.0, 1.0), (1.0, 1.0)])));
        assert_eq!([at[1].0 - at[0].0, at[2].0 - at[0].0], [ASIDE, 2.0 * ASIDE]);
    }

    #[test]
    fn a_flag_is_where_the_device_was_or_at_the_point_of_its_step() {
        let mut walk = walk(&[(10.0, 10.0), (10.01, 10.01)]);
        let flag = |text: &str, position, stop| MapFlag { text: text.to_owned(), position, stop };
        let there = Position { latitude: 10.005, longitude: 10.005 };
        walk.flags = vec![
            flag("there", Some(there), Some(1)),
            flag("second", None, Some(2)),
            flag("nowhere", None, Some(9)),
        ];
        walk.fixes = vec![Fix { position: there, accuracy: 5.0 }];
        let svg = svg(&walk);
        let flags = svg.split("class=\"flag\"").skip(1).map(|flag| {
            flag.split_once("<title>").unwrap().1.split('<').next().unwrap().to_owned()
        });
        assert_eq!(flags.collect::<Vec<_>>(), ["there", "second"]);
        let [x, y] = ["cx", "cy"].map(|name| values(&svg, "circle class=\"accuracy\"", name)[0]);
        let second = places(&svg)[1];
        let expected = [(x, y), (second.0 + MARK, second.1 - MARK)];
        for (flag, expected) in places_of(&svg, "flag").into_iter().zip(expected) {
            let aside = (flag.0 - expected.0).abs().max((flag.1 - expected.1).abs());
            assert!(aside < 0.11, "{flag:?} {expected:?}");
        }
    }

    #[test]
    fn points_stand_on_the_picture_of_a_plan() {
        let languages = Languages::load().unwrap();
        let t = &languages.default().texts;
        let picture = |width, height| PlanPicture {
            name: "Floor \"1\"".to_owned(),
            address: "/graphic-plans/1/image".to_owned(),
            width,
            height,
        };
        let mut walk = walk(&[(0.0, 0.0), (0.0, 0.0), (0.0, 0.0)]);
        walk.stops[0].place = Some((0.5, 0.25));
        walk.stops[1].place = Some((7.0, -1.0));
        // Where the device was is not known on the picture: the flag is at the point.
        let position = walk.stops[2].position;
        walk.flags = vec![MapFlag { text: "odd".to_owned(), position, stop: Some(1) }];
        let map = Map::on_picture(t, picture(800, 400), &walk).unwrap();
        assert_eq!(map.numbers().collect::<Vec<_>>(), [1, 2], "the third has no place there");
        let svg = map.render().unwrap();
        assert!(svg.contains("viewBox=\"0 0 640.0 320.0\""), "{svg}");
        assert_eq!(places(&svg), [(320.0, 80.0), (640.0, 0.0)]);
        assert_eq!(places_of(&svg, "flag"), [(320.0 + MARK, 80.0 - MARK)]);
        assert!(!svg.contains("class=\"north\"") && !svg.contains("class=\"scale\""), "{svg}");
        let long = Map::on_picture(t, picture(1, 100_000), &walk).unwrap().render().unwrap();
        assert!(long.contains("viewBox=\"0 0 26.0 640.0\""), "{long}");
        walk.stops.truncate(0);
        assert!(Map::on_picture(t, picture(1, 1), &walk).is_none());
        assert!(Map::by_coordinates(t, &walk, None).is_none());
    }
}
