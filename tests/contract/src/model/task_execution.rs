//! The list of executions.

use patrol_domain::{
    Named, Timestamp,
    ids::Uuid,
    list::Test,
    task_execution::{
        ExecutionFilter, ExecutionList, ExecutionSort, ExecutionSummary, Moment, Priority, State,
        Status, TaskExecution,
    },
};
use proptest::strategy::{BoxedStrategy, Strategy};

use super::{Key, Modelled, Value};
use crate::{
    arbitrary::{
        clock_tests, code_tests, flag_tests, id_tests, millis_tests, tag_tests, text_tests,
    },
    sample::{execution_id, location_id, point_id, series_id, task_id, user_id},
};

impl Modelled for ExecutionList {
    type Record = TaskExecution;

    const FILTERS: &'static [ExecutionFilter] = &[
        ExecutionFilter::Id,
        ExecutionFilter::ScheduledTask,
        ExecutionFilter::Series,
        ExecutionFilter::Performer,
        ExecutionFilter::StartAt,
        ExecutionFilter::EndAt,
        ExecutionFilter::EndedAt,
        ExecutionFilter::Name,
        ExecutionFilter::Priority,
        ExecutionFilter::User,
        ExecutionFilter::State,
        ExecutionFilter::Location,
        ExecutionFilter::Point,
        ExecutionFilter::Tags,
        ExecutionFilter::Status,
        ExecutionFilter::Published,
        ExecutionFilter::Flagged,
        ExecutionFilter::StartDelay,
    ];
    fn item(execution: &TaskExecution) -> ExecutionSummary {
        execution.summary()
    }

    fn value(execution: &TaskExecution, filter: ExecutionFilter) -> Value {
        match filter {
            ExecutionFilter::Id => Value::Ids(vec![execution.id.0]),
            ExecutionFilter::ScheduledTask => {
                Value::Ids(execution.scheduled_task_id.map(Uuid::from).into_iter().collect())
            }
            ExecutionFilter::Series => {
                Value::Ids(execution.series_id.map(Uuid::from).into_iter().collect())
            }
            ExecutionFilter::Performer => {
                Value::Ids(execution.performer_id.map(Uuid::from).into_iter().collect())
            }
            ExecutionFilter::StartAt => Value::Time(execution.start_at),
            ExecutionFilter::EndAt => Value::Time(execution.end_at),
            ExecutionFilter::EndedAt => {
                execution.progress.ended_at().map_or(Value::NoTime, Value::Time)
            }
            ExecutionFilter::Name => Value::Text(execution.name.clone()),
            ExecutionFilter::Priority => Value::Code(Some(execution.priority.code())),
            ExecutionFilter::User => {
                let users = execution.assignee_ids.iter().copied().chain(execution.performer_id);
                Value::Ids(users.map(Uuid::from).collect())
            }
            ExecutionFilter::State => Value::Code(Some(execution.progress.state().code())),
            ExecutionFilter::Location => Value::Ids(vec![execution.location_id.0]),
            ExecutionFilter::Point => {
                let points = execution.steps.iter().filter_map(|step| step.point_id);
                Value::Ids(points.map(Uuid::from).collect())
            }
            ExecutionFilter::Tags => Value::Tags(execution.tags.clone()),
            ExecutionFilter::Status => Value::Code(execution.status().map(Named::code)),
            ExecutionFilter::Published => Value::Flag(execution.published),
            ExecutionFilter::Flagged => Value::Flag(execution.flag_count > 0),
            ExecutionFilter::StartDelay => {
                let started_at = execution.progress.started_at();
                Value::Millis(started_at.map(|started_at| started_at.since(execution.start_at)))
            }
        }
    }

    fn test(filter: ExecutionFilter) -> BoxedStrategy<Test> {
        match filter {
            ExecutionFilter::Id => id_tests(execution_id).boxed(),
            ExecutionFilter::ScheduledTask => id_tests(task_id).boxed(),
            ExecutionFilter::Series => id_tests(series_id).boxed(),
            ExecutionFilter::Performer => id_tests(user_id).boxed(),
            ExecutionFilter::StartAt | ExecutionFilter::EndAt => clock_tests().boxed(),
            ExecutionFilter::EndedAt => clock_tests().boxed(),
            ExecutionFilter::Name => text_tests().boxed(),
            ExecutionFilter::Priority => code_tests::<Priority>().boxed(),
            ExecutionFilter::User => id_tests(user_id).boxed(),
            ExecutionFilter::State => code_tests::<State>().boxed(),
            ExecutionFilter::Location => id_tests(location_id).boxed(),
            ExecutionFilter::Point => id_tests(point_id).boxed(),
            ExecutionFilter::Tags => tag_tests().boxed(),
            ExecutionFilter::Status => code_tests::<Status>().boxed(),
            ExecutionFilter::Published | ExecutionFilter::Flagged => flag_tests().boxed(),
            ExecutionFilter::StartDelay => millis_tests().boxed(),
        }
    }

    fn searched(execution: &TaskExecution) -> Vec<&str> {
        let tags = execution.tags.iter().map(String::as_str);
        tags.chain([execution.name.as_str()]).chain(execution.description.as_deref()).collect()
    }

    fn key(execution: &TaskExecution, sort: ExecutionSort, moment: Moment) -> Option<Key> {
        let summary = execution.summary();
        let flag = |flag: bool| Some(Key::Number(i64::from(flag)));
        let number = |number: i32| Some(Key::Number(i64::from(number)));
        let time = |time: Timestamp| Key::Number(time.millis());
        let order = |order: usize| Key::Number(i64::try_from(order).expect("a few values"));
        match sort {
            ExecutionSort::Id => Some(Key::Id(summary.id.0)),
            ExecutionSort::ScheduledTaskId => summary.scheduled_task_id.map(|id| Key::Id(id.0)),
            ExecutionSort::PerformerId => summary.performer_id.map(|id| Key::Id(id.0)),
            ExecutionSort::Name => Some(Key::text(&summary.name)),
            ExecutionSort::State => Some(order(summary.progress.state().order())),
            ExecutionSort::Status => summary.status.map(|status| order(status.order())),
            ExecutionSort::StartAt => Some(time(summary.start_at)),
            ExecutionSort::EndAt => Some(time(summary.end_at)),
            ExecutionSort::StartedAt => summary.progress.started_at().map(time),
            ExecutionSort::EndedAt => summary.progress.ended_at().map(time),
            ExecutionSort::TotalExecutedTime => {
                Some(Key::Number(summary.progress.executed_millis(moment.now)))
            }
            ExecutionSort::ErrorCount => number(summary.error_count),
            ExecutionSort::WarningCount => number(summary.warning_count),
            ExecutionSort::Priority => Some(order(summary.priority.order())),
            ExecutionSort::SeriesId => summary.series_id.map(|id| Key::Id(id.0)),
            ExecutionSort::Assigned => flag(summary.assigned()),
            ExecutionSort::Deadlined => flag(summary.deadlined),
            ExecutionSort::Published => flag(summary.published),
            ExecutionSort::Edited => flag(summary.edited),
            ExecutionSort::StepCount => number(summary.step_count),
            ExecutionSort::ExecutedStepCount => number(summary.executed_step_count),
            ExecutionSort::LocationId => Some(Key::Id(summary.location_id.0)),
            ExecutionSort::OrderStepsRequired => flag(summary.order_steps_required),
            ExecutionSort::FlagCount => number(summary.flag_count),
            ExecutionSort::Late => flag(moment.is_late(summary.timing())),
            ExecutionSort::Missed => flag(moment.is_missed(summary.timing())),
        }
    }

    fn ties(execution: &TaskExecution) -> Vec<Key> {
        vec![Key::Id(execution.id.0)]
    }
}
