//! [`Get`], [`Create`], [`Update`] and [`Delete`]: each case runs for each kind of record that has
//! the trait.

mod kind;
mod lookup;

use std::{iter::successors, sync::mpsc::channel};

use patrol_domain::{
    Create, Delete, Edit, EditError, Existing, Fault, Get, Identified, Make, New, References,
    Refusal, Rule, Target, Update, Version, Versioned, data_set::Record,
};

pub use kind::{
    CheckList, CheckListAction, GraphicPlan, Kind, Location, Medium, Point, ScheduledTask,
    TaskExecution, Token, User,
};

use self::kind::stored;
pub(crate) use self::lookup::{fill_named, named};
use crate::{
    Adapter, Ports,
    listing::{everything, read},
    sample::{by, exported, task_id},
};

/// A creation without references.
pub(crate) fn new<T>(make: impl Fn() -> Result<T, Refusal> + Send + Sync + 'static) -> New<T> {
    New { references: References::default(), make: Box::new(move |_| make()) }
}

/// A change without references.
pub(crate) fn edit<T: Identified>(
    id: T::Id,
    change: impl Fn(&T) -> Result<Option<T>, Refusal> + Send + Sync + 'static,
) -> Edit<T> {
    Edit {
        at: Target::any_version(id),
        references: References::default(),
        change: Box::new(move |old, _: &Existing| change(old)),
    }
}

/// A change to `new`, whatever the record is.
pub(crate) fn becoming<K: Kind>(new: K) -> Edit<K> {
    edit(new.id(), move |_| Ok(Some(new.clone())))
}

/// The change, when the record has this version.
fn of_version<T: Identified>(expected: Option<Version>, edit: Edit<T>) -> Edit<T> {
    Edit { at: Target { expected, ..edit.at }, ..edit }
}

/// The record without its version.
pub(crate) fn record<T>(versioned: Versioned<T>) -> T {
    versioned.record
}

/// The record with this id, without its version.
pub(crate) async fn found<K: Kind>(ports: &Ports, id: K::Id) -> Option<K>
where
    K::Port: Get<K>,
{
    K::port(ports).get(id).await.expect("a read").map(record)
}

/// The text of the record gets longer by `x`.
fn extended<K: Kind>(id: K::Id) -> Edit<K> {
    edit(id, |old: &K| {
        let mut new = old.clone();
        new.text().push('x');
        Ok(Some(new))
    })
}

/// The record and its version.
async fn current<K: Kind>(ports: &Ports, id: K::Id) -> Versioned<K>
where
    K::Port: Update<K>,
{
    K::port(ports).update(edit(id, |_| Ok(None)), by()).await.expect("the record")
}

/// All that a change may leave: the records, the newest event, the length of the history of points,
/// and the tokens.
async fn state(ports: &Ports) -> (Vec<Record>, i64, u64, Vec<Token>) {
    let newest = ports.events.newest().await.expect("a position");
    let (_, history) = read(ports.point_history.list(everything())).await;
    let (tokens, _) = read(ports.tokens.list(everything())).await;
    (exported(ports).await, newest, history, tokens)
}

/// The version after a change.
const fn next<K: Kind>(version: Version) -> Version {
    if K::HAS_VERSIONS { Version(version.0 + 1) } else { Version::NONE }
}

fn refusals() -> [Refusal; 3] {
    let fault = Fault { identifier: "qrCode".to_owned(), rule: Rule::Unique };
    [Refusal::Denied, Refusal::State("state".to_owned()), Refusal::Invalid(vec![fault])]
}

/// Versions that no sample record has.
const OTHERS: [Version; 2] = [Version(-1), Version(1_000)];

/// Every member is read as it was stored, lists in their order.
pub async fn a_stored_record_is_found<A: Adapter, K: Kind>(adapter: &A)
where
    K::Port: Get<K>,
{
    let ports = adapter.fresh().await;
    let stored: K = stored(&ports).await;
    assert_eq!(found(&ports, stored.id()).await, Some(stored));
}

