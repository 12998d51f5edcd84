//! [`Events`](patrol_domain::event::Events): which changes are events (`changes.rs`), and
//! reading the log.

mod changes;

use std::time::Duration;

use patrol_domain::{
    Edit, Reference, Target, Timestamp,
    data_set::Record,
    event::{Event, EventFilter, EventPage, EventQuery, Origin, RequestId, Resource, of_record},
    ids::{PointId, TaskExecutionId, Uuid},
    list::{Comparison, Condition, Membership, PART_BYTES, Test},
    task_execution::TaskExecution,
};

pub use changes::{
    a_change_of_a_plan_is_an_event_of_its_location_too, a_change_of_a_point_is_an_event,
    a_change_of_a_user_is_an_event_without_the_pin,
    a_change_of_an_action_is_an_event_of_its_check_list, a_change_of_an_execution_is_an_event,
    a_new_and_a_revoked_token_are_events, a_split_is_an_event_of_each_execution,
    an_import_is_one_event, what_changes_nothing_is_no_event,
};

use crate::{
    Adapter, Ports,
    records::edit,
    sample::{
        by, check_list, execution_id, fill, id, import, location_id, plan_id, point_id, time,
        user_id, whole_execution,
    },
};

fn origin(at: i64) -> Origin {
    Origin {
        at: time(at),
        actor: Some(user_id(1)),
        token: Some(id(20, 1)),
        request: RequestId::new(b"request-1"),
        keyed: None,
    }
}

fn renamed(id: TaskExecutionId, name: &str) -> Edit<TaskExecution> {
    let name = name.to_owned();
    edit(id, move |old: &TaskExecution| {
        Ok(Some(TaskExecution { name: name.clone(), ..old.clone() }))
    })
}

async fn page(
    ports: &Ports,
    after: i64,
    limit: u32,
    condition: Condition<EventFilter>,
) -> EventPage {
    ports.events.page(EventQuery { after, limit, condition }).await.expect("a page")
}

fn any() -> Condition<EventFilter> {
    Condition::All(Vec::new())
}

/// All events after this position.
async fn after(ports: &Ports, position: i64) -> Vec<Event> {
    let page = page(ports, position, 1_000, any()).await;
    assert!(!page.more);
    page.events
}

/// A store with records, and the position of its last event.
async fn filled<A: Adapter>(adapter: &A) -> (Ports, i64) {
    let ports = adapter.fresh().await;
    fill(&ports, &[whole_execution(1)]).await;
    let lists = vec![Record::CheckList(check_list(1, &[2, 1]))];
    import(&ports, lists).await.expect("an import");
    let newest = ports.events.newest().await.expect("a position");
    (ports, newest)
}

/// Ten events of two executions by two users at different times, and the position before them.
async fn ten<A: Adapter>(adapter: &A) -> (Ports, i64) {
    let ports = adapter.fresh().await;
    fill(&ports, &[whole_execution(1), whole_execution(2)]).await;
    let before = ports.events.newest().await.unwrap();
    for number in 0..10 {
        let by = Origin {
            actor: Some(user_id(1 + u128::from(number % 3 == 0))),
            ..origin(i64::from(number))
        };
        let of = execution_id(1 + u128::from(number % 2 == 1));
        let name = format!("Round {number}");
        ports.task_executions.update(renamed(of, &name), by).await.unwrap();
    }
    (ports, before)
}

/// The numbers of the events of [`ten`] in a page.
fn numbers(events: &[Event]) -> Vec<i64> {
    events.iter().map(|event| event.at.millis()).collect()
}

/// Pages that continue after `next` show each event once, in order of position.
pub async fn pages_of_events_follow_on_each_other<A: Adapter>(adapter: &A) {
    let (ports, mut last) = ten(adapter).await;
    let (mut seen, mut more) = (Vec::new(), true);
    while more {
        let page = page(&ports, last, 3, any()).await;
        assert!(page.events.len() <= 3 && page.next > last);
        assert!(page.events.is_sorted_by_key(|event| event.position));
        seen.extend(numbers(&page.events));
        (last, more) = (page.next, page.more);
    }
    assert_eq!(seen, Vec::from_iter(0..10));
    let end = page(&ports, last, 3, any()).await;
    assert_eq!(end, EventPage { events: Vec::new(), next: last, more: false });
    assert_eq!(ports.events.newest().await, Ok(last));
    let beyond = page(&ports, last + 1_000, 3, any()).await;
    assert_eq!((beyond.events.len(), beyond.next, beyond.more), (0, last + 1_000, false));
}

