//! Pages from memory are those of a model, in every state of the data that is requested.

use std::{
    cmp::Ordering,
    collections::BTreeMap,
    hash::{Hash, Hasher},
};

use event_listener::EventListener;
use futures_util::FutureExt as _;
use patrol_domain::{
    StoreError, Timestamp,
    list::{Comparison, Condition, Direction, Membership, Page, Query, Sort, Test},
    task_execution::{ExecutionFilter, ExecutionList, ExecutionSort},
};
use proptest::{collection::vec, prelude::*};

use super::{FoundPage, Memory, Reader, Rows, SortOrder, SortPosition, SortValue, Source};
use crate::stored::list::{Column, OrderKind, TableQuery};

#[derive(Clone, PartialEq, Debug)]
struct Row {
    id: u16,
    name: u8,
    start: i8,
    state: i16,
}

type Data = BTreeMap<u32, Row>;

/// A condition that is equal to others with the same text.
#[derive(Clone, Debug)]
struct Asked(Condition<Column>);

impl PartialEq for Asked {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Eq for Asked {}

impl Hash for Asked {
    fn hash<H: Hasher>(&self, state: &mut H) {
        format!("{:?}", self.0).hash(state);
    }
}

/// Reads one of the states that the table had.
struct Model<'a> {
    states: &'a [Data],
    at: usize,
}

impl Model<'_> {
    fn data(&self) -> &Data {
        &self.states[self.at]
    }

    fn meeting(&self, condition: &Condition<Column>) -> Rows {
        let met = self.data().iter().filter(|(_, row)| meets(row, condition));
        met.map(|(number, _)| *number).collect()
    }
}

fn meets<P>(row: &Row, condition: &Condition<P>) -> bool {
    match condition {
        Condition::All(all) => all.iter().all(|one| meets(row, one)),
        Condition::Any(any) => any.iter().any(|one| meets(row, one)),
        Condition::Is(_, Test::Codes(Membership::Any, codes)) => codes.contains(&row.state),
        Condition::Is(_, Test::Codes(Membership::None, codes)) => !codes.contains(&row.state),
        Condition::Is(_, Test::Time(comparison, time) | Test::Clock(comparison, time)) => {
            let ordering = i64::from(row.start).cmp(&time.millis());
            match comparison {
                Comparison::Equal => ordering == Ordering::Equal,
                Comparison::NotEqual => ordering != Ordering::Equal,
                Comparison::Greater => ordering == Ordering::Greater,
                Comparison::GreaterOrEqual => ordering != Ordering::Less,
                Comparison::Less => ordering == Ordering::Less,
                Comparison::LessOrEqual => ordering != Ordering::Greater,
            }
        }
        Condition::Is(..) => unreachable!(),
    }
}

fn position(row: &Row, order: OrderKind) -> SortPosition {
    let value = match order {
        OrderKind::Ids => SortValue::Id,
        OrderKind::Texts => SortValue::Text(row.name.to_string()),
        OrderKind::Times => SortValue::Time(row.start.into()),
    };
    SortPosition { value, id: u128::from(row.id).to_be_bytes() }
}

