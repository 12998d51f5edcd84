//! Locations. [`crate::list`] compares the queries of the
//! list with the model.

use patrol_domain::{
    Edit, EditError, Existing, Held, Holder, New, References, Refusal, Target,
    data_set::Record,
    ids::{GraphicPlanId, LocationId},
    list::{Condition, Membership, Test},
    location::{Location, LocationFilter},
    point::Point,
    scheduled_task::ScheduledTask,
    task_execution::{State, TaskExecution},
    user::User,
};

use crate::{
    Adapter, Ports,
    listing::{everything, meeting, read},
    records::{self, edit, found},
    sample::{
        by, execution, execution_id, fill, import, location, location_id, of_task, of_user, plan,
        plan_id, point, point_id, task, user, user_id, whole_execution,
    },
};

/// The location with these graphic plans.
fn with(location: Location, graphic_plan_ids: Vec<GraphicPlanId>) -> Location {
    Location { graphic_plan_ids, ..location }
}

async fn delete(ports: &Ports, number: u128) -> Result<(), EditError> {
    ports.locations.delete(Target::any_version(location_id(number)), by()).await
}

/// Every field is listed; plans are sorted by id, and locations too without a sort.
pub async fn a_location_is_listed_with_its_plans_by_id<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let bare = Location { position: None, tags: Vec::new(), ..location(2) };
    let records = [
        Record::Location(bare.clone()),
        Record::Location(location(1)),
        Record::GraphicPlan(plan(3, 1)),
        Record::GraphicPlan(plan(1, 1)),
        Record::GraphicPlan(plan(2, 1)),
    ];
    import(&ports, records.to_vec()).await.unwrap();
    let items = vec![with(location(1), vec![plan_id(1), plan_id(2), plan_id(3)]), bare];
    assert_eq!(read(ports.locations.list(everything())).await, (items, 2));
}

/// A new plan changes which locations have one.
pub async fn a_new_plan_changes_what_is_listed<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let with_plan = |flag| {
        let query = meeting(Condition::Is(LocationFilter::WithGraphicPlan, Test::Flag(flag)));
        read(ports.locations.list(query))
    };
    import(&ports, vec![Record::Location(location(1))]).await.unwrap();
    assert_eq!(with_plan(true).await, (Vec::new(), 0));
    assert_eq!(with_plan(false).await, (vec![location(1)], 1));
    import(&ports, vec![Record::GraphicPlan(plan(7, 1))]).await.unwrap();
    assert_eq!(with_plan(true).await, (vec![with(location(1), vec![plan_id(7)])], 1));
    assert_eq!(with_plan(false).await, (Vec::new(), 0));
}

/// A location that gets a plan gets the next version too.
pub async fn a_new_plan_is_another_version<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    import(&ports, vec![Record::Location(location(1)), Record::Location(location(2))])
        .await
        .unwrap();
    let get = |number| ports.locations.get(location_id(number));
    let (before, other) = (get(1).await.unwrap().unwrap(), get(2).await.unwrap().unwrap());
    import(&ports, vec![Record::GraphicPlan(plan(7, 1))]).await.unwrap();
    let after = get(1).await.unwrap().unwrap();
    assert_eq!(after.version, before.version.next());
    assert_eq!(after.record, with(before.record, vec![plan_id(7)]));
    assert_eq!(get(2).await.unwrap(), Some(other));
}