/// A missing record is `None`, not an error.
pub async fn a_missing_record_is_none<A: Adapter, K: Kind>(adapter: &A)
where
    K::Port: Get<K>,
{
    let ports = adapter.fresh().await;
    stored::<K>(&ports).await;
    let port = K::port(&ports);
    assert_eq!(port.get(K::sample(12).id()).await, Ok(None));
}

/// Every member of a new record is stored, under a version that comes from the time.
pub async fn a_new_record_is_stored<A: Adapter, K: Kind>(adapter: &A)
where
    K::Port: Get<K> + Create<K>,
{
    let ports = adapter.fresh().await;
    let before: K = stored(&ports).await;
    let (record, port) = (K::sample(12), K::port(&ports));
    let made = record.clone();
    assert_eq!(port.create(new(move || Ok(made.clone())), by()).await, Ok(record.clone()));
    let version = if K::HAS_VERSIONS { Version::of_new(by().at) } else { Version::NONE };
    assert_eq!(port.get(record.id()).await, Ok(Some(Versioned { record, version })));
    assert_eq!(found(&ports, before.id()).await, Some(before));
}

/// A creation gets the lookup: which of the named records exist, and which records have the named
/// values.
pub async fn a_creation_gets_the_lookup<A: Adapter, K: Kind>(adapter: &A)
where
    K::Port: Create<K>,
{
    let ports = adapter.fresh().await;
    fill_named(&ports).await;
    let (port, all) = (K::port(&ports), named());
    let no_plan = References::default().with_plan(Some(task_id(99)));
    for (references, known) in [all, Default::default(), (no_plan, Existing::default())] {
        let (teller, given) = channel();
        let make: Make<K> = Box::new(move |existing| {
            teller.send(existing.clone()).expect("a listener");
            Err(Refusal::Denied)
        });
        let refused = port.create(New { references, make }, by()).await;
        assert_eq!(refused, Err(EditError::Refused(Refusal::Denied)));
        assert_eq!(given.recv(), Ok(known));
    }
}

/// `Refused` with the refusal of the creation; nothing is stored or recorded.
pub async fn a_refused_record_leaves_nothing<A: Adapter, K: Kind>(adapter: &A)
where
    K::Port: Create<K>,
{
    let ports = adapter.fresh().await;
    stored::<K>(&ports).await;
    let (before, port) = (state(&ports).await, K::port(&ports));
    for refusal in refusals() {
        let said = refusal.clone();
        let created = port.create(new(move || Err(said.clone())), by()).await;
        assert_eq!(created, Err(EditError::Refused(refusal)));
    }
    assert_eq!(state(&ports).await, before);
}

/// All new records are stored like one, each with an event, and returned in their order; none after a
/// refusal.
pub async fn new_records_are_stored_together_or_not_at_all<A: Adapter, K: Kind>(adapter: &A)
where
    K::Port: Get<K> + Create<K>,
{
    let ports = adapter.fresh().await;
    stored::<K>(&ports).await;
    let (before, port) = (state(&ports).await, K::port(&ports));
    for refusal in refusals() {
        let said = refusal.clone();
        let created = port.create_all(new(move || Err(said.clone())), by()).await;
        assert_eq!(created, Err(EditError::Refused(refusal)));
    }
    assert_eq!(port.create_all(new(|| Ok(Vec::new())), by()).await, Ok(Vec::new()));
    assert_eq!(state(&ports).await, before);
    let records = vec![K::sample(13), K::sample(12)];
    let made = records.clone();
    assert_eq!(port.create_all(new(move || Ok(made.clone())), by()).await, Ok(records.clone()));
    let version = if K::HAS_VERSIONS { Version::of_new(by().at) } else { Version::NONE };
    for record in records {
        assert_eq!(port.get(record.id()).await, Ok(Some(Versioned { record, version })));
    }
    let (_, newest, ..) = state(&ports).await;
    assert!(newest >= before.1 + 2, "{newest}");
}