impl Reader for Model<'_> {
    type State = usize;
    type Test = Asked;
    type Error = StoreError;

    const MAX_SORTED: u64 = 300;

    const MAX_ROWS: u64 = 1_200;

    const FEW_ROWS: u64 = 1_000;

    fn test(&self, condition: &Condition<Column>, search: Option<&str>) -> Asked {
        assert_eq!(search, None);
        Asked(condition.clone())
    }

    async fn size(&mut self) -> Result<u64, StoreError> {
        Ok(u64::try_from(self.data().len()).unwrap())
    }

    async fn changed_since(&mut self, state: &usize) -> Result<Option<Rows>, StoreError> {
        assert!(*state < self.at, "only a later state is requested");
        // As if the log were too long, for some states.
        if self.at.is_multiple_of(5) {
            return Ok(None);
        }
        let (old, new) = (&self.states[*state], self.data());
        let changed = old.keys().chain(new.keys()).filter(|row| old.get(row) != new.get(row));
        Ok(Some(changed.collect()))
    }

    async fn find(
        &mut self,
        condition: &Condition<Column>,
        _search: Option<&str>,
    ) -> Result<Rows, StoreError> {
        Ok(self.meeting(condition))
    }

    async fn test_rows(&mut self, rows: &Rows, test: &Asked) -> Result<Rows, StoreError> {
        Ok(rows & self.meeting(&test.0))
    }

    async fn sort_positions(
        &mut self,
        order: SortOrder,
        rows: Option<&Rows>,
        each: &mut (dyn FnMut(u32, SortPosition) + Send),
    ) -> Result<(), StoreError> {
        let mut positions: Vec<_> = self
            .data()
            .iter()
            .filter(|(number, _)| rows.is_none_or(|rows| rows.contains(**number)))
            .map(|(number, row)| (*number, position(row, order.kind)))
            .collect();
        match rows {
            None => positions.sort_by(|(_, one), (_, other)| order.compare(one, other)),
            Some(_) => positions.reverse(),
        }
        positions.into_iter().for_each(|(number, position)| each(number, position));
        Ok(())
    }

    async fn pause(&mut self, ended: Option<EventListener>) -> Result<(), StoreError> {
        assert!(ended.is_none(), "there are no others");
        Ok(())
    }
}

/// What the store would answer: the ids of the page, and the total.
fn expected(table: &Data, query: &Query<ExecutionList>) -> (Vec<u16>, u64) {
    let mut rows: Vec<_> =
        table.values().filter(|row| meets(row, &query.condition)).cloned().collect();
    sort(&mut rows, query);
    let total = u64::try_from(rows.len()).unwrap();
    (page(&rows, query.page), total)
}

fn sort(rows: &mut [Row], query: &Query<ExecutionList>) {
    rows.sort_by(|one, other| {
        let Some(by) = query.sort.first() else { return one.id.cmp(&other.id) };
        let ordering = match by.property {
            ExecutionSort::Id => one.id.cmp(&other.id),
            ExecutionSort::Name => one.name.to_string().cmp(&other.name.to_string()),
            ExecutionSort::StartAt => one.start.cmp(&other.start),
            _ => one.state.cmp(&other.state),
        };
        let ordering = match by.direction {
            Direction::Ascending => ordering,
            Direction::Descending => ordering.reverse(),
        };
        ordering.then(one.id.cmp(&other.id))
    });
}

fn page(rows: &[Row], Page { limit, offset }: Page) -> Vec<u16> {
    let offset = usize::try_from(offset).unwrap();
    let rows = rows.iter().skip(offset).take(usize::try_from(limit).unwrap());
    rows.map(|row| row.id).collect()
}

fn time(comparison: Comparison, at: i64, moves: bool) -> Condition<ExecutionFilter> {
    let time = Timestamp::from_millis(at).unwrap();
    let test = if moves { Test::Clock(comparison, time) } else { Test::Time(comparison, time) };
    Condition::Is(ExecutionFilter::StartAt, test)
}

fn one_condition() -> impl Strategy<Value = Condition<ExecutionFilter>> {
    use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
    let membership = prop_oneof![Just(Membership::Any), Just(Membership::None)];
    let comparison =
        proptest::sample::select(vec![Equal, NotEqual, Greater, GreaterOrEqual, Less, LessOrEqual]);
    prop_oneof![
        (membership, vec(0_i16..4, 1..3)).prop_map(|(membership, codes)| {
            Condition::Is(ExecutionFilter::State, Test::Codes(membership, codes))
        }),
        (comparison, -128_i64..128, any::<bool>())
            .prop_map(|(comparison, at, moves)| time(comparison, at, moves)),
    ]
}

fn condition() -> impl Strategy<Value = Condition<ExecutionFilter>> {
    let any = vec(one_condition(), 0..3).prop_map(Condition::Any);
    vec(prop_oneof![4 => one_condition(), 1 => any], 0..4).prop_map(Condition::All)
}

