use patrol_domain::{
    Named, Timestamp,
    ids::{ActionId, MediaId, PointId, SeriesId, StepId, Uuid},
    task_execution::Outcome,
};
use proptest::{collection::vec, option::of, prelude::*, sample::select};

use super::*;

fn id<T: From<Uuid> + std::fmt::Debug>() -> impl Strategy<Value = T> {
    any::<u128>().prop_map(|id| T::from(Uuid::from_u128(id)))
}

fn number() -> impl Strategy<Value = f64> {
    any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |number| number.is_finite())
}

fn order() -> impl Strategy<Value = i32> {
    prop_oneof![0..3_i32, Just(i32::MAX), Just(i32::MIN), any::<i32>()]
}

fn outcome(kind: ActionType) -> BoxedStrategy<Outcome> {
    match kind {
        ActionType::Boolean => any::<bool>().prop_map(Outcome::Boolean).boxed(),
        ActionType::Media => vec(id::<MediaId>(), 1..3).prop_map(Outcome::Media).boxed(),
        ActionType::Number => number().prop_map(Outcome::Number).boxed(),
        ActionType::Text => any::<String>().prop_map(Outcome::Text).boxed(),
    }
}

fn action() -> impl Strategy<Value = Action> {
    select(ActionType::ALL).prop_flat_map(|kind| {
        let ids = (id::<ActionId>(), of(id::<SeriesId>()));
        let bounds = (of(number()), of(number()));
        let rest = (any::<String>(), order(), any::<bool>(), of(outcome(kind)));
        (ids, bounds, rest).prop_map(move |((id, series_id), (min_value, max_value), rest)| {
            let (name, order, required, outcome) = rest;
            Action { id, series_id, name, kind, order, required, min_value, max_value, outcome }
        })
    })
}

fn step() -> impl Strategy<Value = Step> {
    let ids = (id::<StepId>(), of(id::<SeriesId>()), of(id::<PointId>()));
    let reported = of(0..=253_402_300_799_999_i64);
    let reported = reported.prop_map(|millis| millis.and_then(Timestamp::from_millis));
    let rest = (
        (any::<String>(), reported.clone(), reported),
        order(),
        of(any::<i32>()),
        select(State::ALL),
        vec(action(), 0..4),
    );
    (ids, rest).prop_map(|((id, series_id, point_id), rest)| {
        let ((name, started_at, ended_at), order, actual_order, state, actions) = rest;
        Step {
            id,
            series_id,
            point_id,
            name,
            order,
            actual_order,
            started_at,
            ended_at,
            state,
            actions,
        }
    })
}

proptest! {
    #[test]
    fn steps_come_back_as_they_were(steps in vec(step(), 0..4)) {
        prop_assert_eq!(read(&write(&steps).unwrap()), Ok(steps));
    }

    #[test]
    fn packed_steps_come_back_as_they_were(steps in vec(step(), 0..4)) {
        prop_assert_eq!(read_packed(&pack(write(&steps).unwrap())), Ok(steps));
    }

    #[test]
    fn packed_steps_that_break_off_are_an_error(
        steps in vec(step(), 1..3),
        at in any::<proptest::sample::Index>(),
    ) {
        let whole = pack(write(&steps).unwrap());
        let at = at.index(whole.len());
        prop_assert!(read_packed(&whole[..at]).is_err(), "only its first {at} bytes");
    }
}

/// Rows as the first version wrote them. Must never change, because stored rows do not change
/// either.
const FIRST: &str = concat!(
    r#"[{"id":"0190a000000070008000000000000001","#,
    r#""series":"0190a000000070008000000000000002","#,
    r#""point":"0190a000000070008000000000000003","#,
    r#""name":"Ворота \"A\"","order":1,"actual":2,"state":"COMPLETED","actions":["#,
    r#"{"id":"0190a000000070008000000000000004","name":"Pressure","type":"NUMBER","#,
    r#""required":true,"min":0.1,"max":5.0,"value":1e-7},"#,
    r#"{"id":"0190a000000070008000000000000005","name":"Photo","type":"MEDIA","#,
    r#""value":["0190a000000070008000000000000006"]},"#,
    r#"{"id":"0190a000000070008000000000000008","#,
    r#""series":"0190a000000070008000000000000009","#,
    r#""name":"Closed","type":"BOOLEAN","order":1,"value":false},"#,
    r#"{"id":"0190a00000007000800000000000000a","name":"Remark","type":"TEXT","value":"да"}]},"#,
    r#"{"id":"0190a000000070008000000000000007","name":"Leave"}]"#,
);

