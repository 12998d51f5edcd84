//! The table in docs/api/lists.md: which filters and sorts have an index. Those without one are
//! listed here explicitly.

use std::fmt::Debug;

use patrol_domain::{
    access::{TokenFilter, TokenList, TokenSort},
    list::{Comparison, SortProperty as _},
    location::{LocationFilter, LocationList, LocationSort},
    point::{HistoryFilter, HistoryList, HistorySort},
    task_execution::{ExecutionFilter, ExecutionList, ExecutionSort},
};

use super::*;

/// The index for a filter, in the tests that it may contain.
type Found = Option<&'static str>;

/// The index for the ascending order, and the one for the descending order.
type Ordered = [Found; 2];

const EXECUTION_FILTERS: [ExecutionFilter; 18] = {
    use ExecutionFilter::*;
    [
        Id,
        ScheduledTask,
        Series,
        Performer,
        StartAt,
        EndAt,
        EndedAt,
        Name,
        Priority,
        User,
        State,
        Location,
        Point,
        Tags,
        Status,
        Published,
        Flagged,
        StartDelay,
    ]
};

fn execution_filter(filter: ExecutionFilter, test: &Test) -> Found {
    use ExecutionFilter::*;
    if excludes(test) {
        return None;
    }
    Some(match filter {
        Id => "sqlite_autoindex_task_executions_1 (id=?)",
        ScheduledTask => "task_executions_by_task (<expr>=?)",
        Series => "task_executions_by_series (series_id=?)",
        Performer => "task_executions_by_performer (performer_id=?)",
        StartAt => "task_executions_by_start (start_at",
        EndAt => "task_executions_by_end (end_at",
        EndedAt => "task_executions_by_ended (ended_at",
        Name if matches!(test, Test::Contains(_)) => "task_execution_texts VIRTUAL TABLE",
        Name => "task_executions_by_name (name_folded=?)",
        Priority => "task_executions_by_priority_and_id (priority=?)",
        User => "task_execution_assignees USING PRIMARY KEY (value=?)",
        State => "(state=?)",
        Location => "(location_id=?)",
        Point => "task_execution_points USING PRIMARY KEY (value=?)",
        Tags => "task_execution_tags USING PRIMARY KEY (value=?)",
        Status => "(status=?)",
        Published => "task_executions_by_published_and_id (published=?)",
        Flagged => "task_executions_by_flagged_and_id (<expr>=?)",
        StartDelay => "task_executions_by_start_delay (<expr>>?)",
    })
}

fn execution_sort(sort: ExecutionSort) -> Ordered {
    use ExecutionSort::*;
    match sort {
        Id => both("sqlite_autoindex_task_executions_1"),
        Name => both("task_executions_by_name"),
        StartAt => both("task_executions_by_start"),
        EndAt => both("task_executions_by_end"),
        StartedAt => both("task_executions_by_started"),
        EndedAt => both("task_executions_by_ended"),
        State => [Some("task_executions_by_state_and_id"), None],
        Status => [Some("task_executions_by_status_and_id"), None],
        Priority => [Some("task_executions_by_priority_and_id"), None],
        Published => [Some("task_executions_by_published_and_id"), None],
        ScheduledTaskId => both("task_executions_by_task"),
        LocationId => both("task_executions_by_location"),
        PerformerId | TotalExecutedTime | ErrorCount | WarningCount | SeriesId | Assigned
        | Deadlined | Edited | StepCount | ExecutedStepCount | OrderStepsRequired | FlagCount
        | Late | Missed => [None, None],
    }
}

const HISTORY_FILTERS: [HistoryFilter; 5] = {
    use HistoryFilter::*;
    [Id, Name, Type, Location, Tags]
};

fn history_filter(filter: HistoryFilter, test: &Test) -> Found {
    use HistoryFilter::*;
    if excludes(test) || matches!(test, Test::Contains(_)) {
        return None;
    }
    Some(match filter {
        Id => "point_history_by_point (id=?)",
        Name => "point_history_by_name (name_folded=?)",
        Type => "point_history_by_kind (kind=?)",
        Location => "point_history_by_location (location_id=?)",
        Tags => "point_history_tags USING PRIMARY KEY (value=?)",
    })
}

