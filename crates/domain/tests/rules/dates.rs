//! Date filters with `withDateIntersection` and `includeOpenTasks`.

use patrol_domain::{
    list::{Comparison, Condition, Membership, Test},
    task_execution::{DateFilter, ExecutionFilter, date_condition},
};

use crate::sample::at;

use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual};
use ExecutionFilter::{EndAt, StartAt};

fn filter(property: ExecutionFilter, comparison: Comparison, minute: i64) -> DateFilter {
    DateFilter { property, comparison, time: at(minute) }
}

fn is(
    property: ExecutionFilter,
    comparison: Comparison,
    minute: i64,
) -> Condition<ExecutionFilter> {
    Condition::Is(property, Test::Time(comparison, at(minute)))
}

#[test]
fn without_flags_each_bound_is_also_one_of_the_other_end_if_that_follows() {
    let filters = [filter(StartAt, Greater, 0), filter(EndAt, LessOrEqual, 9)];
    assert_eq!(
        date_condition(&filters, false, false),
        Condition::All(vec![
            is(EndAt, Greater, 0),
            is(StartAt, Greater, 0),
            is(StartAt, LessOrEqual, 9),
            is(EndAt, LessOrEqual, 9)
        ])
    );
    let others =
        [filter(StartAt, Less, 9), filter(EndAt, GreaterOrEqual, 0), filter(EndAt, Equal, 6)];
    assert_eq!(
        date_condition(&others, false, false),
        Condition::All(vec![
            is(StartAt, Less, 9),
            is(EndAt, GreaterOrEqual, 0),
            is(EndAt, Equal, 6)
        ])
    );
}

#[test]
fn with_intersection_the_bounds_of_the_range_swap_properties() {
    let filters = [
        filter(StartAt, GreaterOrEqual, 0),
        filter(EndAt, LessOrEqual, 9),
        filter(StartAt, Less, 5),
        filter(EndAt, Equal, 6),
    ];
    assert_eq!(
        date_condition(&filters, true, false),
        Condition::All(vec![
            is(EndAt, Greater, 0),
            is(StartAt, Less, 9),
            is(StartAt, Less, 5),
            is(EndAt, Equal, 6)
        ])
    );
}

#[test]
fn with_open_executions_the_dates_or_the_state_have_to_match() {
    let open = Condition::Is(ExecutionFilter::State, Test::Codes(Membership::None, vec![2]));
    assert_eq!(
        date_condition(&[filter(StartAt, Greater, 0)], false, true),
        Condition::Any(vec![
            Condition::All(vec![is(EndAt, Greater, 0), is(StartAt, Greater, 0)]),
            open
        ])
    );
    assert_eq!(date_condition(&[], true, true), Condition::All(vec![]));
}
