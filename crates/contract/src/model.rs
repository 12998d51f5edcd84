//! What a list answers, found out in memory in the plainest way.

use std::cmp::Ordering;

use patrol_domain::{
    Named, Timestamp,
    ids::Uuid,
    list::{Comparison, Condition, Direction, Membership, Query, Test},
    shared::text::fold,
    task_execution::{
        ExecutionFilter, ExecutionList, ExecutionSort, ExecutionSummary, TaskExecution,
    },
};

/// What a property that is filtered by holds.
enum Value {
    Text(String),
    Tags(Vec<String>),
    Ids(Vec<Uuid>),
    Rank(Option<i16>),
    Flag(bool),
    Time(Timestamp),
}

/// The items of `query` among `executions`, and their total.
pub(crate) fn answer(
    executions: &[TaskExecution],
    query: &Query<ExecutionList>,
) -> (Vec<ExecutionSummary>, u64) {
    let Query { condition, search, sort, page, now } = query;
    let found = |execution: &&TaskExecution| {
        meets(execution, condition)
            && search.as_ref().is_none_or(|term| {
                searched(execution).iter().any(|text| fold(text).contains(term.as_str()))
            })
    };
    let mut found: Vec<_> = executions.iter().filter(found).collect();
    found.sort_by(|one, other| {
        let criteria = sort.iter().map(|sort| {
            let key = |execution| key(execution, sort.property, *now);
            compare(key(one), key(other), sort.direction)
        });
        let by_id = one.id.cmp(&other.id);
        criteria.chain([by_id]).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    });
    let total = u64::try_from(found.len()).expect("a count");
    let offset = usize::try_from(page.offset).unwrap_or(usize::MAX);
    let limit = usize::try_from(page.limit).expect("a limit");
    let items = found.into_iter().skip(offset).take(limit).map(TaskExecution::summary);
    (items.collect(), total)
}

fn meets(execution: &TaskExecution, condition: &Condition<ExecutionFilter>) -> bool {
    match condition {
        Condition::All(all) => all.iter().all(|condition| meets(execution, condition)),
        Condition::Any(any) => any.iter().any(|condition| meets(execution, condition)),
        Condition::Is(property, test) => passes(&value(execution, *property), test),
    }
}

fn passes(value: &Value, test: &Test) -> bool {
    match (value, test) {
        (Value::Text(text), Test::Contains(term)) => fold(text).contains(term),
        (Value::Text(text), Test::Text(membership, texts)) => {
            is(*membership, texts.contains(&fold(text)))
        }
        (Value::Tags(tags), Test::Tags(membership, some)) => {
            is(*membership, tags.iter().any(|tag| some.contains(tag)))
        }
        (Value::Ids(ids), Test::Ids(membership, some)) => {
            is(*membership, ids.iter().any(|id| some.contains(id)))
        }
        (Value::Rank(rank), Test::Ranks(membership, ranks)) => {
            is(*membership, rank.is_some_and(|rank| ranks.contains(&rank)))
        }
        (Value::Flag(flag), Test::Flag(wanted)) => flag == wanted,
        (Value::Time(time), Test::Time(comparison, other)) => match comparison {
            Comparison::Equal => time == other,
            Comparison::NotEqual => time != other,
            Comparison::Greater => time > other,
            Comparison::GreaterOrEqual => time >= other,
            Comparison::Less => time < other,
            Comparison::LessOrEqual => time <= other,
        },
        _ => unreachable!("the test does not fit the property"),
    }
}

fn is(membership: Membership, among: bool) -> bool {
    among == (membership == Membership::Any)
}

fn value(execution: &TaskExecution, property: ExecutionFilter) -> Value {
    match property {
        ExecutionFilter::StartAt => Value::Time(execution.start_at),
        ExecutionFilter::EndAt => Value::Time(execution.end_at),
        ExecutionFilter::Name => Value::Text(execution.name.clone()),
        ExecutionFilter::Priority => Value::Rank(Some(execution.priority.rank())),
        ExecutionFilter::User => {
            let users = execution.assignee_ids.iter().copied().chain(execution.performer_id);
            Value::Ids(users.map(Uuid::from).collect())
        }
        ExecutionFilter::State => Value::Rank(Some(execution.progress.state().rank())),
        ExecutionFilter::Location => Value::Ids(vec![execution.location_id.0]),
        ExecutionFilter::Point => {
            let points = execution.steps.iter().filter_map(|step| step.point_id);
            Value::Ids(points.map(Uuid::from).collect())
        }
        ExecutionFilter::Tags => Value::Tags(execution.tags.clone()),
        ExecutionFilter::Status => Value::Rank(execution.status().map(Named::rank)),
        ExecutionFilter::Published => Value::Flag(execution.published),
    }
}

fn searched(execution: &TaskExecution) -> Vec<&str> {
    let tags = execution.tags.iter().map(String::as_str);
    tags.chain([execution.name.as_str()]).chain(execution.description.as_deref()).collect()
}

/// What is sorted by; all keys of one property are of one kind.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Number(i64),
    Text(String),
    Id(Uuid),
}

/// The key; none for null.
fn key(execution: &TaskExecution, property: ExecutionSort, now: Timestamp) -> Option<Key> {
    let summary = execution.summary();
    let flag = |flag: bool| Some(Key::Number(i64::from(flag)));
    let number = |number: i32| Some(Key::Number(i64::from(number)));
    let time = |time: Timestamp| Key::Number(time.millis());
    let rank = |rank: i16| Key::Number(i64::from(rank));
    match property {
        ExecutionSort::Id => Some(Key::Id(summary.id.0)),
        ExecutionSort::ScheduledTaskId => Some(Key::Id(summary.scheduled_task_id.0)),
        ExecutionSort::PerformerId => summary.performer_id.map(|id| Key::Id(id.0)),
        ExecutionSort::Name => Some(Key::Text(fold(&summary.name))),
        ExecutionSort::State => Some(rank(summary.progress.state().rank())),
        ExecutionSort::Status => summary.status.map(|status| rank(status.rank())),
        ExecutionSort::StartAt => Some(time(summary.start_at)),
        ExecutionSort::EndAt => Some(time(summary.end_at)),
        ExecutionSort::StartedAt => summary.progress.started_at().map(time),
        ExecutionSort::EndedAt => summary.progress.ended_at().map(time),
        ExecutionSort::TotalExecutedTime => {
            Some(Key::Number(summary.progress.executed_millis(now)))
        }
        ExecutionSort::ErrorCount => number(summary.error_count),
        ExecutionSort::WarningCount => number(summary.warning_count),
        ExecutionSort::Priority => Some(rank(summary.priority.rank())),
        ExecutionSort::SeriesId => summary.series_id.map(|id| Key::Id(id.0)),
        ExecutionSort::Assigned => flag(summary.assigned()),
        ExecutionSort::Deadlined => flag(summary.deadlined),
        ExecutionSort::Published => flag(summary.published),
        ExecutionSort::Edited => flag(summary.edited),
        ExecutionSort::StepCount => number(summary.step_count),
        ExecutionSort::ExecutedStepCount => number(summary.executed_step_count),
    }
}

/// Nulls last in both directions.
fn compare(one: Option<Key>, other: Option<Key>, direction: Direction) -> Ordering {
    match (one, other) {
        (Some(one), Some(other)) if direction == Direction::Descending => other.cmp(&one),
        (Some(one), Some(other)) => one.cmp(&other),
        (one, other) => one.is_none().cmp(&other.is_none()),
    }
}
