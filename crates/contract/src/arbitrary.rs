//! Executions and queries of all kinds. What is drawn comes from few values, so that executions
//! share them and queries meet them.

use patrol_domain::{
    Named, Timestamp,
    ids::Uuid,
    list::{Comparison, Condition, Direction, Membership, Page, Query, Sort, Test},
    shared::text::fold,
    task_execution::{
        Action, ActionType, ExecutionFilter, ExecutionList, ExecutionSort, Outcome, Priority,
        Progress, State, Status, Step, TaskExecution,
    },
};
use proptest::{
    collection::vec,
    option::of,
    prelude::*,
    sample::{select, subsequence},
};

use crate::sample::{MANY, location_id, point_id, series_id, task_id, time, user_id};

/// Text that is hard to compare and to search.
const TEXTS: [&str; 22] = [
    "Обход порта",
    "ОБХОД ПОРТА",
    "Ёлка",
    "ёлка",
    "Straße",
    "STRASSE",
    "İstanbul",
    "i\u{307}stanbul",
    "istanbul",
    "ΣΑΣ",
    "é",
    "e\u{301}",
    "Zürich",
    "zebra",
    "100% of a_b",
    "1000 of axb",
    r"C:\gate*?[a-z]",
    "O'Neil; DROP TABLE \"x\" --",
    "🦀 patrol",
    "\u{10FFFF}",
    "a, b",
    " a",
];

/// What is searched for.
const TERMS: [&str; 24] = [
    "",
    "%",
    "_",
    "\\",
    "'",
    "\"",
    "*",
    "порт",
    "ПОРТ",
    "ё",
    "е",
    "ss",
    "ß",
    "ẞ",
    "i\u{307}",
    "I",
    "\u{301}",
    "σας",
    "🦀",
    "a",
    "a\0",
    ", ",
    "b",
    "no such text",
];

fn texts() -> impl Strategy<Value = String> {
    select(&TEXTS[..]).prop_map(str::to_owned)
}

fn folded() -> impl Strategy<Value = String> {
    prop_oneof![select(&TEXTS[..]), select(&TERMS[..])].prop_map(fold)
}

fn times() -> impl Strategy<Value = Timestamp> {
    let ends = [-62_135_596_800_000, -1, 0, 253_402_300_799_999].map(time);
    prop_oneof![8 => (0..8_i64).prop_map(|second| time(second * 1_000)), 1 => select(ends.to_vec())]
}

fn number() -> impl Strategy<Value = u128> {
    1..=MANY
}

fn set<T: Clone + std::fmt::Debug + 'static>(of: Vec<T>) -> impl Strategy<Value = Vec<T>> {
    let all = 0..=of.len();
    subsequence(of, all).prop_shuffle()
}

fn uuid<T: From<Uuid> + std::fmt::Debug>() -> impl Strategy<Value = T> {
    any::<u128>().prop_map(|id| T::from(Uuid::from_u128(id)))
}

fn action() -> impl Strategy<Value = Action> {
    let outcome = |kind: ActionType| match kind {
        ActionType::Boolean => any::<bool>().prop_map(Outcome::Boolean).boxed(),
        ActionType::Media => vec(uuid(), 1..3).prop_map(Outcome::Media).boxed(),
        ActionType::Number => (-3.0..3.0).prop_map(Outcome::Number).boxed(),
        ActionType::Text => texts().prop_map(Outcome::Text).boxed(),
    };
    select(ActionType::ALL).prop_flat_map(move |kind| {
        let parts = (uuid(), of(uuid()), texts(), -3..3_i32, any::<bool>(), of(outcome(kind)));
        (parts, of(-3.0..3.0)).prop_map(move |(parts, bound)| {
            let (id, series_id, name, order, required, outcome) = parts;
            let min_value = bound.filter(|_| kind == ActionType::Number);
            Action {
                id,
                series_id,
                name,
                kind,
                order,
                required,
                min_value,
                max_value: min_value.map(|min| min + 1.0),
                outcome,
            }
        })
    })
}

fn step() -> impl Strategy<Value = Step> {
    let point = of(number().prop_map(point_id));
    let order = (-3..3_i32, of(0..3_i32), select(State::ALL));
    (uuid(), of(uuid()), point, texts(), order, vec(action(), 0..4)).prop_map(
        |(id, series_id, point_id, name, (order, actual_order, state), actions)| Step {
            id,
            series_id,
            point_id,
            name,
            order,
            actual_order,
            state,
            actions,
        },
    )
}

fn progress() -> impl Strategy<Value = Progress> {
    (select(State::ALL), times(), times()).prop_map(|(state, one, other)| match state {
        State::Pending => Progress::Pending,
        State::InProgress => Progress::InProgress { started_at: one },
        State::Completed => {
            Progress::Completed { started_at: one.min(other), ended_at: one.max(other) }
        }
    })
}

/// Executions that refer to [`crate::sample::world`].
pub(crate) fn execution() -> impl Strategy<Value = TaskExecution> {
    let users = (1..=MANY).map(user_id).collect::<Vec<_>>();
    let tags = TEXTS[..6].iter().map(|tag| (*tag).to_owned()).collect::<Vec<_>>();
    let references = (
        number().prop_map(task_id),
        of(number().prop_map(series_id)),
        number().prop_map(location_id),
        of(number().prop_map(user_id)),
        set(users),
    );
    let flags = any::<[bool; 5]>();
    let rest = (progress(), times(), times(), select(Priority::ALL), set(tags));
    (uuid(), texts(), of(texts()), references, flags, rest, vec(step(), 0..4)).prop_map(
        |(id, name, description, references, flags, rest, steps)| {
            let (scheduled_task_id, series_id, location_id, performer_id, assignee_ids) =
                references;
            let [published, order_steps_required, strict_time_required, deadlined, edited] = flags;
            let (progress, one, other, priority, tags) = rest;
            TaskExecution {
                id,
                scheduled_task_id,
                series_id,
                name,
                description,
                location_id,
                performer_id,
                assignee_ids,
                progress,
                published,
                start_at: one.min(other),
                end_at: one.max(other),
                priority,
                order_steps_required,
                strict_time_required,
                deadlined,
                edited,
                tags,
                steps,
            }
        },
    )
}

