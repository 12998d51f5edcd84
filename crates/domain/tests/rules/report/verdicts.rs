//! What is odd about an entry.

use patrol_domain::report::VerdictCode;

use super::*;

/// The verdicts on one entry of a started round whose second step is at this point.
fn odd(
    entry: &EntryDraft,
    point: Option<Point>,
    last: LastAccepted,
    now: Timestamp,
) -> Vec<String> {
    let mut started = planned();
    started.progress = Progress::InProgress { started_at: at(0) };
    let mut round = round(started);
    round.last = last;
    if let Some(point) = point {
        round.points.insert(round.execution.steps[1].point_id.unwrap(), point);
    }
    let by = Origin::of_program(now);
    let entries = checked(std::slice::from_ref(entry));
    let performed = round.perform(&entries, PresenceRadius::default(), &by);
    let [Answer::Stored(report)] = &performed.answers[..] else { panic!("{performed:?}") };
    report
        .verdicts()
        .iter()
        .map(|verdict| {
            let code = patrol_domain::Named::name(verdict.code);
            [&[code.to_owned()][..], &verdict.args].concat().join(" ")
        })
        .collect()
}

fn coded(qr_code: Option<&str>, rfid_code: Option<&str>) -> Point {
    let sample = planned();
    let (point, location) = (sample.steps[1].point_id.unwrap(), sample.location_id);
    Point {
        qr_code: qr_code.map(str::to_owned),
        rfid_code: rfid_code.map(str::to_owned),
        ..Point::new(point, location, "Gate", PointType::Qr)
    }
}

#[test]
fn codes_are_compared_by_technology() {
    for (technology, code, verdict) in [
        ("QR", Some("q"), None),
        ("QR", Some("r"), Some("presence.code.mismatch")),
        ("QR", None, Some("presence.code.missing")),
        ("RFID", Some("r"), None),
        ("NFC", Some("q"), Some("presence.code.mismatch")),
        ("VIRTUAL", None, None),
        ("BLE", Some("x"), None),
    ] {
        let scan = EntryDraft {
            technology: Some(technology.to_owned()),
            code: code.map(str::to_owned),
            ..draft(1, EntryType::Scan, Some(2))
        };
        let mut expected: Vec<_> = verdict.into_iter().collect();
        expected.retain(|code| !code.is_empty());
        let found = odd(&scan, Some(coded(Some("q"), Some("r"))), LastAccepted::default(), at(2));
        assert_eq!(found, expected, "{technology} {code:?}");
        assert!(odd(&scan, Some(coded(None, None)), LastAccepted::default(), at(2)).is_empty());
    }
}

#[test]
fn distances_are_right_to_a_metre() {
    // On a sphere with a radius of 6,371,008.8 m, by another formula (atan2): along the equator and a meridian, at an
    // angle, on a parallel far north, over the meridian of 180 degrees, over a pole, and far.
    for (point, device, metres) in [
        ((0.0, 0.0), (0.0, 0.089_932_036), "10000"),
        ((0.0, 0.0), (0.089_932_036, 0.0), "10000"),
        ((53.5, 10.0), (53.55, 10.12), "9687"),
        ((60.0, 30.0), (60.0, 30.18), "10008"),
        ((-16.5, 179.95), (-16.55, -179.96), "11089"),
        ((89.96, 0.0), (89.96, 180.0), "8896"),
        ((0.0, 0.0), (60.0, 0.0), "6671705"),
    ] {
        let point = Point {
            position: Some(Position { latitude: point.0, longitude: point.1 }),
            ..coded(None, None)
        };
        let position = ReportPositionDraft {
            latitude: Some(device.0),
            longitude: Some(device.1),
            accuracy: Some(12.4),
        };
        let scan = EntryDraft { position: Some(position), ..draft(1, EntryType::Scan, Some(2)) };
        let found = odd(&scan, Some(point), LastAccepted::default(), at(2));
        assert_eq!(found, [format!("presence.distance {metres} 112")]);
    }
}

