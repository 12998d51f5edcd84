//! Declaration of the list of executions: parameters, sorting, items.

use patrol_domain::{
    Timestamp,
    list::{Condition, Test},
    task_execution::{
        DateFilter, ExecutionFilter, ExecutionList, ExecutionSort, ExecutionSummary, Priority,
        State, Status, date_condition,
    },
};

use super::summary::SummaryRecord;
use crate::list::{Declared, Filter, Kind, OptionParameter, Setter};

/// The two flags that change what the date filters mean.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DateOptions {
    intersection: bool,
    open_pass: bool,
}

const fn filter(
    name: &'static str,
    property: ExecutionFilter,
    kind: Kind,
) -> Filter<ExecutionFilter> {
    Filter { name, property, kind }
}

impl Declared for ExecutionList {
    type Options = DateOptions;
    type Row<'a> = SummaryRecord<'a>;

    const FILTERS: &'static [Filter<ExecutionFilter>] = &[
        filter("id", ExecutionFilter::Id, Kind::Id),
        filter("scheduledTaskId", ExecutionFilter::ScheduledTask, Kind::Id),
        filter("seriesId", ExecutionFilter::Series, Kind::Id),
        filter("performerId", ExecutionFilter::Performer, Kind::Id),
        filter("startAt", ExecutionFilter::StartAt, Kind::Time),
        filter("endAt", ExecutionFilter::EndAt, Kind::Time),
        filter("name", ExecutionFilter::Name, Kind::Text),
        filter("priority", ExecutionFilter::Priority, Kind::of::<Priority>()),
        filter("userId", ExecutionFilter::User, Kind::Id),
        filter("state", ExecutionFilter::State, Kind::of::<State>()),
        filter("locationId", ExecutionFilter::Location, Kind::Id),
        filter("pointId", ExecutionFilter::Point, Kind::Id),
        filter("tags", ExecutionFilter::Tags, Kind::Tag),
        filter("status", ExecutionFilter::Status, Kind::of::<Status>()),
        filter("published", ExecutionFilter::Published, Kind::Boolean),
    ];

    const OPTIONS: &'static [OptionParameter<DateOptions>] = &[
        OptionParameter {
            name: "withDateIntersection",
            set: Setter::Flag(|options, on| options.intersection = on),
        },
        OptionParameter {
            name: "includeOpenTasks",
            set: Setter::Flag(|options, on| options.open_pass = on),
        },
    ];

    const SORTS: &'static [(&'static str, ExecutionSort)] = &[
        ("id", ExecutionSort::Id),
        ("scheduledTaskId", ExecutionSort::ScheduledTaskId),
        ("performerId", ExecutionSort::PerformerId),
        ("name", ExecutionSort::Name),
        ("state", ExecutionSort::State),
        ("status", ExecutionSort::Status),
        ("startAt", ExecutionSort::StartAt),
        ("endAt", ExecutionSort::EndAt),
        ("startedAt", ExecutionSort::StartedAt),
        ("endedAt", ExecutionSort::EndedAt),
        ("totalExecutedTimeInMillis", ExecutionSort::TotalExecutedTime),
        ("errorCount", ExecutionSort::ErrorCount),
        ("warningCount", ExecutionSort::WarningCount),
        ("priority", ExecutionSort::Priority),
        ("seriesId", ExecutionSort::SeriesId),
        ("assigned", ExecutionSort::Assigned),
        ("deadlined", ExecutionSort::Deadlined),
        ("published", ExecutionSort::Published),
        ("edited", ExecutionSort::Edited),
        ("stepCount", ExecutionSort::StepCount),
        ("executedStepCount", ExecutionSort::ExecutedStepCount),
        ("locationId", ExecutionSort::LocationId),
        ("orderStepsRequired", ExecutionSort::OrderStepsRequired),
    ];

    const SEARCHED: bool = true;

    /// Date filters are combined, because the flags change their meaning.
    fn condition(
        terms: Vec<(ExecutionFilter, Test)>,
        options: &DateOptions,
    ) -> Condition<ExecutionFilter> {
        let mut dates = Vec::new();
        let mut all = Vec::new();
        for (property, test) in terms {
            match test {
                Test::Time(comparison, time) => {
                    dates.push(DateFilter { property, comparison, time });
                }
                test => all.push(Condition::Is(property, test)),
            }
        }
        if !dates.is_empty() {
            all.push(date_condition(&dates, options.intersection, options.open_pass));
        }
        Condition::All(all)
    }

    fn row(item: &ExecutionSummary, now: Timestamp) -> SummaryRecord<'_> {
        SummaryRecord::new(item, now)
    }
}