/// Lists follow each change of a location, and the plans stay.
pub async fn a_change_is_listed_and_found_by_its_tags<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let plans = vec![plan_id(7)];
    let records = [Record::Location(location(1)), Record::GraphicPlan(plan(7, 1))];
    import(&ports, records.to_vec()).await.unwrap();
    let tagged = |tag: &str| {
        let test = Test::Tags(Membership::Any, vec![tag.to_owned()]);
        read(ports.locations.list(meeting(Condition::Is(LocationFilter::Tags, test))))
    };
    let new = Location {
        address: "3 Quay Rd".to_owned(),
        position: None,
        tags: vec!["port".to_owned(), "night".to_owned()],
        graphic_plan_ids: plans.clone(),
        ..Location::new(location_id(1), "Харбор")
    };
    let changed = new.clone();
    let edit = edit(location_id(1), move |old: &Location| {
        assert_eq!(old.graphic_plan_ids, plans);
        Ok(Some(changed.clone()))
    });
    assert_eq!(ports.locations.update(edit, by()).await.unwrap().record, new);
    assert_eq!(found::<Location>(&ports, location_id(1)).await, Some(new.clone()));
    for tag in ["port", "night"] {
        assert_eq!(tagged(tag).await, (vec![new.clone()], 1), "{tag}");
    }
    assert_eq!(tagged("Порт").await, (Vec::new(), 0));
    let made = Location { tags: vec!["night".to_owned()], ..location(2) };
    let copy = made.clone();
    ports.locations.create(records::new(move || Ok(copy.clone())), by()).await.unwrap();
    assert_eq!(tagged("night").await, (vec![new.clone(), made], 2));
    assert_eq!(delete(&ports, 2).await, Ok(()));
    assert_eq!(tagged("night").await, (vec![new], 1));
    assert_eq!(read(ports.locations.list(everything())).await.1, 1);
}

/// `InUse` with the number of the records of each kind that name the location.
pub async fn what_is_named_is_not_deleted<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let at = |number| TaskExecution { location_id: location_id(3), ..execution(number) };
    let completed = TaskExecution { location_id: location_id(3), ..whole_execution(4) };
    assert_eq!(completed.progress.state(), State::Completed);
    fill(&ports, &[at(1), at(2), at(3), completed]).await;
    let linked = |number| User {
        location_ids: vec![location_id(1), location_id(3), location_id(5)],
        ..user(number)
    };
    let more = vec![
        Record::Location(location(5)),
        of_user(linked(11)),
        of_user(linked(12)),
        of_task(ScheduledTask { location_id: Some(location_id(3)), ..task(11) }),
        of_task(ScheduledTask { location_id: Some(location_id(5)), enabled: false, ..task(12) }),
        Record::Point(Box::new(point(11, 3))),
        Record::Location(location(6)),
        Record::Point(Box::new(point(12, 6))),
    ];
    import(&ports, more).await.unwrap();
    let newest = ports.events.newest().await.unwrap();
    let held = |held: &[(Holder, u64)]| {
        let held = held.iter().map(|(by, count)| Held { by: *by, count: *count });
        Err(EditError::InUse(held.collect()))
    };
    let (points, tasks, users) = (Holder::Points, Holder::ScheduledTasks, Holder::Users);
    let of_three = [
        (points, 2),
        (Holder::GraphicPlans, 1),
        (Holder::TaskExecutions, 4),
        (tasks, 1),
        (users, 2),
    ];
    assert_eq!(delete(&ports, 3).await, held(&of_three));
    assert_eq!(delete(&ports, 5).await, held(&[(tasks, 1), (users, 2)]));
    assert_eq!(delete(&ports, 6).await, held(&[(points, 1)]));
    let stale = Target { id: location_id(3), expected: Some(patrol_domain::Version(-1)) };
    assert_eq!(ports.locations.delete(stale, by()).await, Err(EditError::Stale));
    assert_eq!(ports.events.newest().await.unwrap(), newest);
    assert!(found::<Location>(&ports, location_id(3)).await.is_some());
    // Without what names it, it can be deleted, and then made again.
    ports.points.delete(Target::any_version(point_id(12)), by()).await.unwrap();
    assert_eq!(delete(&ports, 6).await, Ok(()));
    assert_eq!(delete(&ports, 6).await, Err(EditError::Missing));
    import(&ports, vec![Record::Location(location(6))]).await.unwrap();
    assert_eq!(delete(&ports, 6).await, Ok(()));
}