fn query() -> impl Strategy<Value = Query<ExecutionList>> {
    let property = proptest::sample::select(vec![
        ExecutionSort::Id,
        ExecutionSort::Name,
        ExecutionSort::StartAt,
        // Not kept in memory.
        ExecutionSort::State,
    ]);
    let direction = prop_oneof![Just(Direction::Ascending), Just(Direction::Descending)];
    let sort = (property, direction).prop_map(|(property, direction)| Sort { property, direction });
    (condition(), vec(sort, 0..2), 0_u32..60, prop_oneof![Just(0), 0_u64..900]).prop_map(
        |(condition, sort, limit, offset)| Query {
            sort,
            page: Page { limit, offset },
            ..Query::of(condition, Timestamp::from_millis(0).unwrap())
        },
    )
}

/// The name, the start and the state of a row.
type Values = (u8, i8, i16);

/// A change of some rows: `None` removes them.
fn change() -> impl Strategy<Value = Vec<(u32, Option<Values>)>> {
    let values = proptest::option::weighted(0.8, (0_u8..9, any::<i8>(), 0_i16..4));
    prop_oneof![vec((0_u32..1_500, values.clone()), 1..4), vec((0_u32..3_000, values), 500..700)]
}

/// A limit of the memory that everything fits in.
const LARGE: u64 = 1 << 20;

/// Ids in another order than rows.
fn id(row: u32) -> u16 {
    u16::try_from(row * 7_919 % 65_521).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn pages_are_those_of_their_state(
        first in vec((0_u8..9, any::<i8>(), 0_i16..4), 0..1_500),
        changes in vec(change(), 0..6),
        queries in vec((query(), 0_usize..3), 1..40),
        limit in prop_oneof![Just(0), 0_u64..30_000, Just(LARGE)],
    ) {
        let row = |number, (name, start, state)| Row { id: id(number), name, start, state };
        let table: Data = (0..).zip(first).map(|(number, values)| (number, row(number, values))).collect();
        let mut states = vec![table];
        for change in changes {
            let mut table = states.last().unwrap().clone();
            for (number, values) in change {
                match values {
                    Some(values) => drop(table.insert(number, row(number, values))),
                    None => drop(table.remove(&number)),
                }
            }
            states.push(table);
        }
        let memory = Memory::new(|_: &Asked| 100, limit);
        let count = queries.len();
        let mut latest = 0;
        for (number, (query, before)) in queries.into_iter().enumerate() {
            // Later and later states, and sometimes an earlier one again.
            let at = (number * states.len() / count).saturating_sub(before);
            let model = Model { states: &states, at };
            let size = model.data().len();
            let (ids, total) = expected(model.data(), &query);
            match memory.page(model, at, &TableQuery::from(query.clone())).now_or_never().unwrap().unwrap() {
                None => prop_assert!(size > 1_200 || at < latest || limit < LARGE),
                Some(FoundPage::Many { total: found }) => {
                    prop_assert_eq!(found, total);
                    prop_assert!(query.sort.iter().any(|by| by.property == ExecutionSort::State));
                    prop_assert!(found > 300);
                }
                Some(FoundPage::Rows { total: found, rows, is_sorted, page: among }) => {
                    prop_assert_eq!(found, total);
                    let mut rows: Vec<_> =
                        rows.iter().map(|number| states[at][number].clone()).collect();
                    if !is_sorted {
                        sort(&mut rows, &query);
                    }
                    prop_assert_eq!(page(&rows, among), ids, "{:?}", query);
                }
            }
            prop_assert!(memory.size() <= limit);
            latest = latest.max(at);
        }
    }
}

