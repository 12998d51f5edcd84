//! What can be asked of the list of executions (interface 4.1, decisions 4).

use super::{ExecutionSummary, State};
use crate::{
    list::{Comparison, Condition, Listed, Membership, Query, Test},
    shared::{named::Named, text, timestamp::Timestamp},
};

/// The list of executions.
#[derive(Debug, Clone, Copy)]
pub struct ExecutionList;

/// What is asked of the list of executions.
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

/// What executions can be filtered by, with the test that fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExecutionFilter {
    /// Id: [`Test::Ids`].
    Id,
    /// The task that it is a run of: [`Test::Ids`].
    ScheduledTask,
    /// Series, which may be null: [`Test::Ids`].
    Series,
    /// The performer alone, who may be null: [`Test::Ids`].
    Performer,
    /// Planned start: [`Test::Time`].
    StartAt,
    /// Planned end: [`Test::Time`].
    EndAt,
    /// Name: [`Test::Contains`], [`Test::Text`].
    Name,
    /// Priority: [`Test::Codes`].
    Priority,
    /// The set of assignees and the performer: [`Test::Ids`].
    User,
    /// State: [`Test::Codes`].
    State,
    /// Location: [`Test::Ids`].
    Location,
    /// The set of the steps' points: [`Test::Ids`].
    Point,
    /// The set of tags: [`Test::Tags`].
    Tags,
    /// Status, which may be null: [`Test::Codes`].
    Status,
    /// Published: [`Test::Flag`].
    Published,
}

/// What executions can be sorted by: every scalar field of the summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names are the summary's
pub enum ExecutionSort {
    Id,
    ScheduledTaskId,
    PerformerId,
    Name,
    State,
    Status,
    StartAt,
    EndAt,
    StartedAt,
    EndedAt,
    TotalExecutedTime,
    ErrorCount,
    WarningCount,
    Priority,
    SeriesId,
    Assigned,
    Deadlined,
    Published,
    Edited,
    StepCount,
    ExecutedStepCount,
    LocationId,
    OrderStepsRequired,
}

/// A filter on the planned start or end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateFilter {
    /// [`ExecutionFilter::StartAt`] or [`ExecutionFilter::EndAt`].
    pub property: ExecutionFilter,
    /// How it compares.
    pub comparison: Comparison,
    /// With what.
    pub time: Timestamp,
}

/// What the date filters mean together with the two flags of interface 4.1 (decisions 4).
///
/// With `intersection`, a lower bound on startAt and an upper bound on endAt are the ends of a
/// range, which the execution's period has to meet: it starts before the range's end and ends
/// after its start. With `open_pass`, executions that are not COMPLETED pass whatever their dates.
#[must_use]
pub fn date_condition(
    filters: &[DateFilter],
    intersection: bool,
    open_pass: bool,
) -> Condition<ExecutionFilter> {
    use Comparison::{Greater, GreaterOrEqual, Less, LessOrEqual};
    use ExecutionFilter::{EndAt, StartAt};

    let dates = filters.iter().map(|filter| {
        let (property, comparison) = match (filter.property, filter.comparison) {
            (StartAt, Greater | GreaterOrEqual) if intersection => (EndAt, Greater),
            (EndAt, Less | LessOrEqual) if intersection => (StartAt, Less),
            kept => kept,
        };
        Condition::Is(property, Test::Time(comparison, filter.time))
    });
    let dates = Condition::All(dates.collect());
    if filters.is_empty() || !open_pass {
        return dates;
    }
    let open = Test::Codes(Membership::None, vec![State::Completed.code()]);
    Condition::Any(vec![dates, Condition::Is(ExecutionFilter::State, open)])
}
