//! Every filter with every operator, and `q`.

use patrol_tests::Running;

use super::{list, numbers, running};

/// Checks which locations match a filter with each of these values.
fn check(running: &Running, parameter: &str, cases: &[(&str, &[u32])]) {
    for (value, expected) in cases {
        let answer = list(running, &[(parameter, value)]);
        assert_eq!(numbers(&answer), *expected, "{parameter}={value}");
        assert_eq!(answer.ok()["meta"]["count"], expected.len(), "{parameter}={value}");
    }
}

#[test]
fn name_and_address() {
    let running = running();
    check(
        &running,
        "name",
        &[
            ("порт", &[1, 4]),
            ("PORT", &[2]),
            ("like:ПОРТ", &[1, 4]),
            ("склад 3", &[1]),
            ("порт, с", &[1]),
            ("%", &[3]),
            ("_", &[5]),
            ("ё", &[6]),
            ("eq:AIRPORT", &[2]),
            ("eq:порт", &[]),
            ("eq:ПОРТ, СКЛАД 3", &[1]),
            ("ne:Airport", &[1, 3, 4, 5, 6]),
            ("in:airport,Порт 2", &[2, 4]),
            ("nin:airport,Порт 2", &[1, 3, 5, 6]),
            ("x:y", &[]),
        ],
    );
    check(
        &running,
        "address",
        &[
            ("quay", &[1, 4]),
            ("двор", &[3]),
            ("x:y", &[5]),
            ("\\", &[6]),
            ("eq:2 quay rd", &[4]),
            ("ne:2 quay rd", &[1, 2, 3, 5, 6]),
            ("in:x:y,1 Quay Rd", &[1, 5]),
            ("nin:x:y,1 Quay Rd", &[2, 3, 4, 6]),
            ("like:, 7", &[3]),
        ],
    );
}

#[test]
fn with_graphic_plan() {
    check(
        &running(),
        "withGraphicPlan",
        &[
            ("true", &[1, 4]),
            ("false", &[2, 3, 5, 6]),
            ("eq:true", &[1, 4]),
            ("ne:true", &[2, 3, 5, 6]),
            ("ne:false", &[1, 4]),
            ("", &[1, 2, 3, 4, 5, 6]),
        ],
    );
}

#[test]
fn tags() {
    check(
        &running(),
        "tags",
        &[
            ("port", &[1, 4]),
            ("fire", &[1]),
            ("Fire", &[3]),
            ("FIRE", &[]),
            ("por", &[]),
            ("день", &[5]),
            ("a%b", &[6]),
            ("eq:port", &[1, 4]),
            ("in:fire,Fire", &[1, 3]),
            ("fire,Fire", &[1, 3]),
            ("ne:port", &[2, 3, 5, 6]),
            ("nin:port,Fire", &[2, 5, 6]),
        ],
    );
}

#[test]
fn all_filters_hold_together() {
    let running = running();
    let both = [("tags", "eq:port"), ("tags", "eq:fire")];
    assert_eq!(numbers(&list(&running, &both)), [1]);
    let some = [("withGraphicPlan", "true"), ("name", "порт"), ("address", "2"), ("q", "quay")];
    assert_eq!(numbers(&list(&running, &some)), [4]);
    let none = [("withGraphicPlan", "false"), ("tags", "port")];
    assert_eq!(numbers(&list(&running, &none)), [0; 0]);
}

#[test]
fn q_looks_into_name_address_and_tags() {
    check(
        &running(),
        "q",
        &[
            ("ПОРТ", &[1, 4]),
            ("port", &[1, 2, 4]),
            ("QUAY", &[1, 4]),
            ("fire", &[1, 3]),
            ("ДЕНЬ", &[5]),
            ("%", &[3, 6]),
            ("_", &[5]),
            ("in:", &[]),
            ("x:y", &[5]),
            ("59.93", &[]),
            ("0190a000", &[]),
            ("ground floor", &[]),
            ("portfire", &[]),
            ("", &[1, 2, 3, 4, 5, 6]),
        ],
    );
}