/// Each filter selects what it names; `next` also passes events that are filtered out.
pub async fn events_are_filtered<A: Adapter>(adapter: &A) {
    let (ports, last) = ten(adapter).await;
    let newest = ports.events.newest().await.unwrap();
    let is = |filter, test| Condition::Is(filter, test);
    let among = |ids: &[Uuid]| Test::Ids(Membership::Any, ids.to_vec());
    let texts = |text: &str| Test::Text(Membership::Any, vec![text.to_owned()]);
    let later = Test::Time(Comparison::GreaterOrEqual, time(8));
    for (condition, expected) in [
        (is(EventFilter::Type, texts("taskexecution.updated")), Vec::from_iter(0..10)),
        (is(EventFilter::Type, texts("dataset.imported")), vec![]),
        (is(EventFilter::Resource, texts("taskexecution")), Vec::from_iter(0..10)),
        (is(EventFilter::ResourceId, among(&[execution_id(2).0])), vec![1, 3, 5, 7, 9]),
        (is(EventFilter::ResourceId, among(&[point_id(2).0])), vec![]),
        (is(EventFilter::Actor, among(&[user_id(2).0])), vec![0, 3, 6, 9]),
        (is(EventFilter::Actor, among(&[user_id(2).0, user_id(1).0])), Vec::from_iter(0..10)),
        (is(EventFilter::At, later.clone()), vec![8, 9]),
        (
            Condition::All(vec![
                is(EventFilter::At, later),
                is(EventFilter::Actor, among(&[user_id(2).0])),
            ]),
            vec![9],
        ),
    ] {
        let page = page(&ports, last, 1_000, condition.clone()).await;
        assert_eq!(numbers(&page.events), expected, "{condition:?}");
        assert_eq!((page.next, page.more), (newest, false), "{condition:?}");
    }
}

/// A page of large events has about as many bytes as a part of a list, and at least one event.
pub async fn a_page_of_large_events_is_bounded<A: Adapter>(adapter: &A) {
    let (ports, last) = filled(adapter).await;
    let large = |id, letter: &str| {
        let text = Some(letter.repeat(PART_BYTES * 2 / 5));
        edit(id, move |old: &TaskExecution| {
            Ok(Some(TaskExecution { description: text.clone(), ..old.clone() }))
        })
    };
    for letter in ["a", "b", "c"] {
        let of = execution_id(1);
        ports.task_executions.update(large(of, letter), origin(5)).await.unwrap();
    }
    let first = page(&ports, last, 1_000, any()).await;
    assert_eq!((first.events.len(), first.more), (1, true));
    let second = page(&ports, first.next, 1_000, any()).await;
    assert_eq!((second.events.len(), second.more), (1, true));
    let third = page(&ports, second.next, 1_000, any()).await;
    assert_eq!((third.events.len(), third.more), (1, false));
}

/// The events of a record are those of its kind and id.
pub async fn a_record_has_its_own_events<A: Adapter>(adapter: &A) {
    let (ports, last) = filled(adapter).await;
    let of = execution_id(1).0;
    ports.task_executions.delete(Target::any_version(execution_id(1)), by()).await.unwrap();
    let own = page(&ports, last, 9, of_record(Resource::TaskExecution, of)).await;
    assert_eq!(own.events.len(), 1);
    assert_eq!(page(&ports, last, 9, of_record(Resource::Point, of)).await.events, []);
}

