//! [`TaskExecutions`](patrol_domain::task_execution::TaskExecutions).

use std::{thread, time::Duration};

use patrol_domain::{
    Edit, EditError, Existing, Fault, New, References, Refusal, Rule, Target, Version, Versioned,
    ids::TaskExecutionId,
    list::{Condition, Membership, Test},
    task_execution::{Copies, ExecutionFilter, TaskExecution},
    user::{Removal, User},
};

use crate::{
    Adapter, Ports, arbitrary,
    listing::{everything, meeting, read},
    records::{becoming, edit},
    sample::{
        by, execution, execution_id, fill, import, of_execution, task_id, time, user_id,
        whole_execution,
    },
};

fn renamed(id: TaskExecutionId, name: &'static str) -> Edit<TaskExecution> {
    edit(id, move |old: &TaskExecution| {
        Ok(Some(TaskExecution { name: name.to_owned(), ..old.clone() }))
    })
}

async fn found(ports: &Ports, id: TaskExecutionId) -> Versioned<TaskExecution> {
    ports.task_executions.get(id).await.expect("a read").expect("the execution")
}

async fn total(ports: &Ports) -> u64 {
    read(ports.task_executions.list(everything())).await.1
}

/// Every field of every kind of execution is read as it was stored.
pub async fn a_record_comes_back_as_it_was_stored<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let mut executions = arbitrary::some(40, arbitrary::execution());
    executions.extend([execution(1), whole_execution(2)]);
    fill(&ports, &executions).await;
    for execution in executions {
        assert_eq!(found(&ports, execution.id).await.record, execution);
    }
}

fn having(filter: ExecutionFilter, test: Test) -> Condition<ExecutionFilter> {
    Condition::Is(filter, test)
}

/// Conditions that match `execution`: its tags, users, points and name.
fn traits_of(execution: &TaskExecution) -> Vec<Condition<ExecutionFilter>> {
    let any = Membership::Any;
    let tags = execution.tags.iter().map(|tag| Test::Tags(any, vec![tag.clone()]));
    let users = execution.assignee_ids.iter().chain(&execution.performer_id);
    let users = users.map(|user| Test::Ids(any, vec![user.0]));
    let points = execution.point_ids().into_iter().map(|point| Test::Ids(any, vec![point.0]));
    let name = Test::Contains(patrol_domain::shared::text::fold(&execution.name));
    let of = |filter| move |test| having(filter, test);
    tags.map(of(ExecutionFilter::Tags))
        .chain(users.map(of(ExecutionFilter::User)))
        .chain(points.map(of(ExecutionFilter::Point)))
        .chain([having(ExecutionFilter::Name, name)])
        .collect()
}

async fn finds(ports: &Ports, condition: Condition<ExecutionFilter>) -> bool {
    read(ports.task_executions.list(meeting(condition))).await.1 > 0
}

/// After an update, lists find the record by its new values, and no longer by the old ones.
pub async fn an_update_changes_what_lists_find<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let old = whole_execution(1);
    fill(&ports, std::slice::from_ref(&old)).await;
    let new = TaskExecution {
        tags: vec!["day".to_owned()],
        assignee_ids: vec![user_id(4)],
        performer_id: None,
        steps: Vec::new(),
        ..execution(1)
    };
    let change = becoming(new.clone());
    ports.task_executions.update(change, by()).await.unwrap();
    for condition in traits_of(&old) {
        assert!(!finds(&ports, condition.clone()).await, "{condition:?}");
    }
    for condition in traits_of(&new) {
        assert!(finds(&ports, condition.clone()).await, "{condition:?}");
    }
    let (items, _) = read(ports.task_executions.list(everything())).await;
    assert_eq!(items, [new.summary()]);
}

