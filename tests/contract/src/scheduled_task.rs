//! Scheduled tasks: what is special to scheduled
//! tasks.

use std::slice;

use crate::{
    Adapter, Ports, arbitrary,
    listing::{everything, meeting, read},
    records::{becoming, found},
    sample::{
        WORLD_LIST, by, check_list, check_list_id, execution, fill, import, of_task, task, task_id,
        user_id, whole_task, world,
    },
};
use patrol_domain::{
    EditError, Existing, Fault, Held, Holder, New, References, Refusal, Rule, Target,
    check_list::CheckList,
    data_set::Record,
    list::{Condition, Membership, Query, Test},
    scheduled_task::{PlannedStep, ScheduledTask, ScheduledTaskFilter, ScheduledTaskList},
    shared::text::fold,
    user::{Removal, User},
};

async fn listed(ports: &Ports, query: Query<ScheduledTaskList>) -> Vec<ScheduledTask> {
    let (items, total) = read(ports.scheduled_tasks.list(query)).await;
    assert_eq!(u64::try_from(items.len()), Ok(total));
    items
}

async fn assigned(ports: &Ports, user: u128) -> usize {
    let of_user = Test::Ids(Membership::Any, vec![user_id(user).0]);
    listed(ports, meeting(Condition::Is(ScheduledTaskFilter::User, of_user))).await.len()
}

/// A change of all members is stored, and lists find the task by its new members and no longer by the
/// old ones.
pub async fn any_task_may_become_any_other<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    import(&ports, world()).await.expect("an import");
    let step = PlannedStep {
        check_list_id: Some(check_list_id(WORLD_LIST)),
        ..whole_task(1).steps[0].clone()
    };
    let states = arbitrary::some(30, arbitrary::scheduled_task()).into_iter().enumerate();
    let states: Vec<_> = states
        .map(|(at, state)| {
            let steps = if at.is_multiple_of(2) { vec![step.clone()] } else { Vec::new() };
            ScheduledTask { id: task_id(1), steps, ..state }
        })
        .collect();
    for state in &states {
        let change = becoming(state.clone());
        ports.scheduled_tasks.update(change, by()).await.expect("an update");
        assert_eq!(found::<ScheduledTask>(&ports, task_id(1)).await.as_ref(), Some(state));
        for user in 1..=3 {
            let names = usize::from(state.assignee_ids.contains(&user_id(user)));
            assert_eq!(assigned(&ports, user).await, names);
        }
        let search = Query { search: Some(fold(&state.name)), ..everything() };
        let item = ScheduledTask { steps: Vec::new(), ..state.clone() };
        assert!(listed(&ports, search).await.contains(&item), "{state:?}");
        let tags = Test::Tags(Membership::Any, vec!["Ёлка".to_owned(), "ёлка".to_owned()]);
        let tagged = listed(&ports, meeting(Condition::Is(ScheduledTaskFilter::Tags, tags))).await;
        let is_tagged = state.tags.iter().any(|tag| fold(tag) == "ёлка");
        assert_eq!(tagged.len(), usize::from(is_tagged));
    }
}

/// A creation whose id another task has sees that task, also of two that run at once.
pub async fn a_new_task_takes_no_id_of_another<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    import(&ports, world()).await.expect("an import");
    let taken = Refusal::Invalid(vec![Fault { identifier: "id".to_owned(), rule: Rule::Unique }]);
    let create = |number: u128| {
        let taken = taken.clone();
        let make = move |existing: &Existing| {
            if existing.has(task_id(number)) { Err(taken.clone()) } else { Ok(whole_task(number)) }
        };
        let references = References::default().with([task_id(number)]);
        ports.scheduled_tasks.create(New { references, make: Box::new(make) }, by())
    };
    assert_eq!(create(1).await, Err(EditError::Refused(taken.clone())));
    let (one, other) = tokio::join!(create(20), create(20));
    let (stored, refused) = if one.is_ok() { (one, other) } else { (other, one) };
    assert_eq!((stored, refused), (Ok(whole_task(20)), Err(EditError::Refused(taken.clone()))));
}