/// The result of the change is stored under the next version, and returned. The store accepts the
/// version of the last result, and appends an event to the log.
pub async fn an_update_is_stored_under_the_next_version<A: Adapter, K: Kind>(adapter: &A)
where
    K::Port: Update<K>,
{
    let ports = adapter.fresh().await;
    let mut wanted: K = stored(&ports).await;
    let (id, port) = (wanted.id(), K::port(&ports));
    let mut last = current::<K>(&ports, id).await;
    assert_eq!(last.record, wanted);
    for _ in 0..2 {
        wanted.text().push('x');
        let (_, newest, ..) = state(&ports).await;
        let updated =
            port.update(of_version(Some(last.version), extended(id)), by()).await.unwrap();
        let version = next::<K>(last.version);
        assert_eq!(updated, Versioned { record: wanted.clone(), version });
        assert_eq!(current::<K>(&ports, id).await, updated);
        assert!(state(&ports).await.1 > newest);
        last = updated;
    }
}

/// A change gets the stored record and the lookup: which of the named records exist, and which
/// records have the named values.
pub async fn a_change_gets_the_lookup<A: Adapter, K: Kind>(adapter: &A)
where
    K::Port: Update<K>,
{
    let ports = adapter.fresh().await;
    fill_named(&ports).await;
    let stored = K::sample(11);
    stored.store(&ports).await;
    let (port, all) = (K::port(&ports), named());
    for (references, known) in [all, Default::default()] {
        let (teller, given) = channel();
        let change = move |old: &K, existing: &Existing| {
            teller.send((old.clone(), existing.clone())).expect("a listener");
            Err(Refusal::Denied)
        };
        let at = Target::any_version(stored.id());
        let edit = Edit { at, references, change: Box::new(change) };
        let refused = port.update(edit, by()).await;
        assert_eq!(refused, Err(EditError::Refused(Refusal::Denied)));
        assert_eq!(given.recv(), Ok((stored.clone(), known)));
    }
}

/// Nothing is stored or recorded when the change returns `None`, and when it refuses.
pub async fn a_change_that_is_none_or_refused_leaves_nothing<A: Adapter, K: Kind>(adapter: &A)
where
    K::Port: Update<K>,
{
    let ports = adapter.fresh().await;
    let stored: K = stored(&ports).await;
    let (id, port) = (stored.id(), K::port(&ports));
    let (found, before) = (current::<K>(&ports, id).await, state(&ports).await);
    assert_eq!(found.record, stored);
    assert_eq!(current::<K>(&ports, id).await, found);
    for refusal in refusals() {
        let said = refusal.clone();
        let updated = port.update(edit(id, move |_| Err(said.clone())), by()).await;
        assert_eq!(updated, Err(EditError::Refused(refusal)));
    }
    assert_eq!(current::<K>(&ports, id).await, found);
    assert_eq!(state(&ports).await, before);
}

/// `Missing` when the record does not exist; nothing is stored or recorded.
pub async fn an_update_of_a_missing_record_is_missing<A: Adapter, K: Kind>(adapter: &A)
where
    K::Port: Update<K>,
{
    let ports = adapter.fresh().await;
    stored::<K>(&ports).await;
    let (before, port) = (state(&ports).await, K::port(&ports));
    for expected in [None, Some(Version::NONE), Some(Version::FIRST)] {
        let missing = K::sample(13);
        let updated = port.update(of_version(expected, becoming(missing)), by()).await;
        assert_eq!(updated, Err(EditError::Missing));
    }
    assert_eq!(state(&ports).await, before);
}

