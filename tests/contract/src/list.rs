//! Lists. All lists are compared with the model; examples of common rules use the list of
//! executions.

use std::time::Duration;

use patrol_domain::{
    Edit, Named, Target,
    check_list::{CheckList, CheckListList},
    data_set::Record,
    graphic_plan::GraphicPlan,
    list::{
        Comparison, Condition, Direction, Listing, Membership, Page, Query, Sort,
        SortProperty as _, Test,
    },
    location::{Location, LocationList},
    point::{HistoryList, Point, PointList},
    scheduled_task::{ScheduledTask, ScheduledTaskList},
    shared::text::fold,
    task_execution::{
        Copies, ExecutionFilter, ExecutionList, ExecutionSort, Progress, Punctuality, State,
        TaskExecution,
    },
    user::{User, UserList},
};
use proptest::test_runner::TestCaseError;
use tokio::{runtime::Handle, task::spawn_blocking};

use crate::{
    Adapter, Ports, arbitrary,
    listing::{everything, meeting, read},
    model::{self, Modelled},
    point::happen,
    sample::{
        MANY, by, check_list, check_list_id, execution, execution_id, fill, import, location,
        of_execution, of_task, of_user, places, point, task, task_id, time, user_id, whole_user,
    },
};

/// The number of queries that are compared with the model.
const QUERIES: u32 = 5_000;

/// The number for lists with a few filters.
const FEW_QUERIES: u32 = 400;

/// The number of records in the store.
const RECORDS: usize = 80;

/// For random filters, operators, sorts and pages, `list` returns the items and the total of the
/// model.
async fn compare<L: Modelled>(
    queries: u32,
    records: Vec<L::Record>,
    list: impl Fn(Query<L>) -> Listing<L::Item> + Send + 'static,
) {
    let handle = Handle::current();
    let compared = spawn_blocking(move || {
        let same = |query: Query<L>| {
            let (items, total) = model::answer(&records, &query);
            let (answered, counted) = handle.block_on(read(list(query)));
            if (&answered, counted) == (&items, total) {
                return Ok(());
            }
            let cause = format!("{counted} {answered:#?} instead of {total} {items:#?}");
            Err(TestCaseError::fail(cause))
        };
        arbitrary::runner(queries)
            .run(&arbitrary::query(), same)
            .map_err(|failure| failure.to_string())
    });
    if let Err(failure) = compared.await.expect("a comparison") {
        panic!("{failure}");
    }
}

/// The list of executions equals the model.
pub async fn executions_are_listed_as_the_model_says<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let mut executions = arbitrary::some(RECORDS, arbitrary::execution());
    // Ids are random, except a few that the tests of the id filter use.
    for (execution, number) in executions.iter_mut().zip(1..=MANY) {
        execution.id = execution_id(number);
    }
    fill(&ports, &executions).await;
    compare::<ExecutionList>(QUERIES, executions, move |query| ports.task_executions.list(query))
        .await;
}

/// The conditions of late and missed rounds find those that the rules name, at any time, and the others
/// when they are negated.
pub async fn late_and_missed_rounds_are_those_of_the_rules<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let executions = arbitrary::some(RECORDS, arbitrary::execution());
    fill(&ports, &executions).await;
    for (late_after, now) in [(0, 0), (0, 4_000), (1_000, 4_000), (2_500, 5_500), (4_000, 9_001)] {
        let punctuality = Punctuality { late_after: Duration::from_millis(late_after) };
        let moment = punctuality.at(time(now));
        for wanted in [true, false] {
            let found = async |condition, is_one: &dyn Fn(&TaskExecution) -> bool| {
                let all = executions.iter().filter(|one| is_one(one) == wanted);
                let mut expected: Vec<_> = all.map(|one| one.id).collect();
                expected.sort_unstable();
                let short = Query {
                    page: Page { limit: 1_000, offset: 0 },
                    now: moment.now,
                    ..meeting(condition)
                };
                let long = Query { page: Page::default(), ..short.clone() };
                for query in [short, long] {
                    let (items, total) = read(ports.task_executions.list(query)).await;
                    assert_eq!(u64::try_from(items.len()), Ok(total));
                    let ids: Vec<_> = items.iter().map(|item| item.id).collect();
                    assert_eq!(ids, expected, "{moment:?} {wanted}");
                }
            };
            found(moment.late(wanted), &|one| moment.is_late(one.timing())).await;
            found(moment.missed(wanted), &|one| moment.is_missed(one.timing())).await;
        }
    }
}