/// Scheduled tasks lose an assignee who is removed and get their next version, each by one event.
pub async fn tasks_lose_a_removed_assignee<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let of_both =
        |number| ScheduledTask { assignee_ids: vec![user_id(3), user_id(2)], ..task(number) };
    // More than a store looks up at once.
    let tasks: Vec<_> = (101..=400).map(of_both).collect();
    let all = tasks.iter().cloned().map(of_task);
    import(&ports, world().into_iter().chain(all).collect()).await.expect("an import");
    let before = ports.scheduled_tasks.get(tasks[0].id).await.expect("a read").expect("it");
    let newest = ports.events.newest().await.expect("a position");
    for gone in [3, 2] {
        let removal = Removal {
            at: Target::any_version(user_id(gone)),
            check: Box::new(|_: &User, _: &Existing| Ok(())),
        };
        assert_eq!(ports.users.remove(removal, by()).await, Ok(()));
        assert_eq!(assigned(&ports, gone).await, 0);
    }
    // Each task twice, and two users.
    assert_eq!(ports.events.newest().await.expect("a position"), newest + 602);
    let after = ports.scheduled_tasks.get(tasks[0].id).await.expect("a read").expect("it");
    assert_eq!(after.version, before.version.next().next());
    for old in tasks {
        let left = ScheduledTask { assignee_ids: Vec::new(), ..old };
        assert_eq!(found(&ports, left.id).await, Some(left));
    }
}

async fn delete_list(ports: &Ports, number: u128) -> Result<(), EditError> {
    ports.check_lists.delete(Target::any_version(check_list_id(number)), by()).await
}

fn in_use(count: u64) -> EditError {
    EditError::InUse(vec![Held { by: Holder::ScheduledTasks, count }])
}

/// A task with two steps that have this check-list.
fn with_list(number: u128, list: u128) -> ScheduledTask {
    let mut task = whole_task(number);
    for step in task.steps.iter_mut().filter(|step| step.check_list_id.is_some()) {
        step.check_list_id = Some(check_list_id(list));
    }
    task
}

/// `InUse` with the number of the tasks, which are not their steps.
pub async fn a_check_list_of_a_step_is_not_deleted<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let lists = [50, 51].map(|number| Record::CheckList(check_list(number, &[number])));
    let tasks = [60, 61].map(|number| of_task(with_list(number, 50)));
    import(&ports, [world(), lists.into(), tasks.into()].concat()).await.expect("an import");
    assert_eq!(delete_list(&ports, 50).await, Err(in_use(2)));
    assert_eq!(delete_list(&ports, 51).await, Ok(()));
    let without = ScheduledTask { steps: Vec::new(), ..with_list(60, 50) };
    ports.scheduled_tasks.update(becoming(without), by()).await.expect("an update");
    assert_eq!(delete_list(&ports, 50).await, Err(in_use(1)));
    ports.scheduled_tasks.delete(Target::any_version(task_id(61)), by()).await.expect("a deletion");
    assert_eq!(delete_list(&ports, 50).await, Ok(()));
}

/// When a check-list is deleted and named at the same time, either it stays or the change is refused.
pub async fn of_a_deleted_check_list_and_a_step_with_it_one_happens<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let lists = (100..120).map(|number| Record::CheckList(check_list(number, &[])));
    import(&ports, world().into_iter().chain(lists).collect()).await.expect("an import");
    for number in 100..120 {
        let list = check_list_id(number);
        let make = move |existing: &Existing| {
            if existing.has(list) { Ok(with_list(number, number)) } else { Err(Refusal::Denied) }
        };
        let new = New { references: References::default().with([list]), make: Box::new(make) };
        let imported =
            async { import(&ports, vec![of_task(with_list(number, number))]).await.is_ok() };
        let created = async {
            match ports.scheduled_tasks.create(new, by()).await {
                Ok(_) => true,
                Err(EditError::Refused(Refusal::Denied)) => false,
                Err(error) => panic!("{error:?}"),
            }
        };
        let (is_named, deleted) = if number % 2 == 0 {
            tokio::join!(created, delete_list(&ports, number))
        } else {
            tokio::join!(imported, delete_list(&ports, number))
        };
        let expected = if is_named { Err(in_use(1)) } else { Ok(()) };
        assert_eq!(deleted, expected, "{number}");
        assert_eq!(found::<CheckList>(&ports, list).await.is_some(), is_named, "{number}");
    }
}

/// Executions keep the id of a task that is deleted.
pub async fn executions_keep_the_id_of_a_deleted_task<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let made = execution(1);
    fill(&ports, slice::from_ref(&made)).await;
    let task = made.scheduled_task_id.expect("a task");
    assert_eq!(ports.scheduled_tasks.delete(Target::any_version(task), by()).await, Ok(()));
    assert_eq!(found(&ports, task).await, None::<ScheduledTask>);
    assert_eq!(found(&ports, made.id).await, Some(made));
}
