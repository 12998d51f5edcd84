//! Points and their history.

use std::collections::HashMap;

use futures_util::StreamExt;
use patrol_domain::{
    Drafted as _, Edit, EditError, Fault, Limits, New, Refusal, Rule, Rules, StoreError, Target,
    Timestamp,
    data_set::Record,
    event::Origin,
    ids::{LocationId, PointId},
    list::{Condition, Direction, Membership, PART_BYTES, Page, Query, Sort, Test},
    point::{HistoryFilter, HistoryList, HistoryRecord, HistorySort, Operation, Point, PointDraft},
    task_execution::ExecutionFilter,
};

use crate::{
    Adapter, Ports,
    arbitrary::{self, Happening},
    listing::{everything, meeting, read},
    records::{self, becoming, edit, found, record},
    sample::{
        execution_id, fill, import, location_id, places, point, point_id, time, whole_execution,
        whole_point,
    },
};

/// A store with the locations and plans of the world and no points.
async fn fresh<A: Adapter>(adapter: &A) -> Ports {
    let ports = adapter.fresh().await;
    import(&ports, places()).await.expect("an import");
    ports
}

/// A new point that is not refused.
fn new(point: Point) -> New<Point> {
    records::new(move || Ok(point.clone()))
}

fn rules() -> Rules {
    Rules { limits: Limits::default(), is_email: |_| true }
}

fn draft(code: &str) -> PointDraft {
    PointDraft {
        location_id: Some(location_id(1)),
        name: Some("Gate".to_owned()),
        kind: Some("QR".to_owned()),
        qr_code: Some(code.to_owned()),
        ..PointDraft::default()
    }
}

/// A new point that the domain checks.
fn drafted(id: PointId, draft: PointDraft) -> New<Point> {
    New {
        references: Point::references(&draft, &rules().limits),
        make: Box::new(move |existing| draft.check(id, Some(existing), &rules())),
    }
}

/// A replacement that the domain checks.
fn redrafted(id: PointId, draft: PointDraft) -> Edit<Point> {
    Edit {
        at: Target::any_version(id),
        references: Point::references(&draft, &rules().limits),
        change: Box::new(move |point: &Point, existing| {
            draft.check(point.id, Some(existing), &rules()).map(Some)
        }),
    }
}

/// The history, oldest first.
async fn history(ports: &Ports) -> Vec<HistoryRecord> {
    let sort = Sort { property: HistorySort::HistoryId, direction: Direction::Ascending };
    read(ports.point_history.list(Query { sort: vec![sort], ..everything() })).await.0
}

fn without_ids(history: Vec<HistoryRecord>) -> Vec<(Operation, Timestamp, Point)> {
    let told = |record: HistoryRecord| (record.operation, record.recorded_at, record.point);
    history.into_iter().map(told).collect()
}

/// A page above the memory bound fails, and the same query in parts succeeds.
pub async fn a_page_that_takes_much_memory_is_read_in_parts<A: Adapter>(adapter: &A) {
    let ports = fresh(adapter).await;
    let text = "x".repeat(PART_BYTES / 8);
    for number in 1..=10 {
        let point = Point { tags: vec![text.clone()], ..point(number, 1) };
        ports.points.create(new(point), Origin::of_program(time(0))).await.expect("a point");
    }
    let page = Page { limit: 10, offset: 0 };
    let query = |in_parts| Query::<HistoryList> { page, in_parts, ..everything() };
    let whole: Vec<_> = ports.point_history.list(query(false)).collect().await;
    assert_eq!(whole, [Err(StoreError::PageTooLarge)]);
    let (records, total) = read(ports.point_history.list(query(true))).await;
    assert_eq!((records.len(), total), (10, 10));
}

/// Executes the changes in a store without points, and returns the history, which MUST contain
/// them.
pub(crate) async fn happen(ports: &Ports, happenings: &[Happening]) -> Vec<HistoryRecord> {
    let mut points = HashMap::new();
    let mut told = Vec::new();
    for Happening { point, at, otherwise } in happenings.iter().cloned() {
        let (id, there) = (point.id, points.remove(&point.id));
        let operation = match (&there, otherwise) {
            (None, false) => {
                ports
                    .points
                    .create(new(point.clone()), Origin::of_program(at))
                    .await
                    .expect("a point");
                Operation::Create
            }
            (None, true) => {
                let lines = [Ok((1, Record::Point(Box::new(point.clone()))))];
                let lines = Box::new(lines.into_iter());
                ports.data_sets.import(lines, Origin::of_program(at)).await.expect("an import");
                Operation::Create
            }
            (Some(_), false) => {
                ports
                    .points
                    .update(becoming(point.clone()), Origin::of_program(at))
                    .await
                    .expect("an update");
                Operation::Update
            }
            (Some(_), true) => {
                ports
                    .points
                    .delete(Target::any_version(id), Origin::of_program(at))
                    .await
                    .expect("a delete");
                Operation::Delete
            }
        };
        let last = there.filter(|_| operation == Operation::Delete);
        if last.is_none() {
            points.insert(id, point.clone());
        }
        told.push((operation, at, last.unwrap_or(point)));
    }
    let history = history(ports).await;
    assert!(history.is_sorted_by_key(|record| record.history_id));
    assert_eq!(without_ids(history.clone()), told);
    for number in 1..=crate::sample::MANY {
        let id = point_id(number);
        assert_eq!(found::<Point>(ports, id).await, points.remove(&id));
    }
    history
}