fn history_sort(sort: HistorySort) -> Ordered {
    use HistorySort::*;
    match sort {
        Id => both("point_history_by_point"),
        // The key of the table.
        HistoryId => both(""),
        RecordedAt => both("point_history_by_time"),
        LocationId => both("point_history_by_location"),
        Name => both("point_history_by_name"),
        Operation | Type | Latitude | Longitude | RfidCode | QrCode => [None, None],
    }
}

const LOCATION_FILTERS: [LocationFilter; 5] = {
    use LocationFilter::*;
    [Id, Name, Address, WithGraphicPlan, Tags]
};

fn location_filter(filter: LocationFilter, test: &Test) -> Found {
    use LocationFilter::*;
    if excludes(test) {
        return None;
    }
    match filter {
        Id => Some("sqlite_autoindex_locations_1 (id=?)"),
        Name | Address if matches!(test, Test::Contains(_)) => Some("location_texts VIRTUAL TABLE"),
        Name => Some("locations_by_name (name_folded=?)"),
        Address => Some("locations_by_address"),
        Tags => Some("location_tags USING PRIMARY KEY (value=?)"),
        WithGraphicPlan => None,
    }
}

fn location_sort(sort: LocationSort) -> Ordered {
    use LocationSort::*;
    match sort {
        Id => both("sqlite_autoindex_locations_1"),
        Name => both("locations_by_name"),
        Address => both("locations_by_address"),
        Latitude => both("locations_by_latitude"),
        Longitude => both("locations_by_longitude"),
    }
}

fn token_filter(filter: TokenFilter, test: &Test) -> Found {
    match filter {
        TokenFilter::User => (!excludes(test)).then_some("tokens_by_user (user_id=?)"),
    }
}

/// A user has few tokens.
fn token_sort(sort: TokenSort) -> Ordered {
    use TokenSort::*;
    match sort {
        Id => both("sqlite_autoindex_tokens_1"),
        UserId => both("tokens_by_user"),
        Name | CreatedAt | ExpiresAt | LastUsedAt => [None, None],
    }
}

fn both(index: &'static str) -> Ordered {
    [Some(index), Some(index)]
}

/// Whether the test excludes the named values: then it usually matches nearly all rows.
fn excludes(test: &Test) -> bool {
    match test {
        Test::Ids(membership, _)
        | Test::Codes(membership, _)
        | Test::Text(membership, _)
        | Test::Exact(membership, _)
        | Test::Tags(membership, _) => *membership == Membership::None,
        Test::Time(comparison, _) | Test::Clock(comparison, _) | Test::Millis(comparison, _) => {
            *comparison == Comparison::NotEqual
        }
        Test::Contains(_) | Test::Flag(_) => false,
    }
}

fn texts() -> Vec<Test> {
    let name = |name: &str| name.to_owned();
    among(|membership| {
        let one = Test::Text(membership, vec![name("round")]);
        [one, Test::Text(membership, vec![name("round"), name("walk")])]
    })
    .chain([Test::Contains(name("round"))])
    .collect()
}

fn tags() -> Vec<Test> {
    let name = |name: &str| name.to_owned();
    among(|membership| {
        let one = Test::Tags(membership, vec![name("night")]);
        [one, Test::Tags(membership, vec![name("night"), name("hall")])]
    })
    .collect()
}

fn uuids() -> Vec<Test> {
    among(|membership| {
        let one = Test::Ids(membership, vec![Uuid::nil()]);
        [one, Test::Ids(membership, vec![Uuid::nil(), Uuid::max()])]
    })
    .collect()
}

fn ranks() -> Vec<Test> {
    among(|membership| [Test::Codes(membership, vec![1]), Test::Codes(membership, vec![0, 1])])
        .collect()
}

fn among(tests: impl Fn(Membership) -> [Test; 2]) -> impl Iterator<Item = Test> {
    [Membership::Any, Membership::None].into_iter().flat_map(tests)
}

fn times() -> Vec<Test> {
    use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
    let time = Timestamp::from_millis(0).unwrap();
    let all = [Equal, NotEqual, Greater, GreaterOrEqual, Less, LessOrEqual];
    all.into_iter().map(|comparison| Test::Time(comparison, time)).collect()
}