/// The history of points is kept when their location is deleted.
pub async fn the_history_of_points_outlives_their_location<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let records = [Record::Location(location(1)), Record::Point(Box::new(point(1, 1)))];
    import(&ports, records.to_vec()).await.unwrap();
    ports.points.delete(Target::any_version(point_id(1)), by()).await.unwrap();
    let before = read(ports.point_history.list(everything())).await;
    assert_eq!(before.1, 2);
    assert_eq!(delete(&ports, 1).await, Ok(()));
    assert_eq!(read(ports.point_history.list(everything())).await, before);
}

/// A change that names the location, and whether it was stored.
type Naming<'a> = std::pin::Pin<Box<dyn Future<Output = bool> + Send + 'a>>;

fn is_there(existing: &Existing, location: LocationId) -> Result<(), Refusal> {
    if existing.has(location) { Ok(()) } else { Err(Refusal::Denied) }
}

fn stored<T>(result: Result<T, EditError>) -> bool {
    match result {
        Ok(_) => true,
        Err(EditError::Refused(Refusal::Denied)) => false,
        Err(error) => panic!("{error:?}"),
    }
}

fn named(location: LocationId) -> References {
    References::default().with([location])
}

/// When a location is deleted and named at the same time, either it stays or the change is refused.
pub async fn of_a_deletion_and_a_new_record_one_happens<A: Adapter>(adapter: &A) {
    const ROUNDS: u128 = 8;
    let ports = adapter.fresh().await;
    fill(&ports, &[execution(1)]).await;
    let all = (0..ROUNDS * 5).map(|round| Record::Location(location(100 + round)));
    import(&ports, all.collect()).await.unwrap();
    for round in 0..ROUNDS * 5 {
        let number = 100 + round;
        let at = location_id(number);
        let of_point: Naming<'_> = Box::pin(async {
            let make = move |existing: &Existing| {
                is_there(existing, at)?;
                Ok(Point { location_id: at, ..point(number, 1) })
            };
            let new = New { references: named(at), make: Box::new(make) };
            stored(ports.points.create(new, by()).await)
        });
        let of_change: Naming<'_> = Box::pin(async {
            let change = move |user: &User, existing: &Existing| {
                is_there(existing, at)?;
                let mut location_ids = user.location_ids.clone();
                location_ids.push(at);
                Ok(Some(User { location_ids, ..user.clone() }))
            };
            let change = Box::new(change);
            let target = Target::any_version(user_id(1));
            let edit = Edit { at: target, references: named(at), change };
            stored(ports.users.update(edit, by()).await)
        });
        let of_execution: Naming<'_> = Box::pin(async {
            let change = move |old: &TaskExecution, existing: &Existing| {
                is_there(existing, at)?;
                Ok(Some(TaskExecution { location_id: at, ..old.clone() }))
            };
            let change = Box::new(change);
            let target = Target::any_version(execution_id(1));
            let edit = Edit { at: target, references: named(at), change };
            stored(ports.task_executions.update(edit, by()).await)
        });
        let imported: Naming<'_> = Box::pin(async {
            let linked = User { location_ids: vec![at], ..user(number) };
            import(&ports, vec![of_user(linked)]).await.is_ok()
        });
        let of_plan: Naming<'_> = Box::pin(async {
            let make = move |existing: &Existing| {
                is_there(existing, at)?;
                Ok(ScheduledTask { location_id: Some(at), ..task(number) })
            };
            let new = New { references: named(at), make: Box::new(make) };
            stored(ports.scheduled_tasks.create(new, by()).await)
        });
        let (naming, holder) = match round % 5 {
            0 => (of_point, Holder::Points),
            1 => (of_change, Holder::Users),
            2 => (of_execution, Holder::TaskExecutions),
            3 => (of_plan, Holder::ScheduledTasks),
            _ => (imported, Holder::Users),
        };
        let (is_named, deleted) = tokio::join!(naming, delete(&ports, number));
        let in_use = EditError::InUse(vec![Held { by: holder, count: 1 }]);
        let expected = if is_named { Err(in_use) } else { Ok(()) };
        assert_eq!(deleted, expected, "{round}");
        assert_eq!(found::<Location>(&ports, at).await.is_some(), is_named, "{round}");
    }
}