/// The records to import so that `location` is listed.
fn of_location(location: &Location) -> Vec<Record> {
    let plan = |id: &_| Record::GraphicPlan(GraphicPlan::new(*id, location.id, "Plan"));
    let own = [Record::Location(location.clone())];
    own.into_iter().chain(location.graphic_plan_ids.iter().map(plan)).collect()
}

/// The list of locations equals the model.
pub async fn locations_are_listed_as_the_model_says<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let locations = arbitrary::some(RECORDS, arbitrary::location());
    let records = locations.iter().flat_map(of_location).collect();
    import(&ports, records).await.expect("an import");
    compare::<LocationList>(QUERIES, locations, move |query| ports.locations.list(query)).await;
}

/// The list of users equals the model.
pub async fn users_are_listed_as_the_model_says<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let mut users = arbitrary::some(RECORDS, arbitrary::user());
    // Ids are random, except a few that the tests of the id filter use.
    for (user, number) in users.iter_mut().zip(1..=MANY) {
        user.id = user_id(number);
    }
    let records = places().into_iter().chain(users.iter().cloned().map(of_user));
    import(&ports, records.collect()).await.expect("an import");
    compare::<UserList>(QUERIES, users, move |query| ports.users.list(query)).await;
}

/// The list of check-lists equals the model.
pub async fn check_lists_are_listed_as_the_model_says<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let mut lists = arbitrary::some(RECORDS, arbitrary::check_list());
    // Ids are random, except a few that the tests of the id filter use.
    for (list, number) in lists.iter_mut().zip(1..=MANY) {
        list.id = check_list_id(number);
    }
    import(&ports, lists.iter().cloned().map(Record::CheckList).collect())
        .await
        .expect("an import");
    compare::<CheckListList>(FEW_QUERIES, lists, move |query| ports.check_lists.list(query)).await;
}

/// The list of points equals the model.
pub async fn points_are_listed_as_the_model_says<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let points = arbitrary::points(RECORDS);
    let records = places().into_iter();
    let records = records.chain(points.iter().cloned().map(|point| Record::Point(Box::new(point))));
    import(&ports, records.collect()).await.expect("an import");
    compare::<PointList>(QUERIES, points, move |query| ports.points.list(query)).await;
}

/// The list of scheduled tasks equals the model.
pub async fn scheduled_tasks_are_listed_as_the_model_says<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let mut tasks = arbitrary::some(RECORDS, arbitrary::scheduled_task());
    // Ids are random, except a few that the tests of the id filter use.
    for (task, number) in tasks.iter_mut().zip(1..=MANY) {
        task.id = task_id(number);
    }
    let records = places().into_iter().chain(tasks.iter().cloned().map(of_task));
    import(&ports, records.collect()).await.expect("an import");
    compare::<ScheduledTaskList>(FEW_QUERIES, tasks, move |query| {
        ports.scheduled_tasks.list(query)
    })
    .await;
}

/// The history of points equals the model.
pub async fn the_history_is_listed_as_the_model_says<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    import(&ports, places()).await.expect("an import");
    let history = happen(&ports, &arbitrary::some(RECORDS, arbitrary::happening())).await;
    compare::<HistoryList>(QUERIES, history, move |query| ports.point_history.list(query)).await;
}

async fn listed(ports: &Ports, query: Query<ExecutionList>) -> Vec<TaskExecution> {
    let (items, _) = read(ports.task_executions.list(query)).await;
    let mut records = Vec::new();
    for item in items {
        let found = ports.task_executions.get(item.id).await.expect("a read");
        records.push(found.expect("what was listed").record);
    }
    records
}