/// After any change, the record is read, listed and found with its new values.
pub async fn any_record_may_become_any_other<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let states = arbitrary::some(40, arbitrary::execution());
    let states: Vec<_> =
        states.into_iter().map(|state| TaskExecution { id: execution_id(1), ..state }).collect();
    fill(&ports, &states[..1]).await;
    for pair in states.windows(2) {
        let [old, new] = pair else { unreachable!("a pair") };
        let change = becoming(new.clone());
        ports.task_executions.update(change, by()).await.unwrap();
        assert_eq!(&found(&ports, execution_id(1)).await.record, new);
        let (items, _) = read(ports.task_executions.list(everything())).await;
        assert_eq!(items, [new.summary()]);
        let kept = traits_of(new);
        for condition in &kept {
            assert!(finds(&ports, condition.clone()).await, "{condition:?}");
        }
        for condition in traits_of(old).into_iter().filter(|old| !kept.contains(old)) {
            let found = finds(&ports, condition.clone()).await;
            // The new name may contain the old one.
            let is_name = matches!(condition, Condition::Is(ExecutionFilter::Name, _));
            assert!(!found || is_name, "{condition:?}");
        }
    }
}

/// A deleted execution stays deleted; a missing one is `Missing`.
pub async fn a_deleted_record_is_gone<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    fill(&ports, &[execution(1), execution(2)]).await;
    assert_eq!(
        ports.task_executions.delete(Target::any_version(execution_id(1)), by()).await,
        Ok(())
    );
    assert_eq!(ports.task_executions.get(execution_id(1)).await, Ok(None));
    let (items, total) = read(ports.task_executions.list(everything())).await;
    assert_eq!((items, total), (vec![execution(2).summary()], 1));
    for expected in [None, Some(Version(1))] {
        let again =
            ports.task_executions.delete(Target { id: execution_id(1), expected }, by()).await;
        assert_eq!(again, Err(EditError::Missing));
    }
}

/// `Stale` when the expected version differs; nothing is removed.
pub async fn a_delete_of_another_version_is_stale<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    fill(&ports, &[execution(1)]).await;
    let first = found(&ports, execution_id(1)).await.version;
    let second =
        ports.task_executions.update(renamed(execution_id(1), "2"), by()).await.unwrap().version;
    let stale = ports
        .task_executions
        .delete(Target { id: execution_id(1), expected: Some(first) }, by())
        .await;
    assert_eq!(stale, Err(EditError::Stale));
    assert_eq!(total(&ports).await, 1);
    assert_eq!(
        ports
            .task_executions
            .delete(Target { id: execution_id(1), expected: Some(second) }, by())
            .await,
        Ok(())
    );
    assert_eq!(total(&ports).await, 0);
}

/// A record that takes the row id of a deleted one is not found by the deleted one's values.
pub async fn a_deleted_record_leaves_nothing_to_find<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let old = whole_execution(1);
    fill(&ports, std::slice::from_ref(&old)).await;
    ports.task_executions.delete(Target::any_version(execution_id(1)), by()).await.unwrap();
    import(&ports, vec![of_execution(execution(1))]).await.unwrap();
    for condition in traits_of(&old) {
        assert!(!finds(&ports, condition.clone()).await, "{condition:?}");
    }
    assert_eq!(found(&ports, execution_id(1)).await.record, execution(1));
}

/// A copy whose number is 100 greater.
fn numbered(original: &TaskExecution) -> TaskExecution {
    let number = (1..10).find(|number| execution_id(*number) == original.id).unwrap();
    TaskExecution { id: execution_id(100 + number), ..original.clone() }
}

/// A copy of each original is stored; the requested one is returned.
pub async fn copies_are_made_of_all_originals_and_one_is_answered<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    fill(&ports, &[execution(1), whole_execution(2), execution(3), execution(4)]).await;
    let ids = [3, 1, 2].map(execution_id).to_vec();
    let (path, answered) = (execution_id(4), execution_id(1));
    let copies = Box::new(numbered);
    let answer = ports
        .task_executions
        .copy(Copies { must_exist: path, ids, returned: answered, make: copies }, by())
        .await
        .unwrap();
    assert_eq!(answer, Ok(numbered(&execution(1))));
    for original in [execution(3), execution(1), whole_execution(2)] {
        let copy = numbered(&original);
        assert_eq!(found(&ports, copy.id).await.record, copy);
        assert!(finds(&ports, traits_of(&copy).remove(0)).await);
    }
    assert_eq!(total(&ports).await, 7);
}

