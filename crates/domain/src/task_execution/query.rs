//! Filters and sort properties of the list of executions.

use super::{ExecutionSummary, State};
use crate::{
    list::{Comparison, Condition, Listed, Membership, Query, Test, sort_properties},
    shared::{named::Named, text, timestamp::Timestamp},
};

/// The list of executions.
#[derive(Debug, Clone, Copy)]
pub struct ExecutionList;

/// A query of the list of executions.
pub type ExecutionQuery = Query<ExecutionList>;

impl Listed for ExecutionList {
    type Filter = ExecutionFilter;
    type Sort = ExecutionSort;
    type Item = ExecutionSummary;

    fn bytes(item: &ExecutionSummary) -> usize {
        size_of_val(item)
            + item.name.len()
            + size_of_val(item.assignee_ids.as_slice())
            + text::bytes(&item.tags)
    }
}

/// Properties by which executions can be filtered, with the tests that each accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExecutionFilter {
    /// The execution: [`Test::Ids`].
    Id,
    /// The scheduled task; may be null: [`Test::Ids`].
    ScheduledTask,
    /// The series; may be null: [`Test::Ids`].
    Series,
    /// The performer, not the assignees; may be null: [`Test::Ids`].
    Performer,
    /// The planned start: [`Test::Time`], [`Test::Clock`].
    StartAt,
    /// The planned end: [`Test::Time`], [`Test::Clock`].
    EndAt,
    /// The actual end; null unless COMPLETED: [`Test::Time`].
    EndedAt,
    /// Name: [`Test::Contains`], [`Test::Text`].
    Name,
    /// Priority: [`Test::Codes`].
    Priority,
    /// The assignees and the performer, as one set: [`Test::Ids`].
    User,
    /// State: [`Test::Codes`].
    State,
    /// Location: [`Test::Ids`].
    Location,
    /// The points of the steps, as a set: [`Test::Ids`].
    Point,
    /// The tags, as a set: [`Test::Tags`].
    Tags,
    /// Status; may be null: [`Test::Codes`].
    Status,
    /// Published: [`Test::Flag`].
    Published,
    /// Whether an entry has a verdict: [`Test::Flag`].
    Flagged,
    /// From the planned start to the actual start; null while PENDING: [`Test::Millis`].
    StartDelay,
}

sort_properties! {
    /// Properties by which executions can be sorted: every scalar field of the summary.
    ExecutionSort {
        Id = "id";
        ScheduledTaskId = "scheduledTaskId";
        PerformerId = "performerId";
        Name = "name";
        State = "state";
        Status = "status";
        StartAt = "startAt";
        EndAt = "endAt";
        StartedAt = "startedAt";
        EndedAt = "endedAt";
        TotalExecutedTime = "totalExecutedTimeInMillis";
        ErrorCount = "errorCount";
        WarningCount = "warningCount";
        Priority = "priority";
        SeriesId = "seriesId";
        Assigned = "assigned";
        Deadlined = "deadlined";
        Published = "published";
        Edited = "edited";
        StepCount = "stepCount";
        ExecutedStepCount = "executedStepCount";
        LocationId = "locationId";
        OrderStepsRequired = "orderStepsRequired";
        FlagCount = "flagCount";
        Late = "late";
        Missed = "missed";
    }
}

/// A filter on the planned start or end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateFilter {
    /// The planned start or end: [`ExecutionFilter::StartAt`] or [`ExecutionFilter::EndAt`].
    pub property: ExecutionFilter,
    /// How the property compares with `time`.
    pub comparison: Comparison,
    /// The time to compare with.
    pub time: Timestamp,
}

/// Combines the date filters with the query parameters `withDateIntersection` and `includeOpenTasks`.
///
/// With `intersection`, a lower bound on startAt and an upper bound on endAt form a range, and the
/// planned period has to intersect it: the planned start is before the end of the range, and the
/// planned end is after the start of the range. With `include_open`, executions that are not
/// COMPLETED match with any dates.
///
/// A planned period never ends before it starts. So a lower bound on startAt is also a lower bound on
/// endAt, and an upper bound on endAt is also an upper bound on startAt. The condition contains both
/// bounds: a store that reads rows in the order of one time then knows where to start and to stop.
#[must_use]
pub fn date_condition(
    filters: &[DateFilter],
    intersection: bool,
    include_open: bool,
) -> Condition<ExecutionFilter> {
    use Comparison::{Greater, GreaterOrEqual, Less, LessOrEqual};
    use ExecutionFilter::{EndAt, StartAt};

    let mut dates = Vec::new();
    for filter in filters {
        let (property, comparison) = match (filter.property, filter.comparison) {
            (StartAt, Greater | GreaterOrEqual) if intersection => (EndAt, Greater),
            (EndAt, Less | LessOrEqual) if intersection => (StartAt, Less),
            kept => kept,
        };
        let implied = match (property, comparison) {
            (StartAt, Greater | GreaterOrEqual) => Some(EndAt),
            (EndAt, Less | LessOrEqual) => Some(StartAt),
            _ => None,
        };
        let test = Test::Time(comparison, filter.time);
        dates.extend(implied.map(|implied| Condition::Is(implied, test.clone())));
        dates.push(Condition::Is(property, test));
    }
    let dates = Condition::All(dates);
    if filters.is_empty() || !include_open {
        return dates;
    }
    let open = Test::Codes(Membership::None, vec![State::Completed.code()]);
    Condition::Any(vec![dates, Condition::Is(ExecutionFilter::State, open)])
}