#[test]
fn clocks_and_speeds_have_their_limits() {
    let entry = |millis: i64, longitude: f64| EntryDraft {
        at: Timestamp::from_millis(at(10).millis() + millis),
        position: Some(ReportPositionDraft {
            latitude: Some(0.0),
            longitude: Some(longitude),
            accuracy: None,
        }),
        ..draft(1, EntryType::Note, None)
    };
    let here = Position { latitude: 0.0, longitude: 0.0 };
    let last = LastAccepted { number: 1, at: Some(at(10)), position: Some((at(10), here)) };
    // 0.0003 degrees are 33.4 m: 120 km/h in a second, and 240 km/h in half of it, which counts as one.
    assert!(odd(&entry(1_000, 0.000_3), None, last, at(10)).is_empty());
    assert_eq!(odd(&entry(1_000, 0.000_4), None, last, at(10)), ["presence.speed 160"]);
    assert!(odd(&entry(500, 0.000_3), None, last, at(10)).is_empty());
    assert_eq!(odd(&entry(-1_000, 0.000_3), None, last, at(10)), ["clock.backwards"]);
    assert!(odd(&entry(120_000, 0.0), None, last, at(10)).is_empty());
    assert_eq!(odd(&entry(121_000, 0.0), None, last, at(10)), ["clock.ahead"]);
    assert!(odd(&entry(0, 0.0), None, last, at(10 + 24 * 60)).is_empty());
    assert_eq!(odd(&entry(0, 0.0), None, last, at(11 + 24 * 60)), ["late.upload"]);
}

/// The codes of the verdicts on these entries, each sent by itself, of this round in progress.
fn codes(execution: TaskExecution, entries: &[EntryDraft]) -> Vec<Vec<VerdictCode>> {
    let progress = Progress::InProgress { started_at: at(0) };
    let round = round(TaskExecution { progress, ..execution });
    let of = |entry: &EntryDraft| {
        let (_, answers) = perform(round.clone(), &checked(std::slice::from_ref(entry)));
        let [Answer::Stored(report)] = &answers[..] else { panic!("{answers:?}") };
        assert!(report.is_accepted(), "{report:?}");
        report.verdicts().iter().map(|verdict| verdict.code).collect()
    };
    entries.iter().map(of).collect()
}

#[test]
fn steps_out_of_order_are_odd_only_where_an_order_is_required() {
    let of_second = || {
        let result = EntryDraft {
            action_id: Some(ActionId(id(21))),
            boolean_value: Some(true),
            ..draft(2, EntryType::Result, Some(2))
        };
        let note = draft(4, EntryType::Note, Some(2));
        let [scan, finish] =
            [EntryType::Scan, EntryType::FinishStep].map(|kind| draft(1, kind, Some(2)));
        [scan, result, finish, note]
    };
    let ordered = || {
        let mut execution = planned();
        (execution.steps[0].order, execution.steps[1].order) = (3, 5);
        execution
    };
    let odd = || vec![VerdictCode::Order];
    assert_eq!(codes(ordered(), &of_second()), [odd(), odd(), odd(), vec![]]);
    let first = draft(1, EntryType::Scan, Some(1));
    assert_eq!(codes(ordered(), &[first]), [vec![]]);
    let free = TaskExecution { order_steps_required: false, ..ordered() };
    assert_eq!(codes(free, &of_second()), vec![vec![]; 4]);
    let mut done = ordered();
    done.steps[0].state = State::Completed;
    assert_eq!(codes(done, &of_second()), vec![vec![]; 4]);
    let mut equal = ordered();
    equal.steps[0].order = 5;
    assert_eq!(codes(equal, &of_second()), vec![vec![]; 4]);
}

#[test]
fn times_outside_of_the_plan_are_odd_only_where_they_are_strict() {
    let notes = || {
        [at(-1), at(0), at(60), at(61)]
            .map(|at| EntryDraft { at: Some(at), ..draft(1, EntryType::Note, None) })
    };
    let strict = TaskExecution { strict_time_required: true, ..planned() };
    let odd = vec![vec![VerdictCode::Early], vec![], vec![], vec![VerdictCode::Late]];
    assert_eq!(codes(strict, &notes()), odd);
    assert_eq!(codes(planned(), &notes()), vec![vec![]; 4]);
}