fn flags() -> Vec<Test> {
    vec![Test::Flag(false), Test::Flag(true)]
}

/// All tests of all filters, one by one, with few matches.
async fn assert_filters<L: ListTable + Copy + Debug>(
    filters: &[L::Filter],
    tests: impl Fn(L::Filter) -> Vec<Test>,
    found: impl Fn(L::Filter, &Test) -> Found,
) where
    L::Filter: Copy + Debug,
{
    let folder = TempDir::new().unwrap();
    let store = store(&folder);
    for filter in filters {
        for test in tests(*filter) {
            let query = by_id::<L>(vec![is(*filter, test.clone())]);
            let plan = of_page(&store, &query, ListPlan::FilterThenSort).await;
            // Subqueries in the selected columns do not matter here.
            let scan = format!("SCAN {}", L::FROM);
            let scans =
                plan.lines().any(|line| line == scan || line.starts_with(&(scan.clone() + " ")));
            match found(*filter, &test) {
                Some(index) => assert!(plan.contains(index) && !scans, "{query:?}:\n{plan}"),
                None => {
                    assert!(scans, "an index is used, which can be promised: {query:?}:\n{plan}")
                }
            }
        }
    }
}

/// All sorts of the whole list in both directions.
async fn assert_sorts<L: ListTable + Copy + Debug>(ordered: impl Fn(L::Sort) -> Ordered)
where
    L::Sort: Copy + Debug,
{
    let folder = TempDir::new().unwrap();
    let store = store(&folder);
    for (_, property) in L::Sort::NAMED {
        let directions = [Direction::Ascending, Direction::Descending];
        for (direction, index) in directions.into_iter().zip(ordered(*property)) {
            let sort = vec![Sort { property: *property, direction }];
            let query = Query { sort, ..by_id::<L>(vec![]) };
            let plan = of_page(&store, &query, ListPlan::Automatic).await;
            let sorts = plan.contains("USE TEMP B-TREE FOR ORDER BY");
            match index {
                Some(index) => {
                    let is_used =
                        plan.contains(&format!("SCAN {} USING", L::FROM)) || index.is_empty();
                    assert!(is_used && plan.contains(index) && !sorts, "{query:?}:\n{plan}");
                }
                None => {
                    assert!(sorts, "an index is used, which can be promised: {query:?}:\n{plan}")
                }
            }
        }
    }
}

#[tokio::test]
async fn executions() {
    use ExecutionFilter::*;
    let tests = |filter| match filter {
        StartAt | EndAt | EndedAt => times(),
        Name => texts(),
        Priority | State | Status => ranks(),
        Id | ScheduledTask | Series | Performer | User | Location | Point => uuids(),
        Tags => tags(),
        Published | Flagged => flags(),
        StartDelay => vec![Test::Millis(Comparison::Greater, 0)],
    };
    assert_filters::<ExecutionList>(&EXECUTION_FILTERS, tests, execution_filter).await;
    assert_sorts::<ExecutionList>(execution_sort).await;
}

#[tokio::test]
async fn history() {
    let tests = |filter| match filter {
        HistoryFilter::Id | HistoryFilter::Location => uuids(),
        HistoryFilter::Name => texts(),
        HistoryFilter::Type => ranks(),
        HistoryFilter::Tags => tags(),
    };
    assert_filters::<HistoryList>(&HISTORY_FILTERS, tests, history_filter).await;
    assert_sorts::<HistoryList>(history_sort).await;
}

#[tokio::test]
async fn locations() {
    let tests = |filter| match filter {
        LocationFilter::Id => uuids(),
        LocationFilter::Name | LocationFilter::Address => texts(),
        LocationFilter::WithGraphicPlan => flags(),
        LocationFilter::Tags => tags(),
    };
    assert_filters::<LocationList>(&LOCATION_FILTERS, tests, location_filter).await;
    assert_sorts::<LocationList>(location_sort).await;
}

#[tokio::test]
async fn tokens() {
    assert_filters::<TokenList>(&[TokenFilter::User], |_| uuids(), token_filter).await;
    assert_sorts::<TokenList>(token_sort).await;
}
