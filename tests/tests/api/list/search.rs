//! `q`: a part of the name, the description or a tag.

use super::{list, numbers, running};

#[test]
fn text_fields_are_searched() {
    let running = running();
    for (term, expected) in [
        ("alpha", &[1][..]),
        ("БЕТА", &[3, 4]),
        ("nothing", &[1]),
        ("склад", &[5]),
        ("Ё", &[5]),
        ("пОж", &[6]),
        ("FIRE", &[1, 2, 5]),
        ("i", &[1, 2, 5, 6]),
        // Plain characters: in the name of 4 and a tag of 5, in the description of 2, the name of 5
        // and a tag of 4.
        ("%", &[4, 5]),
        ("_", &[2, 4, 5]),
        ("50%", &[4]),
        ("50_", &[2]),
        ("\\", &[6]),
        ("\"d\"", &[6]),
        ("'q'", &[6]),
        // Not an operator.
        ("in:", &[6]),
        ("eq:alpha", &[]),
        ("OR", &[]),
        ("alpha OR beta", &[]),
        ("alp*", &[]),
        // Ids and the names of steps are not searched.
        ("0190a000", &[]),
        ("gate", &[]),
        // A match cannot span two tags.
        ("nightfire", &[]),
        ("night fire", &[]),
        ("night,fire", &[]),
    ] {
        let answer = list(&running, &[("q", term)]);
        assert_eq!(numbers(&answer), expected, "q={term}");
        assert_eq!(answer.ok()["meta"]["count"], expected.len(), "q={term}");
    }
}

#[test]
fn a_search_holds_together_with_filters() {
    let running = running();
    assert_eq!(numbers(&list(&running, &[("q", "fire"), ("state", "PENDING")])), [1, 5]);
    assert_eq!(numbers(&list(&running, &[("name", "бета"), ("q", "50%")])), [4]);
    let sorted = [("q", "fire"), ("sort", "startAt,desc"), ("limit", "2")];
    let answer = list(&running, &sorted);
    assert_eq!((numbers(&answer), &answer.ok()["meta"]["count"]), (vec![5, 2], &3.into()));
}