/// Every create, import, update and delete of a point appends a record with its time; that of a
/// deletion has the point before it. Numbers grow. The point is as in the last change.
pub async fn every_change_is_recorded<A: Adapter>(adapter: &A) {
    let ports = fresh(adapter).await;
    happen(&ports, &arbitrary::some(60, arbitrary::happening())).await;
}

/// The store refuses a code that is taken, even if the change accepts it; nothing is recorded.
pub async fn a_taken_code_is_never_stored<A: Adapter>(adapter: &A) {
    let ports = fresh(adapter).await;
    ports.points.create(new(whole_point(11, 2)), Origin::of_program(time(1))).await.unwrap();
    ports.points.create(new(point(12, 2)), Origin::of_program(time(2))).await.unwrap();
    let recorded = history(&ports).await;
    for taking in [
        Point { qr_code: Some("qr-11".to_owned()), ..point(12, 2) },
        Point { rfid_code: Some("rfid-11".to_owned()), ..point(12, 2) },
    ] {
        let updated =
            ports.points.update(becoming(taking.clone()), Origin::of_program(time(3))).await;
        assert!(matches!(updated, Err(EditError::Store(_))), "{updated:?}");
        let created = new(Point { id: point_id(13), ..taking });
        let created = ports.points.create(created, Origin::of_program(time(3))).await;
        assert!(matches!(created, Err(EditError::Store(_))), "{created:?}");
    }
    assert_eq!(found::<Point>(&ports, point_id(12)).await, Some(point(12, 2)));
    assert_eq!(found::<Point>(&ports, point_id(13)).await, None);
    assert_eq!(history(&ports).await, recorded);
}

fn taken() -> EditError {
    let fault = Fault { identifier: "qrCode".to_owned(), rule: Rule::Unique };
    EditError::Refused(Refusal::Invalid(vec![fault]))
}

/// Of many points that get the same code concurrently, one succeeds, and the others are refused
/// like a later one.
pub async fn of_many_points_one_gets_a_code<A: Adapter>(adapter: &A) {
    const MANY: u128 = 20;
    let ports = fresh(adapter).await;
    for number in 1..=MANY {
        let own = draft(&number.to_string());
        ports
            .points
            .create(drafted(point_id(number), own), Origin::of_program(time(0)))
            .await
            .unwrap();
    }
    let writers: Vec<_> = (1..=MANY)
        .map(|number| {
            let points = ports.points.clone();
            tokio::spawn(async move {
                if number % 2 == 0 {
                    points
                        .update(
                            redrafted(point_id(number), draft("one")),
                            Origin::of_program(time(1)),
                        )
                        .await
                        .map(record)
                } else {
                    points
                        .create(
                            drafted(point_id(100 + number), draft("one")),
                            Origin::of_program(time(1)),
                        )
                        .await
                }
            })
        })
        .collect();
    let mut winner = None;
    for writer in writers {
        match writer.await.expect("a writer") {
            Ok(point) => assert_eq!(winner.replace(point.id), None, "a second one"),
            Err(error) => assert_eq!(error, taken()),
        }
    }
    let winner = winner.expect("a winner");
    // A point's own code does not clash with itself.
    let same =
        ports.points.update(redrafted(winner, draft("one")), Origin::of_program(time(2))).await;
    assert_eq!(same.map(|point| point.record.id), Ok(winner));
    let later = ports
        .points
        .create(drafted(point_id(200), draft("one")), Origin::of_program(time(2)))
        .await;
    assert_eq!(later, Err(taken()));
    // The code of a deleted point is free.
    ports.points.delete(Target::any_version(winner), Origin::of_program(time(3))).await.unwrap();
    let free = ports
        .points
        .create(drafted(point_id(200), draft("one")), Origin::of_program(time(4)))
        .await;
    assert_eq!(free.map(|point| point.id), Ok(point_id(200)));
}

/// Concurrent changes of one point are serialised: all are stored and recorded.
pub async fn updates_of_one_point_wait_for_each_other<A: Adapter>(adapter: &A) {
    const WRITERS: usize = 50;
    let ports = fresh(adapter).await;
    ports.points.create(new(point(11, 1)), Origin::of_program(time(0))).await.unwrap();
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let points = ports.points.clone();
            let add = edit(point_id(11), move |old: &Point| {
                let mut new = old.clone();
                new.tags.push(writer.to_string());
                Ok(Some(new))
            });
            tokio::spawn(async move { points.update(add, Origin::of_program(time(1))).await })
        })
        .collect();
    for writer in writers {
        writer.await.expect("a writer").expect("an update");
    }
    let tags: Vec<_> =
        history(&ports).await.into_iter().map(|record| record.point.tags.len()).collect();
    assert_eq!(tags, (0..=WRITERS).collect::<Vec<_>>());
}

