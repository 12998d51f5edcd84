use patrol_domain::{
    Named,
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
    let rest =
        (any::<String>(), order(), of(any::<i32>()), select(State::ALL), vec(action(), 0..4));
    (ids, rest).prop_map(|((id, series_id, point_id), rest)| {
        let (name, order, actual_order, state, actions) = rest;
        Step { id, series_id, point_id, name, order, actual_order, state, actions }
    })
}

proptest! {
    #[test]
    fn steps_come_back_as_they_were(steps in vec(step(), 0..4)) {
        prop_assert_eq!(read(&write(&steps).unwrap()), Ok(steps));
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
        state: State::Pending,
        actions: Vec::new(),
    };
    vec![gate, leave]
}

#[test]
fn rows_of_the_first_version_are_read_and_written_so() {
    assert_eq!(read(FIRST.as_bytes()), Ok(first()));
    assert_eq!(String::from_utf8(write(&first()).unwrap()).unwrap(), FIRST);
}

#[test]
fn members_of_a_later_version_are_passed_over() {
    let later = FIRST.replace(r#""name":"Leave""#, r#""name":"Leave","weather":{"rain":[1,null]}"#);
    assert_ne!(later, FIRST);
    assert_eq!(read(later.as_bytes()), Ok(first()));
}

#[test]
fn what_is_damaged_is_an_error() {
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
fn a_document_that_breaks_off_anywhere_is_an_error() {
    for length in 0..FIRST.len() {
        let cut = FIRST.as_bytes().get(..length).unwrap();
        assert!(matches!(read(cut), Err(Error::Json { .. })), "{length}");
    }
}

#[test]
fn null_is_as_good_as_left_out_and_any_name_and_order_is_json() {
    let other = FIRST
        .replace(r#""required":true"#, r#""\u0072equired":true,"later":null"#)
        .replace(r#""name":"Leave"}"#, r#""actions":[],"point":null,"name":"Le\u0061ve"}"#);
    assert!(other.contains("u0072") && other.contains("u0061"));
    assert_eq!(read(other.as_bytes()), Ok(first()));
}

#[test]
fn space_between_signs_means_nothing() {
    let first_read: serde_json::Value = serde_json::from_str(FIRST).unwrap();
    let loose = format!("\n{first_read:#}\t");
    assert!(loose.contains("\": "));
    assert_eq!(read(loose.as_bytes()), Ok(first()));
}

#[test]
fn an_error_tells_the_byte_and_not_what_stands_there() {
    let damaged = r#"[{"id":"0190a000000070008000000000000001","name":1234}]"#;
    let fault = "an unknown or missing value";
    assert_eq!(read(damaged.as_bytes()), Err(Error::Json { fault, column: 50 }));
}