async fn names(ports: &Ports, query: Query<ExecutionList>) -> Vec<String> {
    let (items, _) = read(ports.task_executions.list(query)).await;
    items.into_iter().map(|item| item.name).collect()
}

fn sorted(property: ExecutionSort, direction: Direction) -> Query<ExecutionList> {
    Query { sort: vec![Sort { property, direction }], ..everything() }
}

fn named(number: u128, name: &str) -> TaskExecution {
    TaskExecution { name: name.to_owned(), ..execution(number) }
}

/// Consecutive pages of any size give the whole list, for every sort.
async fn follow<L: Modelled>(total: u32, list: impl Fn(Query<L>) -> Listing<L::Item>) {
    let size = total / 3 + 30;
    let total = u64::from(total);
    for (_, property) in L::Sort::NAMED {
        let sort = vec![Sort { property: *property, direction: Direction::Descending }];
        let query = || Query { sort: sort.clone(), ..everything() };
        let (whole, counted) = read(list(query())).await;
        assert_eq!((u64::try_from(whole.len()), counted), (Ok(total), total), "{property:?}");
        let mut pages = Vec::new();
        for page in 0..4 {
            let page = Page { limit: size, offset: u64::from(page * size) };
            let (items, counted) = read(list(Query { page, ..query() })).await;
            assert_eq!(counted, total, "{property:?} from {}", page.offset);
            pages.extend(items);
        }
        assert!(pages == whole, "{property:?}");
    }
}

fn one_of_two(number: u128) -> String {
    if number.is_multiple_of(3) { "a" } else { "B" }.to_owned()
}

/// Checks this for executions.
pub async fn pages_of_executions_follow_on_each_other<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let executions: Vec<_> = (1..=300).map(|number| named(number, &one_of_two(number))).collect();
    fill(&ports, &executions).await;
    follow::<ExecutionList>(300, |query| ports.task_executions.list(query)).await;
}

/// Checks this for locations.
pub async fn pages_of_locations_follow_on_each_other<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let location = |number| Location { name: one_of_two(number), ..location(number) };
    let locations = (1..=300).map(|number| Record::Location(location(number)));
    import(&ports, locations.collect()).await.expect("an import");
    follow::<LocationList>(300, |query| ports.locations.list(query)).await;
}

/// Checks this for users.
pub async fn pages_of_users_follow_on_each_other<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let user = |number: u128| User {
        first_name: one_of_two(number),
        middle_name: number.is_multiple_of(5).then(String::new),
        ..whole_user(number)
    };
    let users = (1..=300).map(|number| of_user(user(number)));
    import(&ports, places().into_iter().chain(users).collect()).await.expect("an import");
    follow::<UserList>(300, |query| ports.users.list(query)).await;
}

/// Checks this for check-lists.
pub async fn pages_of_check_lists_follow_on_each_other<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let list = |number| CheckList { name: one_of_two(number), ..check_list(number, &[number]) };
    let lists = (1..=300).map(|number| Record::CheckList(list(number)));
    import(&ports, lists.collect()).await.expect("an import");
    follow::<CheckListList>(300, |query| ports.check_lists.list(query)).await;
}

/// Checks this for points.
pub async fn pages_of_points_follow_on_each_other<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let point = |number: u128| Point {
        name: one_of_two(number),
        qr_code: number.is_multiple_of(3).then(|| number.to_string()),
        ..point(number, number % 2 + 1)
    };
    let points = (1..=300).map(|number| Record::Point(Box::new(point(number))));
    import(&ports, places().into_iter().chain(points).collect()).await.expect("an import");
    follow::<PointList>(300, |query| ports.points.list(query)).await;
}

/// Checks this for scheduled tasks.
pub async fn pages_of_scheduled_tasks_follow_on_each_other<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let task = |number| ScheduledTask { name: one_of_two(number), ..task(number) };
    let tasks = (1..=300).map(|number| of_task(task(number)));
    import(&ports, tasks.collect()).await.expect("an import");
    follow::<ScheduledTaskList>(300, |query| ports.scheduled_tasks.list(query)).await;
}