/// More new points than a statement has parameters for are stored together, each with its history, and
/// listed.
pub async fn thousands_of_new_points_are_stored_at_once<A: Adapter>(adapter: &A) {
    let ports = fresh(adapter).await;
    let points: Vec<_> = (1..=5_000).map(|number| whole_point(number, 2)).collect();
    let made = points.clone();
    let new = records::new(move || Ok(made.clone()));
    assert!(ports.points.create_all(new, Origin::of_program(time(0))).await == Ok(points));
    let (_, history) = read(ports.point_history.list(everything())).await;
    let (listed, count) = read(ports.points.list(everything())).await;
    assert_eq!((history, listed.len(), count), (5_000, 5_000, 5_000));
}

/// The history outlives the point, and its numbers are never used again.
pub async fn the_history_outlives_the_point<A: Adapter>(adapter: &A) {
    let ports = fresh(adapter).await;
    let mut last = i64::MIN;
    for round in 1..=3 {
        ports
            .points
            .create(new(whole_point(11, 1)), Origin::of_program(time(round)))
            .await
            .unwrap();
        ports
            .points
            .delete(Target::any_version(point_id(11)), Origin::of_program(time(round)))
            .await
            .unwrap();
        assert_eq!(found::<Point>(&ports, point_id(11)).await, None);
        for record in history(&ports).await.split_off(usize::try_from(round * 2 - 2).unwrap()) {
            assert!(record.history_id > last);
            assert_eq!((record.recorded_at, record.point), (time(round), whole_point(11, 1)));
            last = record.history_id;
        }
    }
}

/// A point that steps refer to can be deleted; the steps keep its id and are found by it.
pub async fn steps_keep_the_id_of_a_deleted_point<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let execution = whole_execution(1);
    fill(&ports, std::slice::from_ref(&execution)).await;
    assert_eq!(
        ports.points.delete(Target::any_version(point_id(2)), Origin::of_program(time(1))).await,
        Ok(())
    );
    let found = ports.task_executions.get(execution_id(1)).await.unwrap().unwrap();
    assert_eq!(found.record, execution);
    let at_point = Test::Ids(Membership::Any, vec![point_id(2).0]);
    let at_point = meeting(Condition::Is(ExecutionFilter::Point, at_point));
    assert_eq!(read(ports.task_executions.list(at_point)).await.1, 1);
}

/// Without a sort, the history is sorted by point, then by record number.
pub async fn the_history_comes_by_point_and_number<A: Adapter>(adapter: &A) {
    let ports = fresh(adapter).await;
    for number in [12, 11] {
        ports.points.create(new(point(number, 1)), Origin::of_program(time(5))).await.unwrap();
    }
    for name in ["b", "a"] {
        for number in [11, 12] {
            let named = Point { name: name.to_owned(), ..point(number, 1) };
            ports.points.update(becoming(named), Origin::of_program(time(4))).await.unwrap();
        }
    }
    let told = |records: Vec<HistoryRecord>| -> Vec<_> {
        let told = |record: HistoryRecord| (record.point.id, record.point.name);
        records.into_iter().map(told).collect()
    };
    let named = |number, name: &str| (point_id(number), name.to_owned());
    let of =
        |number| [named(number, &format!("Gate {number}")), named(number, "b"), named(number, "a")];
    let (records, total) = read(ports.point_history.list(everything())).await;
    assert_eq!((told(records), total), ([of(11), of(12)].concat(), 6));
    // Ties of another sort as well, in either direction.
    let sort = Sort { property: HistorySort::LocationId, direction: Direction::Descending };
    let (records, _) =
        read(ports.point_history.list(Query { sort: vec![sort], ..everything() })).await;
    assert_eq!(told(records), [of(11), of(12)].concat());
}

/// The total of the history is that of the current data, also when it was counted before a change.
pub async fn the_total_of_the_history_follows_every_change<A: Adapter>(adapter: &A) {
    let ports = fresh(adapter).await;
    let of_location = |location: LocationId| {
        let test = Test::Ids(Membership::Any, vec![location.0]);
        let page = Page { limit: 1, offset: 0 };
        Query::<HistoryList> { page, ..meeting(Condition::Is(HistoryFilter::Location, test)) }
    };
    let counted = || async {
        let one = read(ports.point_history.list(of_location(location_id(1)))).await.1;
        (one, read(ports.point_history.list(of_location(location_id(2)))).await.1)
    };
    assert_eq!(counted().await, (0, 0));
    ports.points.create(new(point(11, 1)), Origin::of_program(time(1))).await.unwrap();
    assert_eq!(counted().await, (1, 0));
    ports.points.update(becoming(point(11, 2)), Origin::of_program(time(2))).await.unwrap();
    assert_eq!(counted().await, (1, 1));
    ports
        .points
        .delete(Target::any_version(point_id(11)), Origin::of_program(time(3)))
        .await
        .unwrap();
    assert_eq!(counted().await, (1, 2));
    import(&ports, vec![Record::Point(Box::new(point(12, 1)))]).await.unwrap();
    assert_eq!(counted().await, (2, 2));
}