fn first() -> Vec<Step> {
    let id = |last: u128| Uuid::from_u128(0x0190_a000_0000_7000_8000_0000_0000_0000 + last);
    let action = |number, name: &str, kind, order, outcome| Action {
        id: ActionId(id(number)),
        series_id: None,
        name: name.to_owned(),
        kind,
        order,
        required: false,
        min_value: None,
        max_value: None,
        outcome: Some(outcome),
    };
    let pressure = Action {
        required: true,
        min_value: Some(0.1),
        max_value: Some(5.0),
        ..action(4, "Pressure", ActionType::Number, 0, Outcome::Number(1e-7))
    };
    let media = Outcome::Media(vec![MediaId(id(6))]);
    let closed = Action {
        series_id: Some(SeriesId(id(9))),
        ..action(8, "Closed", ActionType::Boolean, 1, Outcome::Boolean(false))
    };
    let gate = Step {
        id: StepId(id(1)),
        series_id: Some(SeriesId(id(2))),
        point_id: Some(PointId(id(3))),
        name: "Ворота \"A\"".to_owned(),
        order: 1,
        actual_order: Some(2),
        started_at: None,
        ended_at: None,
        state: State::Completed,
        actions: vec![
            pressure,
            action(5, "Photo", ActionType::Media, 1, media),
            closed,
            action(10, "Remark", ActionType::Text, 2, Outcome::Text("да".to_owned())),
        ],
    };
    let leave = Step {
        id: StepId(id(7)),
        series_id: None,
        point_id: None,
        name: "Leave".to_owned(),
        order: 2,
        actual_order: None,
        started_at: None,
        ended_at: None,
        state: State::Pending,
        actions: Vec::new(),
    };
    vec![gate, leave]
}

#[test]
fn rows_of_the_first_version_are_read_and_written_in_the_same_form() {
    assert_eq!(read(FIRST.as_bytes()), Ok(first()));
    assert_eq!(String::from_utf8(write(&first()).unwrap()).unwrap(), FIRST);
}

#[test]
fn members_of_a_later_version_are_ignored() {
    let later = FIRST.replace(r#""name":"Leave""#, r#""name":"Leave","weather":{"rain":[1,null]}"#);
    assert_ne!(later, FIRST);
    assert_eq!(read(later.as_bytes()), Ok(first()));
}

#[test]
fn damaged_documents_are_errors() {
    for damaged in [
        "",
        "[",
        "{}",
        r#"[{"name":"no id"}]"#,
        "\u{1}",
        r#"[{"id":"x","name":""}]"#,
        &FIRST.replace("COMPLETED", "DONE"),
    ] {
        assert!(matches!(read(damaged.as_bytes()), Err(Error::Json { .. })), "{damaged}");
    }
    let cut = FIRST.as_bytes().get(..FIRST.len() - 1).unwrap();
    assert!(matches!(read(cut), Err(Error::Json { .. })));
    let other_type = FIRST.replace("1e-7", "true");
    assert_eq!(read(other_type.as_bytes()), Err(Error::Value));
}

#[test]
fn a_document_cut_off_anywhere_is_an_error() {
    for length in 0..FIRST.len() {
        let cut = FIRST.as_bytes().get(..length).unwrap();
        assert!(matches!(read(cut), Err(Error::Json { .. })), "{length}");
    }
}

#[test]
fn null_means_absent_and_escaped_names_are_read() {
    let other = FIRST
        .replace(r#""required":true"#, r#""\u0072equired":true,"later":null"#)
        .replace(r#""name":"Leave"}"#, r#""actions":[],"point":null,"name":"Le\u0061ve"}"#);
    assert!(other.contains("u0072") && other.contains("u0061"));
    assert_eq!(read(other.as_bytes()), Ok(first()));
}

#[test]
fn white_space_is_ignored() {
    let first_read: serde_json::Value = serde_json::from_str(FIRST).unwrap();
    let loose = format!("\n{first_read:#}\t");
    assert!(loose.contains("\": "));
    assert_eq!(read(loose.as_bytes()), Ok(first()));
}

#[test]
fn an_error_has_the_byte_and_no_stored_value() {
    let damaged = r#"[{"id":"0190a000000070008000000000000001","name":1234}]"#;
    let fault = "an unknown or missing value";
    assert_eq!(read(damaged.as_bytes()), Err(Error::Json { fault, column: 50 }));
}

#[test]
fn packed_steps_are_shorter_and_short_ones_stay_as_they_are() {
    let step = |n: u128| Step {
        id: Uuid::from_u128(n).into(),
        series_id: None,
        point_id: None,
        name: "Gate".to_owned(),
        order: 0,
        actual_order: None,
        started_at: None,
        ended_at: None,
        state: State::Completed,
        actions: Vec::new(),
    };
    let json = write(&[step(1), step(2), step(3), step(4)]).unwrap();
    let packed = pack(json.clone());
    assert!(packed.len() * 2 < json.len(), "{} bytes of {}", packed.len(), json.len());
    assert_eq!(pack(b"[]".to_vec()), b"[]");
}

#[test]
fn a_packed_length_that_no_block_can_have_is_an_error() {
    let steps = [1, 255, 255, 255, 255, 0];
    assert_eq!(read_packed(&steps), Err(Error::Packed));
    assert_eq!(read_packed(&[1, 0]), Err(Error::Packed));
}

/// Steps as the first version with compression wrote them. Must never change.
#[test]
fn packed_steps_of_the_first_version_stay_readable() {
    let json = br#"[{"id":"0190a000000070008000000000000001","name":"A"},{"id":"0190a000000070008000000000000002","name":"A"}]"#;
    let packed = [
        &[1, 107, 0, 0, 0, 226][..],
        br#"[{"id":"0190a0"#,
        &[1, 0],
        b"R70008",
        &[11, 0, 4, 2, 0, 255, 0],
        br#"1","name":"A"},5"#,
        &[0, 19, 20],
        b"25",
        &[0],
        br#"`:"A"}]"#,
    ];
    assert_eq!(read_packed(&packed.concat()), read(json));
}
