//! The flags `withDateIntersection` and `includeOpenTasks`.

use super::{list, numbers, running};

#[test]
fn intersection_reads_two_bounds_as_a_range() {
    let running = running();
    for (parameters, without, with) in [
        // From nine on the second to nine on the fourth: 2 has started, 4 has not ended.
        (
            &[("startAt", "gt:2026-01-02T09:00:00Z"), ("endAt", "lt:2026-01-04T09:00:00Z")][..],
            &[3][..],
            &[2, 3, 4][..],
        ),
        (
            &[("startAt", "gte:2026-01-02T09:00:00Z"), ("endAt", "lte:2026-01-04T09:00:00Z")],
            &[3],
            &[2, 3, 4],
        ),
        // A period that only touches the range does not match.
        (
            &[("startAt", "gte:2026-01-02T10:00:00Z"), ("endAt", "lte:2026-01-03T08:00:00Z")],
            &[],
            &[],
        ),
        // A single bound.
        (&[("startAt", "gte:2026-01-05T10:00:00Z")], &[], &[6]),
        (&[("endAt", "lt:2026-01-01T09:00:00Z")], &[], &[1]),
        // Conditions that are not bounds of the range keep their meaning.
        (&[("startAt", "lt:2026-01-02T08:00:00Z")], &[1], &[1]),
        (&[("endAt", "gt:2026-01-05T10:00:00Z")], &[6], &[6]),
        (&[("startAt", "2026-01-03T08:00:00Z")], &[3], &[3]),
        (&[], &[1, 2, 3, 4, 5, 6], &[1, 2, 3, 4, 5, 6]),
    ] {
        assert_eq!(numbers(&list(&running, parameters)), without, "{parameters:?}");
        for (flag, expected) in [("true", with), ("false", without)] {
            let mut flagged = parameters.to_vec();
            flagged.push(("withDateIntersection", flag));
            assert_eq!(numbers(&list(&running, &flagged)), expected, "{flagged:?}");
            // The position of the flag does not matter.
            flagged.rotate_right(1);
            assert_eq!(numbers(&list(&running, &flagged)), expected, "{flagged:?}");
        }
    }
}

#[test]
fn open_tasks_pass_whatever_their_dates() {
    let running = running();
    let late = ("startAt", "gt:2026-01-03T12:00:00Z");
    let open = ("includeOpenTasks", "true");
    assert_eq!(numbers(&list(&running, &[late])), [4, 5, 6]);
    assert_eq!(numbers(&list(&running, &[late, open])), [1, 2, 4, 5, 6]);
    assert_eq!(numbers(&list(&running, &[open, late])), [1, 2, 4, 5, 6]);
    assert_eq!(numbers(&list(&running, &[late, ("includeOpenTasks", "false")])), [4, 5, 6]);
    // Open rounds pass the date filters only.
    assert_eq!(numbers(&list(&running, &[late, open, ("tags", "fire")])), [1, 2]);
    // Without a date filter the flag has no effect.
    assert_eq!(numbers(&list(&running, &[open])), [1, 2, 3, 4, 5, 6]);
}

#[test]
fn both_flags_hold_together() {
    let running = running();
    let parameters = [
        ("startAt", "gte:2026-01-03T09:00:00Z"),
        ("endAt", "lte:2026-01-03T09:30:00Z"),
        ("withDateIntersection", "true"),
        ("includeOpenTasks", "true"),
        ("state", "ne:IN_PROGRESS"),
    ];
    assert_eq!(numbers(&list(&running, &parameters)), [1, 3, 5, 6]);
}
