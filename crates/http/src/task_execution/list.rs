//! Declaration of the list of executions: parameters, sorting, items.

use patrol_domain::{
    list::{Condition, Test},
    task_execution::{
        DateFilter, ExecutionFilter, ExecutionList, ExecutionSummary, Moment, Priority, State,
        Status, date_condition,
    },
};

use super::summary::SummaryRecord;
use crate::list::{Filter, Kind, ListDeclaration, OptionParameter, RowContext, Search, Setter};

/// The two flags that change what the date filters mean.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DateOptions {
    intersection: bool,
    open_pass: bool,
}

impl ListDeclaration for ExecutionList {
    type Options = DateOptions;
    type Row<'a> = SummaryRecord<'a>;

    const NAME: &'static str = "TaskExecutionList";
    const HAS_CSV: bool = true;

    const FILTERS: &'static [Filter<ExecutionFilter>] = &[
        Filter::new("id", ExecutionFilter::Id, Kind::Id)
            .about("Id.", "in:0190de30-0008-7000-8000-000000010116"),
        Filter::new("scheduledTaskId", ExecutionFilter::ScheduledTask, Kind::Id)
            .about("Scheduled task.", "in:0190de30-0007-7000-8000-000000000001"),
        Filter::new("seriesId", ExecutionFilter::Series, Kind::Id).about(
            "Series. ne and nin include executions without one.",
            "in:0190de30-000b-7000-8000-000000000001",
        ),
        Filter::new("performerId", ExecutionFilter::Performer, Kind::Id).about(
            "Performer; assignees do not count. ne and nin include executions without one.",
            "in:0190de30-0004-7000-8000-00000000000d",
        ),
        Filter::new("startAt", ExecutionFilter::StartAt, Kind::Time)
            .about("Planned start.", "gte:2026-01-01T00:00:00Z"),
        Filter::new("endAt", ExecutionFilter::EndAt, Kind::Time)
            .about("Planned end.", "lt:2026-02-01T00:00:00Z"),
        Filter::new("name", ExecutionFilter::Name, Kind::Text).about("Name.", "like:round"),
        Filter::new("priority", ExecutionFilter::Priority, Kind::of::<Priority>())
            .example("in:NORMAL,MAJOR"),
        Filter::new("userId", ExecutionFilter::User, Kind::Id).about(
            "Assignees and the performer. eq and in match when one of them is named, ne and nin \
                 when none of them is.",
            "in:0190de30-0004-7000-8000-000000000006",
        ),
        Filter::new("state", ExecutionFilter::State, Kind::of::<State>()).example("in:IN_PROGRESS"),
        Filter::new("locationId", ExecutionFilter::Location, Kind::Id)
            .about("Location.", "in:0190de30-0001-7000-8000-000000000001"),
        Filter::new("pointId", ExecutionFilter::Point, Kind::Id)
            .about("Points of the steps.", "in:0190de30-0003-7000-8000-000000000001"),
        Filter::new("tags", ExecutionFilter::Tags, Kind::Tag)
            .about("Tags, compared exactly.", "in:night,port"),
        Filter::new("status", ExecutionFilter::Status, Kind::of::<Status>())
            .example("in:WARNING,ERROR"),
        Filter::new("flagged", ExecutionFilter::Flagged, Kind::Boolean)
            .about("Whether an entry of a report has a verdict.", "true"),
        Filter::derived("late", Moment::late).about(
            "Published, and waiting for its start or started later than startAt and the setting.",
            "true",
        ),
        Filter::derived("missed", Moment::missed)
            .about("Published, not COMPLETED, and after endAt.", "true"),
        Filter::new("published", ExecutionFilter::Published, Kind::Boolean)
            .about("true or false.", "true"),
    ];

    const OPTIONS: &'static [OptionParameter<DateOptions>] = &[
        OptionParameter {
            name: "withDateIntersection",
            about: "Reads the lower bound on startAt and the upper bound on endAt as a range, and \
                 returns executions whose period overlaps the range.",
            set: Setter::Flag(|options, on| options.intersection = on),
        },
        OptionParameter {
            name: "includeOpenTasks",
            about: "Executions that are not COMPLETED are returned regardless of the filters on \
                 startAt and endAt.",
            set: Setter::Flag(|options, on| options.open_pass = on),
        },
    ];

    const SORT_EXAMPLE: &'static str = "startAt,desc";

    const SEARCH: Option<Search> =
        Some(Search { fields: "name, description or a tag", example: "порт" });

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

    fn row(item: &ExecutionSummary, context: RowContext) -> SummaryRecord<'_> {
        SummaryRecord::new(item, context.moment)
    }
}
