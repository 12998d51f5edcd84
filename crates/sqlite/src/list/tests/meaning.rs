//! Compares the SQL with a second implementation of the domain's conditions.

use std::cmp::Ordering;

use patrol_domain::list::{Comparison, Condition, Direction, Membership, Page, Query, Sort, Test};
use proptest::{prelude::*, sample::select};
use uuid::Uuid;

use super::{Property, Thing, Things, Trial, time, uuid};

pub(super) fn list(things: &[Thing], query: &Query<Things>) -> (Vec<Uuid>, u64) {
    let mut found: Vec<_> = things
        .iter()
        .filter(|thing| meets(thing, &query.condition))
        .filter(|thing| {
            query.search.as_ref().is_none_or(|term| {
                thing.name.contains(term) || thing.tags.iter().any(|tag| tag.contains(term))
            })
        })
        .collect();
    found.sort_by(|a, b| {
        let mut sorts = query.sort.iter().map(|sort| by(sort, a, b, query.now.millis()));
        sorts.find(|order| order.is_ne()).unwrap_or(a.id.cmp(&b.id))
    });
    let total = u64::try_from(found.len()).unwrap();
    let size = |number: u64| usize::try_from(number).unwrap();
    let Page { limit, offset } = query.page;
    let page = found.iter().skip(size(offset)).take(size(u64::from(limit)));
    (page.map(|thing| thing.id).collect(), total)
}

fn by(sort: &Sort<Property>, a: &Thing, b: &Thing, now: i64) -> Ordering {
    fn nulls_last<T: Ord>(direction: Direction, a: Option<T>, b: Option<T>) -> Ordering {
        match (a, b) {
            (Some(a), Some(b)) if direction == Direction::Descending => b.cmp(&a),
            (Some(a), Some(b)) => a.cmp(&b),
            (a, b) => a.is_none().cmp(&b.is_none()),
        }
    }
    let direction = sort.direction;
    match sort.property {
        Property::Name => nulls_last(direction, Some(&a.name), Some(&b.name)),
        Property::Owner => nulls_last(direction, a.owner, b.owner),
        Property::Rank => nulls_last(direction, a.rank, b.rank),
        Property::At => nulls_last(direction, a.at, b.at),
        Property::Distance => {
            let age = |thing: &Thing| Some((now - thing.at.unwrap_or(now)).abs());
            nulls_last(direction, age(a), age(b))
        }
        Property::Tags | Property::Users => nulls_last(direction, Some(a.id), Some(b.id)),
    }
}

fn meets(thing: &Thing, condition: &Condition<Property>) -> bool {
    match condition {
        Condition::All(all) => all.iter().all(|one| meets(thing, one)),
        Condition::Any(any) => any.iter().any(|one| meets(thing, one)),
        Condition::Is(property, test) => passes(thing, *property, test),
    }
}

fn passes(thing: &Thing, property: Property, test: &Test) -> bool {
    fn among<T: PartialEq>(membership: Membership, own: &[T], values: &[T]) -> bool {
        let any = own.iter().any(|value| values.contains(value));
        any == (membership == Membership::Any)
    }
    match test {
        Test::Contains(term) => thing.name.contains(term),
        Test::Text(membership, values) | Test::Exact(membership, values) => {
            among(*membership, std::slice::from_ref(&thing.name), values)
        }
        Test::Tags(membership, values) => among(*membership, &thing.tags, values),
        Test::Ids(membership, values) => {
            let mut own = Vec::from_iter(thing.owner);
            if property == Property::Users {
                own.extend(&thing.users);
            }
            among(*membership, &own, values)
        }
        Test::Codes(membership, values) => {
            let values: Vec<_> = values.iter().map(|rank| i64::from(*rank)).collect();
            among(*membership, &Vec::from_iter(thing.rank), &values)
        }
        Test::Flag(flag) => thing.rank == Some(i64::from(*flag)),
        Test::Time(comparison, than) | Test::Clock(comparison, than) => {
            compares(thing.at, *comparison, than.millis())
        }
        Test::Millis(comparison, than) => compares(thing.at, *comparison, *than),
    }
}

fn compares(at: Option<i64>, comparison: Comparison, than: i64) -> bool {
    match (at, comparison) {
        (at, Comparison::NotEqual) => at != Some(than),
        (None, _) => false,
        (Some(at), Comparison::Equal) => at == than,
        (Some(at), Comparison::Greater) => at > than,
        (Some(at), Comparison::GreaterOrEqual) => at >= than,
        (Some(at), Comparison::Less) => at < than,
        (Some(at), Comparison::LessOrEqual) => at <= than,
    }
}

