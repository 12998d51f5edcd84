//! Random records and queries. Values are drawn from small sets, so that records share values and
//! queries match them.

mod check_list;
mod location;
mod point;
mod scheduled_task;
mod task_execution;
mod user;

use std::{fmt::Debug, sync::LazyLock};

use patrol_domain::{
    Named, Timestamp,
    ids::Uuid,
    list::{
        Comparison, Condition, Direction, Membership, Page, Query, Sort, SortProperty as _, Test,
    },
    location::Position,
    shared::text::fold,
};
use proptest::{
    collection::vec,
    prelude::*,
    sample::{select, subsequence},
    strategy::ValueTree,
    test_runner::{Config, RngSeed, TestRunner},
};

pub(crate) use check_list::check_list;
pub(crate) use location::location;
pub(crate) use point::{Happening, happening, points};
pub(crate) use scheduled_task::scheduled_task;
pub(crate) use task_execution::execution;
pub(crate) use user::user;

use crate::{
    model::Modelled,
    sample::{MANY, time},
};

/// A runner of `cases` that prints its seed. The output of a failed test has the seed;
/// `PROPTEST_RNG_SEED=… cargo test …` repeats the test.
pub(crate) fn runner(cases: u32) -> TestRunner {
    // One seed for the process, because a case may draw records and queries with two runners.
    static DRAWN: LazyLock<u64> = LazyLock::new(|| drawn(any::<u64>(), &mut TestRunner::default()));
    let mut config = Config { cases, failure_persistence: None, ..Config::default() };
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(*DRAWN);
    }
    println!("PROPTEST_RNG_SEED={}", config.rng_seed);
    TestRunner::new(config)
}

/// `count` values, drawn by a [`runner`].
pub(crate) fn some<T: Debug>(count: usize, of: impl Strategy<Value = T>) -> Vec<T> {
    drawn(vec(of, count), &mut runner(1))
}

fn drawn<T: Debug>(of: impl Strategy<Value = T>, runner: &mut TestRunner) -> T {
    of.new_tree(runner).expect("a value").current()
}

/// Texts that are difficult to compare and to search.
const TEXTS: [&str; 24] = [
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
    "ΦΥΛΑΚΙΟ ΝΟΣΟΚΟΜΕΙΟΥ",
    "τέλος",
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

/// Search terms.
const TERMS: [&str; 26] = [
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
    "ΝΟΣ",
    "ς",
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

fn set<T: Clone + Debug + 'static>(of: Vec<T>) -> impl Strategy<Value = Vec<T>> {
    let all = 0..=of.len();
    subsequence(of, all).prop_shuffle()
}

fn uuid<T: From<Uuid> + Debug>() -> impl Strategy<Value = T> {
    any::<u128>().prop_map(|id| T::from(Uuid::from_u128(id)))
}

fn tags() -> impl Strategy<Value = Vec<String>> {
    set(TEXTS[..6].iter().map(|tag| (*tag).to_owned()).collect())
}

fn position() -> impl Strategy<Value = Position> {
    let degrees = || select(vec![-90.0, -0.1, 0.0, 59.931_1, 90.0]);
    (degrees(), degrees()).prop_map(|(latitude, longitude)| Position { latitude, longitude })
}

fn membership() -> impl Strategy<Value = Membership> {
    select(vec![Membership::Any, Membership::None])
}

/// Tests of free text.
pub(crate) fn text_tests() -> impl Strategy<Value = Test> {
    prop_oneof![
        folded().prop_map(Test::Contains),
        (membership(), vec(folded(), 1..4))
            .prop_map(|(membership, texts)| Test::Text(membership, texts)),
    ]
}

/// Tests of a text that is compared exactly.
pub(crate) fn exact_tests() -> impl Strategy<Value = Test> {
    prop_oneof![
        folded().prop_map(Test::Contains),
        (membership(), vec(texts(), 1..4))
            .prop_map(|(membership, texts)| Test::Exact(membership, texts)),
    ]
}

/// Tests of tags.
pub(crate) fn tag_tests() -> impl Strategy<Value = Test> {
    (membership(), vec(texts(), 1..4)).prop_map(|(membership, tags)| Test::Tags(membership, tags))
}

/// Tests of ids of one type.
pub(crate) fn id_tests<T: Into<Uuid>>(of: fn(u128) -> T) -> impl Strategy<Value = Test> {
    // One more than exist, so that some ids match nothing.
    let ids = vec((1..=MANY + 1).prop_map(move |number| of(number).into()), 1..4);
    (membership(), ids).prop_map(|(membership, ids)| Test::Ids(membership, ids))
}

/// Tests of an enumeration.
pub(crate) fn code_tests<T: Named>() -> impl Strategy<Value = Test> {
    let codes = T::ALL.iter().map(|value| value.code()).collect::<Vec<_>>();
    (membership(), vec(select(codes), 1..3))
        .prop_map(|(membership, codes)| Test::Codes(membership, codes))
}

/// Tests of times that move with the clock, or do not.
pub(crate) fn clock_tests() -> impl Strategy<Value = Test> {
    (comparison(), times(), any::<bool>()).prop_map(|(comparison, time, moves)| {
        if moves { Test::Clock(comparison, time) } else { Test::Time(comparison, time) }
    })
}

/// Tests of durations.
pub(crate) fn millis_tests() -> impl Strategy<Value = Test> {
    (comparison(), -8..8_i64)
        .prop_map(|(comparison, seconds)| Test::Millis(comparison, seconds * 1_000))
}

fn comparison() -> impl Strategy<Value = Comparison> {
    use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
    select(vec![Equal, NotEqual, Greater, GreaterOrEqual, Less, LessOrEqual])
}

/// Tests of a flag.
pub(crate) fn flag_tests() -> impl Strategy<Value = Test> {
    any::<bool>().prop_map(Test::Flag)
}

fn is<L: Modelled>() -> impl Strategy<Value = Condition<L::Filter>> {
    select(L::FILTERS)
        .prop_flat_map(|filter| L::test(filter).prop_map(move |test| Condition::Is(filter, test)))
}

fn condition<L: Modelled>() -> impl Strategy<Value = Condition<L::Filter>> {
    let some = || vec(is::<L>(), 0..3);
    let either = prop_oneof![
        is::<L>(),
        some().prop_map(Condition::Any),
        some().prop_map(Condition::All),
        (some(), is::<L>()).prop_map(|(all, one)| Condition::Any(vec![Condition::All(all), one])),
    ];
    vec(either, 0..4).prop_map(Condition::All)
}

/// Random queries of a list.
pub(crate) fn query<L: Modelled>() -> impl Strategy<Value = Query<L>> {
    let sort = (select(L::Sort::NAMED), any::<bool>()).prop_map(|((_, property), up)| Sort {
        property,
        direction: if up { Direction::Ascending } else { Direction::Descending },
    });
    let page = prop_oneof![
        Just(Page::default()),
        (0..20_u32, 0..20_u64).prop_map(|(limit, offset)| Page { limit, offset }),
        (0..3_u32).prop_map(|limit| Page { limit, offset: Page::MAX_OFFSET }),
        (0..90_u64).prop_map(|offset| Page { limit: Page::MAX_LIMIT, offset }),
    ];
    let search = prop::option::weighted(0.3, folded());
    let late_after = (0..4_i64).prop_map(|seconds| seconds * 1_000);
    (condition::<L>(), search, vec(sort, 0..4), page, times(), late_after).prop_map(
        |(condition, search, sort, page, now, late_after)| Query {
            search,
            sort,
            page,
            late_after,
            ..Query::of(condition, now)
        },
    )
}
