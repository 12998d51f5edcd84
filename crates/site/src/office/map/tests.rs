//! Maps as SVG: where things stand on them.

use std::collections::BTreeSet;

use super::*;
use crate::texts::Language;

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
    let map = Map::by_coordinates(&Language::usual().texts, walk, None);
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
    let said = [("planned", "Planned"), ("in-progress", "In progress"), ("completed", "Completed")];
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
    let flags = svg
        .split("class=\"flag\"")
        .skip(1)
        .map(|flag| flag.split_once("<title>").unwrap().1.split('<').next().unwrap().to_owned());
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
    let t = &Language::usual().texts;
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