fn membership() -> impl Strategy<Value = Membership> {
    select(vec![Membership::Any, Membership::None])
}

fn ids(kind: fn(u128) -> Uuid) -> impl Strategy<Value = Test> {
    // One more than there are, so that some name nothing.
    (membership(), vec((1..=MANY + 1).prop_map(kind), 1..4))
        .prop_map(|(membership, ids)| Test::Ids(membership, ids))
}

fn ranks<T: Named>() -> impl Strategy<Value = Test> {
    let ranks = T::ALL.iter().map(|value| value.rank()).collect::<Vec<_>>();
    (membership(), vec(select(ranks), 1..3))
        .prop_map(|(membership, ranks)| Test::Ranks(membership, ranks))
}

fn moments() -> impl Strategy<Value = Test> {
    use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
    let all = vec![Equal, NotEqual, Greater, GreaterOrEqual, Less, LessOrEqual];
    (select(all), times()).prop_map(|(comparison, time)| Test::Time(comparison, time))
}

fn test(filter: ExecutionFilter) -> BoxedStrategy<Test> {
    match filter {
        ExecutionFilter::StartAt | ExecutionFilter::EndAt => moments().boxed(),
        ExecutionFilter::Name => prop_oneof![
            folded().prop_map(Test::Contains),
            (membership(), vec(folded(), 1..4))
                .prop_map(|(membership, texts)| Test::Text(membership, texts)),
        ]
        .boxed(),
        ExecutionFilter::Priority => ranks::<Priority>().boxed(),
        ExecutionFilter::User => ids(|number| user_id(number).0).boxed(),
        ExecutionFilter::State => ranks::<State>().boxed(),
        ExecutionFilter::Location => ids(|number| location_id(number).0).boxed(),
        ExecutionFilter::Point => ids(|number| point_id(number).0).boxed(),
        ExecutionFilter::Tags => (membership(), vec(texts(), 1..4))
            .prop_map(|(membership, tags)| Test::Tags(membership, tags))
            .boxed(),
        ExecutionFilter::Status => ranks::<Status>().boxed(),
        ExecutionFilter::Published => any::<bool>().prop_map(Test::Flag).boxed(),
    }
}

fn is() -> impl Strategy<Value = Condition<ExecutionFilter>> {
    select(FILTERS.to_vec())
        .prop_flat_map(|filter| test(filter).prop_map(move |test| Condition::Is(filter, test)))
}

fn condition() -> impl Strategy<Value = Condition<ExecutionFilter>> {
    let some = || vec(is(), 0..3);
    let either = prop_oneof![
        is(),
        some().prop_map(Condition::Any),
        some().prop_map(Condition::All),
        (some(), is()).prop_map(|(all, one)| Condition::Any(vec![Condition::All(all), one])),
    ];
    vec(either, 0..4).prop_map(Condition::All)
}

/// Queries of all kinds.
pub(crate) fn query() -> impl Strategy<Value = Query<ExecutionList>> {
    let sort = (select(SORTS.to_vec()), any::<bool>()).prop_map(|(property, up)| Sort {
        property,
        direction: if up { Direction::Ascending } else { Direction::Descending },
    });
    let page = prop_oneof![
        Just(Page::default()),
        (0..20_u32, 0..20_u64).prop_map(|(limit, offset)| Page { limit, offset }),
        (0..3_u32).prop_map(|limit| Page { limit, offset: Page::MAX_OFFSET }),
        (0..90_u64).prop_map(|offset| Page { limit: Page::MAX_LIMIT, offset }),
    ];
    (condition(), prop::option::weighted(0.3, folded()), vec(sort, 0..4), page, times()).prop_map(
        |(condition, search, sort, page, now)| Query { condition, search, sort, page, now },
    )
}

/// All there are.
const FILTERS: [ExecutionFilter; 11] = [
    ExecutionFilter::StartAt,
    ExecutionFilter::EndAt,
    ExecutionFilter::Name,
    ExecutionFilter::Priority,
    ExecutionFilter::User,
    ExecutionFilter::State,
    ExecutionFilter::Location,
    ExecutionFilter::Point,
    ExecutionFilter::Tags,
    ExecutionFilter::Status,
    ExecutionFilter::Published,
];

/// All there are.
pub(crate) const SORTS: [ExecutionSort; 21] = [
    ExecutionSort::Id,
    ExecutionSort::ScheduledTaskId,
    ExecutionSort::PerformerId,
    ExecutionSort::Name,
    ExecutionSort::State,
    ExecutionSort::Status,
    ExecutionSort::StartAt,
    ExecutionSort::EndAt,
    ExecutionSort::StartedAt,
    ExecutionSort::EndedAt,
    ExecutionSort::TotalExecutedTime,
    ExecutionSort::ErrorCount,
    ExecutionSort::WarningCount,
    ExecutionSort::Priority,
    ExecutionSort::SeriesId,
    ExecutionSort::Assigned,
    ExecutionSort::Deadlined,
    ExecutionSort::Published,
    ExecutionSort::Edited,
    ExecutionSort::StepCount,
    ExecutionSort::ExecutedStepCount,
];