#[test]
fn nothing_is_kept_for_a_test_that_moves_with_the_clock() {
    let row =
        |row: u32| Row { id: id(row), name: 0, start: 0, state: i16::from(row.is_multiple_of(59)) };
    let states = [(0..1_180).map(|number| (number, row(number))).collect::<Data>()];
    let memory = Memory::new(|_: &Asked| 100, LARGE);
    let found = |at| {
        let state = Test::Codes(Membership::Any, vec![0]);
        let waits = Condition::Is(ExecutionFilter::State, state);
        let waits = Condition::All(vec![waits, time(Comparison::Less, at, true)]);
        let query = Query::<ExecutionList> {
            page: Page { limit: 0, offset: 0 },
            ..Query::of(Condition::Any(vec![waits]), Timestamp::from_millis(at).unwrap())
        };
        let model = Model { states: &states, at: 0 };
        match memory.page(model, 0, &TableQuery::from(query)).now_or_never().unwrap() {
            Ok(Some(FoundPage::Rows { total, .. })) => total,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(found(0), 0);
    let kept = memory.size();
    assert_eq!((1..50).map(found).collect::<Vec<_>>(), vec![1_160; 49]);
    assert_eq!((memory.size(), memory.requested.iter().count()), (kept, 0));
}

#[test]
fn an_order_is_made_after_the_answer_to_the_request_that_needs_it_first() {
    let row = |row: u32| {
        let state = if row < 10 { 2 } else { i16::from(row < 1_100) };
        Row { id: id(row), name: 0, start: 0, state }
    };
    let states = [(0..1_180).map(|number| (number, row(number))).collect::<Data>()];
    let model = || Model { states: &states, at: 0 };
    let memory = Memory::new(|_: &Asked| 100, LARGE);
    let list = |state, property, page| {
        TableQuery::from(Query::<ExecutionList> {
            sort: vec![Sort { property, direction: Direction::Ascending }],
            page,
            ..Query::of(
                Condition::Is(ExecutionFilter::State, Test::Codes(Membership::Any, vec![state])),
                Timestamp::from_millis(0).unwrap(),
            )
        })
    };
    let source =
        |query: &TableQuery| memory.source(&mut model(), query).now_or_never().unwrap().unwrap();
    let begin = |query: &TableQuery| match source(query) {
        Source::Table(making) => Some(making.expect("none is made at this time")),
        Source::Memory => None,
    };
    let make = |query: &TableQuery, making| {
        memory.make(model(), 0, query, making).now_or_never().unwrap().unwrap();
    };
    let near = Page { limit: 50, offset: 950 };
    let first = list(1, ExecutionSort::Name, near);
    let making = begin(&first).expect("the first request");
    let other = list(1, ExecutionSort::StartAt, near);
    for query in [&first, &other] {
        assert!(matches!(source(query), Source::Table(None)), "one at a time, others do not wait");
    }
    make(&first, making);
    assert!(memory.orders.size() > 0, "it is made");
    let others = list(0, ExecutionSort::Name, near);
    assert!(begin(&others).is_none(), "the order is in memory");
    let few = list(2, ExecutionSort::StartAt, near);
    drop(begin(&few).expect("another order"));
    let making = begin(&few).expect("it was not made");
    make(&few, making);
    assert!(begin(&few).is_none(), "it needs no order");
    let far = Page { limit: 50, offset: 951 };
    assert!(begin(&list(1, ExecutionSort::StartAt, far)).is_none(), "far from the start");
    let count = Page { limit: 0, offset: 0 };
    assert!(begin(&list(1, ExecutionSort::StartAt, count)).is_none(), "a total needs no order");
    let condition = Condition::Is(
        ExecutionFilter::StartAt,
        Test::Clock(Comparison::Less, Timestamp::from_millis(0).unwrap()),
    );
    let late = TableQuery::from(Query::<ExecutionList> {
        page: count,
        ..Query::of(condition, Timestamp::from_millis(0).unwrap())
    });
    assert!(begin(&late).is_some(), "a time is compared by its order");
    let off = Memory::new(|_: &Asked| 100, 0);
    let kept = off.source(&mut model(), &first).now_or_never().unwrap().unwrap();
    assert!(matches!(kept, Source::Memory), "nothing is kept");
}
