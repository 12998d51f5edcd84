//! Combinations of the date filters with the two flags.

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
fn without_flags_each_filter_means_itself() {
    let filters = [filter(StartAt, Greater, 0), filter(EndAt, LessOrEqual, 9)];
    assert_eq!(
        date_condition(&filters, false, false),
        Condition::All(vec![is(StartAt, Greater, 0), is(EndAt, LessOrEqual, 9)])
    );
}

#[test]
fn the_ends_of_a_range_cross_over_and_other_filters_stay() {
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
fn open_executions_pass_the_date_filters_only() {
    let open = Condition::Is(ExecutionFilter::State, Test::Codes(Membership::None, vec![2]));
    assert_eq!(
        date_condition(&[filter(StartAt, Greater, 0)], false, true),
        Condition::Any(vec![Condition::All(vec![is(StartAt, Greater, 0)]), open])
    );
    assert_eq!(date_condition(&[], true, true), Condition::All(vec![]));
}