/// Stored texts, which never contain U+0000.
fn some_text() -> impl Strategy<Value = String> {
    select(vec!["", "a", "b", "ab", "%", "_", "a%b", "'", "\\", "ж", "аж", "😀"])
        .prop_map(str::to_owned)
}

/// Search terms with any characters.
fn some_term() -> impl Strategy<Value = String> {
    prop_oneof![9 => some_text(), 1 => select(vec!["\0", "a\0b"]).prop_map(str::to_owned)]
}

fn some_id() -> impl Strategy<Value = Uuid> {
    (0_u128..4).prop_map(uuid)
}

fn some_thing() -> impl Strategy<Value = Thing> {
    let number = || prop::option::of(-1_i64..4);
    let tags = prop::collection::btree_set(some_text(), 0..3);
    let users = prop::collection::btree_set(some_id(), 0..3);
    (some_text(), prop::option::of(some_id()), number(), number(), tags, users).prop_map(
        |(name, owner, rank, at, tags, users)| Thing {
            id: Uuid::nil(),
            name,
            owner,
            rank,
            at,
            tags: tags.into_iter().collect(),
            users: users.into_iter().collect(),
        },
    )
}

fn some_test() -> impl Strategy<Value = Condition<Property>> {
    let among = || select(vec![Membership::Any, Membership::None]);
    let comparison = select(vec![
        Comparison::Equal,
        Comparison::NotEqual,
        Comparison::Greater,
        Comparison::GreaterOrEqual,
        Comparison::Less,
        Comparison::LessOrEqual,
    ]);
    let texts = || prop::collection::vec(some_term(), 0..3);
    let ids = prop::collection::vec(some_id(), 0..3);
    prop_oneof![
        some_term().prop_map(|term| Condition::Is(Property::Name, Test::Contains(term))),
        (among(), texts()).prop_map(|(m, t)| Condition::Is(Property::Name, Test::Text(m, t))),
        (among(), texts()).prop_map(|(m, t)| Condition::Is(Property::Tags, Test::Tags(m, t))),
        (among(), ids, select(vec![Property::Owner, Property::Users]))
            .prop_map(|(m, ids, property)| Condition::Is(property, Test::Ids(m, ids))),
        (among(), prop::collection::vec(-1_i16..4, 0..3))
            .prop_map(|(m, ranks)| Condition::Is(Property::Rank, Test::Codes(m, ranks))),
        any::<bool>().prop_map(|flag| Condition::Is(Property::Rank, Test::Flag(flag))),
        (comparison, -1_i64..4)
            .prop_map(|(c, at)| Condition::Is(Property::At, Test::Time(c, time(at)))),
    ]
}

fn some_query() -> impl Strategy<Value = Query<Things>> {
    let condition = some_test().prop_recursive(3, 12, 4, |inner| {
        let some = || prop::collection::vec(inner.clone(), 0..4);
        prop_oneof![some().prop_map(Condition::All), some().prop_map(Condition::Any)]
    });
    let property = select(vec![
        Property::Name,
        Property::Owner,
        Property::Rank,
        Property::At,
        Property::Distance,
        Property::Users,
    ]);
    let direction = select(vec![Direction::Ascending, Direction::Descending]);
    let sort = (property, direction).prop_map(|(property, direction)| Sort { property, direction });
    let limit = prop_oneof![0_u32..8, Just(1000), Just(1001), Just(200_000), Just(Page::MAX_LIMIT)];
    let offset = prop_oneof![Just(0), 0_u64..8, Just(Page::MAX_OFFSET)];
    let search = prop::option::weighted(0.3, some_term());
    (condition, search, prop::collection::vec(sort, 0..3), limit, offset).prop_map(
        |(condition, search, sort, limit, offset)| Query {
            search,
            sort,
            page: Page { limit, offset },
            ..Query::of(condition, time(2))
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn sql_conditions_mean_the_same_as_in_the_domain(
        mut things in prop::collection::vec(some_thing(), 0..20),
        queries in prop::collection::vec(some_query(), 40),
    ) {
        // Ids are not in the order of insertion.
        for (at, thing) in (0_u128..).zip(&mut things) {
            thing.id = uuid((at * 7) % 20 + 100);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let trial = Trial::new(things.clone()).await;
            for query in queries {
                let found = trial.list(query.clone()).await;
                prop_assert_eq!(found, list(&things, &query), "{:?}", query);
            }
            Ok(())
        })?;
    }
}