/// An assignee who is removed while an execution is copied is an assignee of neither.
pub async fn a_copy_loses_an_assignee_who_is_removed_meanwhile<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let assigned = |number| TaskExecution {
        assignee_ids: vec![user_id(number), user_id(3)],
        ..execution(number)
    };
    fill(&ports, &[assigned(1), assigned(2)]).await;
    for number in [1, 2] {
        let ids = vec![execution_id(number)];
        let make = |original: &TaskExecution| {
            // Long enough that the removal ends meanwhile, if it does not wait.
            thread::sleep(Duration::from_millis(300));
            numbered(original)
        };
        let (must_exist, returned) = (ids[0], ids[0]);
        let copies = Copies { must_exist, ids, returned, make: Box::new(make) };
        let check = Box::new(|_: &User, _: &Existing| Ok(()));
        let removal = Removal { at: Target::any_version(user_id(number)), check };
        let removed = async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            ports.users.remove(removal, by()).await
        };
        let (copied, removed) = tokio::join!(ports.task_executions.copy(copies, by()), removed);
        assert!(matches!(copied, Ok(Ok(_))), "{copied:?}");
        assert_eq!(removed, Ok(()));
        for left in [number, 100 + number] {
            let left = found(&ports, execution_id(left)).await.record;
            assert_eq!(left.assignee_ids, [user_id(3)], "{}", left.id);
        }
    }
}

/// `Missing` when one of the originals or the path does not exist; nothing is stored.
pub async fn copies_need_every_original_and_the_path<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    fill(&ports, &[execution(1), execution(2)]).await;
    for (path, ids, wanted) in [
        (1, [1, 9, 2], Ok(Err(vec![1]))),
        (1, [9, 1, 8], Ok(Err(vec![0, 2]))),
        (9, [1, 2, 8], Err(EditError::Missing)),
    ] {
        let (path, ids) = (execution_id(path), ids.map(execution_id).to_vec());
        let copies = Box::new(numbered);
        let copied = ports
            .task_executions
            .copy(Copies { must_exist: path, ids, returned: execution_id(1), make: copies }, by())
            .await;
        assert_eq!(copied, wanted, "{path}");
    }
    assert_eq!(total(&ports).await, 2);
    let summary = &read(ports.task_executions.list(everything())).await.0[0];
    assert_eq!((summary.scheduled_task_id, summary.start_at), (Some(task_id(1)), time(1_000)));
}

/// A creation whose id another execution has sees that execution, also of two that run at once.
pub async fn a_new_execution_takes_no_id_of_another<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    fill(&ports, &[execution(1)]).await;
    let by_hand = |number| TaskExecution { scheduled_task_id: None, ..whole_execution(number) };
    let taken = Refusal::Invalid(vec![Fault { identifier: "id".to_owned(), rule: Rule::Unique }]);
    let create = |number: u128| {
        let taken = taken.clone();
        let make = move |existing: &Existing| {
            if existing.has(execution_id(number)) {
                Err(taken.clone())
            } else {
                Ok(by_hand(number))
            }
        };
        let references = References::default().with([execution_id(number)]);
        ports.task_executions.create(New { references, make: Box::new(make) }, by())
    };
    assert_eq!(create(1).await, Err(EditError::Refused(taken.clone())));
    let (one, other) = tokio::join!(create(20), create(20));
    let (stored, refused) = if one.is_ok() { (one, other) } else { (other, one) };
    assert_eq!((stored, refused), (Ok(by_hand(20)), Err(EditError::Refused(taken.clone()))));
    assert_eq!(found(&ports, execution_id(20)).await.record, by_hand(20));
}