/// Checks this for the history.
pub async fn pages_of_the_history_follow_on_each_other<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let point = |number| Point { name: one_of_two(number), ..point(number, 1) };
    let points = (1..=300).map(|number| Record::Point(Box::new(point(number))));
    import(&ports, places().into_iter().chain(points).collect()).await.expect("an import");
    follow::<HistoryList>(300, |query| ports.point_history.list(query)).await;
}

/// Nulls come last in both directions; ties are broken by id, ascending.
pub async fn nulls_come_last_in_both_directions<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let started = |number, start| TaskExecution {
        progress: Progress::InProgress { started_at: time(start) },
        ..named(number, &number.to_string())
    };
    let executions = [named(4, "4"), started(3, 5), started(2, -5), started(5, 5), named(1, "1")];
    fill(&ports, &executions).await;
    let order = |direction| names(&ports, sorted(ExecutionSort::StartedAt, direction));
    assert_eq!(order(Direction::Ascending).await, ["2", "3", "5", "1", "4"]);
    assert_eq!(order(Direction::Descending).await, ["3", "5", "2", "1", "4"]);
}

/// Text is compared by Unicode lower case and code point, Cyrillic like Latin.
pub async fn text_is_compared_as_unicode_lower_case<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let texts = ["ёлка", "ЯЩИК", "Ёж", "zebra", "Apple", "ябеда", "apple 2", "ß", "SS", "ΝΟΣΟΣ"];
    let executions: Vec<_> = (1..).zip(texts).map(|(number, name)| named(number, name)).collect();
    fill(&ports, &executions).await;
    assert_eq!(
        names(&ports, sorted(ExecutionSort::Name, Direction::Ascending)).await,
        ["Apple", "apple 2", "SS", "zebra", "ß", "ΝΟΣΟΣ", "ябеда", "ЯЩИК", "Ёж", "ёлка"]
    );
    let named = |test| meeting(Condition::Is(ExecutionFilter::Name, test));
    let contains = |term: &str| named(Test::Contains(fold(term)));
    assert_eq!(names(&ports, contains("ЁЛК")).await, ["ёлка"]);
    assert_eq!(names(&ports, contains("яЩ")).await, ["ЯЩИК"]);
    // Each character by itself: a part of a word does not end otherwise than the word.
    assert_eq!(names(&ports, contains("ΝΟΣ")).await, ["ΝΟΣΟΣ"]);
    let search = Query { search: Some(fold("ΝΟΣ")), ..everything() };
    assert_eq!(names(&ports, search).await, ["ΝΟΣΟΣ"]);
    let equal = named(Test::Text(Membership::Any, vec![fold("APPLE"), fold("ёж")]));
    assert_eq!(names(&ports, equal).await, ["Ёж", "Apple"]);
}

/// `%`, `_`, `\`, `*` and quotes are plain characters.
pub async fn characters_of_patterns_are_plain<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let texts = ["100%", "100_", r"100\", "100*", "100'", "100\"", "1000"];
    let executions: Vec<_> = (1..).zip(texts).map(|(number, name)| named(number, name)).collect();
    fill(&ports, &executions).await;
    for text in texts {
        let test = Test::Contains(text.to_owned());
        let found = names(&ports, meeting(Condition::Is(ExecutionFilter::Name, test))).await;
        assert_eq!(found, [text]);
        let search = Query { search: Some(text.to_owned()), ..everything() };
        assert_eq!(names(&ports, search).await, [text]);
    }
}

/// The quick search compares name, description and each tag separately, ignoring case.
pub async fn a_search_looks_into_each_field_by_itself<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let mut with_description = named(1, "one");
    with_description.description = Some("Ночной ОБХОД".to_owned());
    let mut with_tags = named(2, "two");
    with_tags.tags = vec!["Обход".to_owned(), "Порт".to_owned()];
    fill(&ports, &[with_description, with_tags, named(3, "Обход порта")]).await;
    let search = |term: &str| Query { search: Some(fold(term)), ..everything() };
    assert_eq!(names(&ports, search("обход")).await, ["one", "two", "Обход порта"]);
    assert_eq!(names(&ports, search("порт")).await, ["two", "Обход порта"]);
    for across in ["обходпорт", "обход\0порт", "\0", "twoобход", "one\0", "обход,порт", "\",\""]
    {
        assert!(names(&ports, search(across)).await.is_empty(), "{across:?}");
    }
}