/// A record is stored from its creation or import to its deletion, under its own kind and owner.
pub async fn only_existing_records_are_stored<A: Adapter>(adapter: &A) {
    let (ports, _) = filled(adapter).await;
    for (record, stored) in [
        (Reference::from(execution_id(1)), true),
        (point_id(2).into(), true),
        (user_id(3).into(), true),
        (execution_id(99).into(), false),
        (PointId(execution_id(1).0).into(), false),
        (Reference::to_plan(plan_id(1), location_id(1)), true),
        (Reference::to_plan(plan_id(1), location_id(2)), false),
    ] {
        assert_eq!(ports.events.is_stored(record).await, Ok(stored), "{record:?}");
    }
    ports.task_executions.delete(Target::any_version(execution_id(1)), by()).await.unwrap();
    assert_eq!(ports.events.is_stored(execution_id(1).into()).await, Ok(false));
}

/// Old events are deleted, oldest first; the newest one stays.
pub async fn old_events_are_forgotten<A: Adapter>(adapter: &A) {
    let (ports, _) = ten(adapter).await;
    assert_eq!(ports.events.delete_before(time(5)).await, Ok(6));
    assert_eq!(numbers(&after(&ports, 0).await), [5, 6, 7, 8, 9]);
    assert_eq!(ports.events.delete_before(time(5)).await, Ok(0));
    assert_eq!(ports.events.delete_before(Timestamp::LAST).await, Ok(4));
    assert_eq!(ports.events.delete_before(Timestamp::LAST).await, Ok(0));
    assert_eq!(numbers(&after(&ports, 0).await), [9]);
    let newest = ports.events.newest().await.unwrap();
    ports.task_executions.update(renamed(execution_id(1), "x"), by()).await.unwrap();
    assert!(ports.events.newest().await.unwrap() > newest);
}

/// The size tells the bytes of the database, and the first and the last event that are stored.
pub async fn the_size_of_the_store_names_its_oldest_and_newest_event<A: Adapter>(adapter: &A) {
    let empty = adapter.fresh().await.measured.measure().await.unwrap();
    assert!(empty.bytes > 0, "{empty:?}");
    assert_eq!(empty.events, None);
    let (ports, _) = ten(adapter).await;
    let all = ports.measured.measure().await.unwrap().events.unwrap();
    assert_eq!(Ok(all.last), ports.events.newest().await);
    assert!(all.last - all.first >= 9, "{all:?}");
    assert_eq!(ports.events.delete_before(time(5)).await, Ok(6));
    let rest = ports.measured.measure().await.unwrap().events.unwrap();
    assert_eq!((rest.last, rest.oldest), (all.last, time(5)));
    assert!(rest.first > all.first, "{rest:?}");
}

/// Who reads on from `next` gets every event exactly once while 64 writers change records.
pub async fn a_follower_misses_no_event<A: Adapter>(adapter: &A) {
    const WRITERS: u128 = 64;
    const CHANGES: usize = 12;
    let ports = adapter.fresh().await;
    let executions: Vec<_> = (1..=WRITERS).map(whole_execution).collect();
    fill(&ports, &executions).await;
    let mut last = ports.events.newest().await.unwrap();
    let writers = (1..=WRITERS).map(|number| {
        let ports = ports.clone();
        tokio::spawn(async move {
            for change in 0..CHANGES {
                let request = RequestId::new(format!("{number}.{change}").as_bytes());
                let by = Origin { request, ..by() };
                let name = format!("{number} {change}");
                let executions = &ports.task_executions;
                executions.update(renamed(execution_id(number), &name), by).await.unwrap();
            }
        })
    });
    let writers: Vec<_> = writers.collect();
    let mut seen = Vec::new();
    loop {
        let is_over = writers.iter().all(tokio::task::JoinHandle::is_finished);
        let page = page(&ports, last, 50, any()).await;
        let is_end = page.events.is_empty() && !page.more;
        for event in &page.events {
            assert!(event.position > last, "{event:?} comes again");
            last = event.position;
            seen.push(event.request.unwrap().as_str().to_owned());
        }
        last = page.next;
        if is_end && is_over {
            break;
        }
        if is_end {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
    for writer in writers {
        writer.await.unwrap();
    }
    let mut expected: Vec<_> = (1..=WRITERS)
        .flat_map(|number| (0..CHANGES).map(move |change| format!("{number}.{change}")))
        .collect();
    expected.sort_unstable();
    seen.sort_unstable();
    assert_eq!(seen, expected);
}