/// `Stale` when the expected version differs; nothing is stored or recorded.
pub async fn an_update_of_another_version_is_stale<A: Adapter, K: Kind>(adapter: &A)
where
    K::Port: Update<K>,
{
    let ports = adapter.fresh().await;
    let stored: K = stored(&ports).await;
    let (id, port) = (stored.id(), K::port(&ports));
    let first = current::<K>(&ports, id).await.version;
    let second = port.update(of_version(Some(first), extended(id)), by()).await.unwrap().version;
    let (before, earlier) = (state(&ports).await, (first != second).then_some(first));
    for stale in OTHERS.into_iter().chain([Version(second.0 + 1)]).chain(earlier) {
        let updated = port.update(of_version(Some(stale), extended(id)), by()).await;
        assert_eq!(updated, Err(EditError::Stale));
    }
    assert_eq!(state(&ports).await, before);
}

/// Concurrent changes of one record run one after another: all are stored, each under its own
/// version for a kind with versions.
pub async fn updates_of_one_record_wait_for_each_other<A: Adapter, K: Kind>(adapter: &A)
where
    K::Port: Update<K>,
{
    const WRITERS: usize = 100;
    let ports = adapter.fresh().await;
    let mut wanted: K = stored(&ports).await;
    let id = wanted.id();
    let before = current::<K>(&ports, id).await.version;
    let writers = (0..WRITERS).map(|_| {
        let port = K::port(&ports).clone();
        tokio::spawn(async move { port.update(extended(id), by()).await })
    });
    let mut versions = Vec::new();
    for writer in writers.collect::<Vec<_>>() {
        versions.push(writer.await.expect("a writer").expect("an update").version);
    }
    versions.sort_unstable();
    let next = |version: &Version| Some(next::<K>(*version));
    let all: Vec<_> = successors(next(&before), next).take(WRITERS).collect();
    assert_eq!(versions, all);
    wanted.text().push_str(&"x".repeat(WRITERS));
    assert_eq!(current::<K>(&ports, id).await.record, wanted);
}

/// A deleted record stays deleted, and other records stay.
pub async fn a_deleted_record_is_missing<A: Adapter, K: Kind>(adapter: &A)
where
    K::Port: Delete<K>,
{
    let ports = adapter.fresh().await;
    let stored: K = stored(&ports).await;
    let (id, port) = (stored.id(), K::port(&ports));
    let (_, newest, ..) = state(&ports).await;
    assert_eq!(port.delete(Target::any_version(id), by()).await, Ok(()));
    let after = state(&ports).await;
    assert!(after.1 > newest);
    for expected in [None, Some(Version::NONE), Some(Version::FIRST)] {
        assert_eq!(port.delete(Target { id, expected }, by()).await, Err(EditError::Missing));
    }
    assert_eq!(state(&ports).await, after);
}

/// `Missing` when the record never existed; nothing is removed or recorded.
pub async fn a_delete_of_a_missing_record_is_missing<A: Adapter, K: Kind>(adapter: &A)
where
    K::Port: Delete<K>,
{
    let ports = adapter.fresh().await;
    stored::<K>(&ports).await;
    let (before, port) = (state(&ports).await, K::port(&ports));
    let deleted = port.delete(Target::any_version(K::sample(13).id()), by()).await;
    assert_eq!(deleted, Err(EditError::Missing));
    assert_eq!(state(&ports).await, before);
}

/// `Stale` when the expected version differs; nothing is removed or recorded.
pub async fn a_delete_of_another_version_is_stale<A: Adapter, K: Kind>(adapter: &A)
where
    K::Port: Delete<K>,
{
    let ports = adapter.fresh().await;
    let stored: K = stored(&ports).await;
    let (before, port) = (state(&ports).await, K::port(&ports));
    for other in OTHERS {
        let deleted = port.delete(Target { id: stored.id(), expected: Some(other) }, by()).await;
        assert_eq!(deleted, Err(EditError::Stale));
    }
    assert_eq!(state(&ports).await, before);
}