/// The executed time of an IN_PROGRESS execution grows with the query's `now`, and is never
/// negative.
pub async fn the_duration_of_what_is_running_grows<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let with = |number, name: &str, progress| TaskExecution { progress, ..named(number, name) };
    let over = Progress::Completed { started_at: time(0), ended_at: time(50) };
    let running = Progress::InProgress { started_at: time(100) };
    let executions =
        [with(1, "over", over), with(2, "running", running), with(3, "pending", Progress::Pending)];
    fill(&ports, &executions).await;
    let at = |now| {
        let query = sorted(ExecutionSort::TotalExecutedTime, Direction::Ascending);
        names(&ports, Query { now: time(now), ..query })
    };
    assert_eq!(at(0).await, ["running", "pending", "over"]);
    assert_eq!(at(149).await, ["pending", "running", "over"]);
    assert_eq!(at(151).await, ["pending", "over", "running"]);
}

/// A limit of 0 gives no items and the true total; so does an offset beyond the end.
pub async fn a_limit_of_zero_gives_the_total_alone<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    fill(&ports, &[execution(1), execution(2), execution(3)]).await;
    for page in [
        Page { limit: 0, offset: 0 },
        Page { limit: 0, offset: 2 },
        Page { limit: 5, offset: 3 },
        Page { limit: Page::MAX_LIMIT, offset: Page::MAX_OFFSET },
    ] {
        let answer = read(ports.task_executions.list(Query { page, ..everything() })).await;
        assert_eq!(answer, (Vec::new(), 3), "{page:?}");
    }
}

/// The total is that of the current data, also when it was counted before a change.
pub async fn a_total_follows_every_change<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    fill(&ports, &[execution(1), execution(2), execution(3)]).await;
    let unpublished = Condition::Is(ExecutionFilter::Published, Test::Flag(false));
    let after_start = Condition::Is(
        ExecutionFilter::StartAt,
        Test::Time(Comparison::GreaterOrEqual, time(1_000)),
    );
    let pending = Test::Codes(Membership::Any, vec![State::Pending.code()]);
    let all = vec![unpublished, after_start, Condition::Is(ExecutionFilter::State, pending)];
    let counted = || {
        let page = Page { limit: 1, offset: 0 };
        let query = Query { page, ..meeting(Condition::All(all.clone())) };
        async { read(ports.task_executions.list(query)).await.1 }
    };
    assert_eq!((counted().await, counted().await), (3, 3));
    let publish = Edit {
        at: Target::any_version(execution_id(1)),
        references: patrol_domain::References::default(),
        change: Box::new(|old: &TaskExecution, _: &_| {
            Ok(Some(TaskExecution { published: true, ..old.clone() }))
        }),
    };
    ports.task_executions.update(publish, by()).await.expect("an update");
    assert_eq!((counted().await, counted().await), (2, 2));
    ports
        .task_executions
        .delete(Target::any_version(execution_id(2)), by())
        .await
        .expect("a delete");
    assert_eq!((counted().await, counted().await), (1, 1));
    let copy = Box::new(|old: &TaskExecution| TaskExecution { id: execution_id(4), ..old.clone() });
    let third = execution_id(3);
    ports
        .task_executions
        .copy(Copies { must_exist: third, ids: vec![third], returned: third, make: copy }, by())
        .await
        .expect("an answer")
        .expect("a copy");
    assert_eq!((counted().await, counted().await), (2, 2));
    import(&ports, vec![of_execution(execution(5))]).await.expect("an import");
    assert_eq!((counted().await, counted().await), (3, 3));
    assert_eq!(listed(&ports, meeting(Condition::All(all.clone()))).await.len(), 3);
}
