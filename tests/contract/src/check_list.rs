//! Check-lists, and [`CheckListActions`](patrol_domain::check_list::CheckListActions).

use futures_util::{StreamExt, future::join_all};
use patrol_domain::{
    DraftContext, Drafted as _, Edit, EditError, Existing, Fault, New, References, Refusal, Rule,
    StoreError, Target, Version,
    check_list::CheckListActionDraft,
    check_list::{CheckList, CheckListAction, CheckListDraft, CheckListList, NewAction},
    data_set::Record,
    ids::{CheckListId, Uuid},
    list::{PART_BYTES, Page, Query},
    shared::ports::Ids,
    task_execution::ActionType,
};

use crate::{
    Adapter, Ports,
    listing::{everything, read},
    records::{becoming, edit, record},
    sample::{
        by, check_list, check_list_action_id, check_list_id, exported, fill, import,
        whole_execution,
    },
};

/// A store with two check-lists, and an execution.
async fn filled<A: Adapter>(adapter: &A) -> Ports {
    let ports = adapter.fresh().await;
    fill(&ports, &[whole_execution(1)]).await;
    let lists = [check_list(1, &[2, 1, 3]), check_list(2, &[4])].map(Record::CheckList);
    import(&ports, lists.into()).await.expect("an import");
    ports
}

/// One more action of the check-list, without references.
pub(crate) fn action_for(
    list: CheckListId,
    make: impl Fn(&CheckList, &Existing) -> Result<CheckListAction, Refusal> + Send + Sync + 'static,
) -> NewAction {
    NewAction { list, references: References::default(), make: Box::new(make) }
}

async fn found(ports: &Ports, number: u128) -> CheckList {
    version_of(ports, number).await.1
}

async fn version_of(ports: &Ports, number: u128) -> (Version, CheckList) {
    let found = ports.check_lists.get(check_list_id(number)).await.expect("a read");
    let found = found.expect("a check-list");
    (found.version, found.record)
}

fn action(number: u128) -> CheckListAction {
    check_list(1, &[number]).actions.remove(0)
}

fn edited(action: &CheckListAction) -> CheckListAction {
    CheckListAction {
        id: action.id,
        name: "Огни".to_owned(),
        kind: ActionType::Boolean,
        order: -1,
        required: false,
        min_value: None,
        max_value: Some(0.5),
    }
}

/// A changed action is stored in place with every field; nothing else changes.
pub async fn an_edited_action_is_stored_in_its_list<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    let mut wanted = exported(&ports).await;
    let edit = edit(check_list_action_id(1), |action| Ok(Some(edited(action))));
    let answer = ports.check_list_actions.update(edit, by()).await.map(record);
    let action = edited(&action(1));
    assert_eq!(answer, Ok(action.clone()));
    for record in &mut wanted {
        if let Record::CheckList(CheckList { id, actions, .. }) = record
            && *id == check_list_id(1)
        {
            actions.retain(|other| other.id != action.id);
            actions.insert(0, action.clone());
        }
    }
    assert_eq!(exported(&ports).await, wanted);
}

/// A deleted action is removed from its list and `Missing` from then on; nothing else changes.
pub async fn a_deleted_action_is_gone_from_its_list<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    let mut wanted = exported(&ports).await;
    for number in [1, 4] {
        let id = check_list_action_id(number);
        assert_eq!(ports.check_list_actions.delete(Target::any_version(id), by()).await, Ok(()));
        for record in &mut wanted {
            if let Record::CheckList(list) = record {
                list.actions.retain(|action| action.id != id);
            }
        }
        assert_eq!(exported(&ports).await, wanted);
        assert_eq!(
            ports.check_list_actions.delete(Target::any_version(id), by()).await,
            Err(EditError::Missing)
        );
        let updated = ports.check_list_actions.update(edit(id, |_| Ok(None)), by()).await;
        assert_eq!(updated, Err(EditError::Missing));
    }
}

/// A list with other actions has exactly these, in their order and those of the same order as they
/// were given; a deleted list leaves no action behind.
pub async fn actions_are_replaced_in_their_order<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    let mut wanted = check_list(1, &[5, 3, 6, 1]);
    wanted.actions[3].order = 8;
    wanted.actions[0].name = "first".to_owned();
    let changed = ports.check_lists.update(becoming(wanted.clone()), by()).await.map(record);
    assert_eq!(changed.as_ref(), Ok(&wanted));
    assert_eq!(found(&ports, 1).await, wanted);
    assert_eq!(found(&ports, 2).await, check_list(2, &[4]));
    let removed = check_list_action_id(2);
    let updated = ports.check_list_actions.update(edit(removed, |_| Ok(None)), by()).await;
    assert_eq!(updated, Err(EditError::Missing));
    let list = Target::<CheckList>::any_version(wanted.id);
    assert_eq!(ports.check_lists.delete(list, by()).await, Ok(()));
    for action in wanted.actions {
        let updated = ports.check_list_actions.update(edit(action.id, |_| Ok(None)), by()).await;
        assert_eq!(updated, Err(EditError::Missing));
    }
    assert_eq!(found(&ports, 2).await, check_list(2, &[4]));
}

/// A new action is stored after those of the same order; nothing else changes. The function gets the
/// list and the lookup. Without a list it is `Missing`, and a refused one leaves the list as it was.
pub async fn an_action_is_added_in_its_order<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    let (before, _) = version_of(&ports, 1).await;
    let make = |list: &CheckList, existing: &Existing| {
        let known = [check_list_action_id(2), check_list_action_id(4)];
        assert_eq!(existing.check_list_actions, known.into());
        let order = list.actions[0].order;
        Ok(CheckListAction { order, ..check_list(1, &[7]).actions.remove(0) })
    };
    let named = [2, 4, 99].map(check_list_action_id);
    let references = References::default().with_actions(named);
    let new = || NewAction { references: references.clone(), ..action_for(check_list_id(1), make) };
    assert_eq!(ports.check_list_actions.add(new(), by()).await, Ok(action(7)));
    let (version, list) = version_of(&ports, 1).await;
    assert_eq!((version, &list), (before.next(), &check_list(1, &[2, 1, 3, 7])));
    let first = |_: &CheckList, _: &Existing| Ok(CheckListAction { order: -1, ..action(8) });
    let added = ports.check_list_actions.add(action_for(check_list_id(1), first), by()).await;
    assert_eq!(added.map(|action| action.order), Ok(-1));
    let orders = found(&ports, 1).await.actions.into_iter().map(|action| action.id);
    assert_eq!(orders.collect::<Vec<_>>(), [8, 2, 1, 3, 7].map(check_list_action_id));
    let missing = NewAction { list: check_list_id(99), ..new() };
    assert_eq!(ports.check_list_actions.add(missing, by()).await, Err(EditError::Missing));
    let (state, newest) = (version_of(&ports, 1).await, ports.events.newest().await);
    let refused = action_for(check_list_id(1), |_, _| Err(Refusal::Denied));
    let refused = ports.check_list_actions.add(refused, by()).await;
    assert_eq!(refused, Err(EditError::Refused(Refusal::Denied)));
    assert_eq!((version_of(&ports, 1).await, ports.events.newest().await), (state, newest));
}

/// Concurrent additions to one list run one after another.
pub async fn actions_added_at_once_are_all_kept<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    let (before, _) = version_of(&ports, 2).await;
    let add = |number: u128| {
        let make = move |list: &CheckList, _: &Existing| {
            let last = list.actions.iter().map(|action| action.order).max().unwrap_or_default();
            Ok(CheckListAction { order: last + 1, ..action(number) })
        };
        let (ports, new) = (ports.clone(), action_for(check_list_id(2), make));
        tokio::spawn(async move { ports.check_list_actions.add(new, by()).await })
    };
    for added in join_all((10..40).map(add)).await {
        added.expect("a writer").expect("an action");
    }
    let (version, list) = version_of(&ports, 2).await;
    assert_eq!(version, Version(before.0 + 30));
    let orders: Vec<_> = list.actions.iter().map(|action| action.order).collect();
    assert_eq!(orders, (7..38).collect::<Vec<_>>());
}

struct NoIds;

impl Ids for NoIds {
    fn next(&self) -> Uuid {
        Uuid::nil()
    }
}

/// Of two new actions with the same id in different lists exactly one is stored; the other is refused by
/// the rule of the operation.
pub async fn of_two_actions_one_gets_the_id<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    let rules = patrol_domain::Rules { limits: Default::default(), is_email: |_| true };
    for round in 50..60 {
        let action = CheckListActionDraft {
            id: Some(check_list_action_id(round)),
            name: Some("Огни".to_owned()),
            kind: Some("TEXT".to_owned()),
            ..CheckListActionDraft::default()
        };
        let name = Some("new".to_owned());
        let created = CheckListDraft {
            id: Some(check_list_id(round)),
            name: name.clone(),
            actions: vec![action.clone()],
        };
        let new = New {
            references: CheckList::references(&created, &rules.limits),
            make: Box::new(move |existing| {
                CheckList::create(&created, DraftContext { existing, ids: &NoIds, rules: &rules })
            }),
        };
        let replaced = CheckListDraft { id: None, name, actions: vec![action] };
        let change = Edit {
            at: Target::any_version(check_list_id(2)),
            references: CheckList::references(&replaced, &rules.limits),
            change: Box::new(move |list: &CheckList, existing: &Existing| {
                list.replace(&replaced, DraftContext { existing, ids: &NoIds, rules: &rules })
            }),
        };
        let (first, second) = tokio::join!(
            ports.check_lists.create(new, by()),
            ports.check_lists.update(change, by()),
        );
        let fault = |rule| {
            let fault = Fault { identifier: "actions[0].id".to_owned(), rule };
            EditError::Refused(Refusal::Invalid(vec![fault]))
        };
        match (first, second) {
            (Ok(_), Err(refused)) => assert_eq!(refused, fault(Rule::Reference)),
            (Err(refused), Ok(_)) => assert_eq!(refused, fault(Rule::Unique)),
            other => panic!("{other:?}"),
        }
    }
}

/// A change or deletion of an action gives its list the next version; a change that leaves everything as it
/// was does not, and neither does one that changes nothing.
pub async fn a_change_of_an_action_is_a_version_of_its_list<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    let (first, list) = version_of(&ports, 1).await;
    let id = check_list_action_id(1);
    for change in [|_: &CheckListAction| Ok(None), |same: &CheckListAction| Ok(Some(same.clone()))]
    {
        ports.check_list_actions.update(edit(id, change), by()).await.expect("an update");
        assert_eq!(version_of(&ports, 1).await, (first, list.clone()));
    }
    let change = edit(id, |action| Ok(Some(edited(action))));
    ports.check_list_actions.update(change, by()).await.expect("an update");
    assert_eq!(version_of(&ports, 1).await.0, first.next());
    ports.check_list_actions.delete(Target::any_version(id), by()).await.expect("a delete");
    assert_eq!(version_of(&ports, 1).await.0, first.next().next());
}

/// A read beside changes sees one of the states: a version and the actions of this version.
pub async fn a_read_sees_one_version_of_a_list<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    let (first, _) = version_of(&ports, 1).await;
    let change = async {
        for number in 0..200 {
            let edit = edit(check_list_action_id(1), move |action: &CheckListAction| {
                Ok(Some(CheckListAction { order: number, ..action.clone() }))
            });
            ports.check_list_actions.update(edit, by()).await.expect("an update");
        }
    };
    let watch = async {
        for _ in 0..400 {
            let (version, list) = version_of(&ports, 1).await;
            let action = list.actions.iter().find(|action| action.id == check_list_action_id(1));
            let order = action.expect("the action").order;
            assert!(version == first || version.0 == first.0 + 1 + i64::from(order), "{list:?}");
        }
    };
    tokio::join!(change, watch);
}

/// A page of lists that take too much memory is `PageTooLarge`, and read in parts if it may be.
pub async fn lists_that_take_much_memory_are_read_in_parts<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let text = "Ж".repeat(PART_BYTES / 16);
    let lists: Vec<_> = (1..=10)
        .map(|number| {
            let mut list = check_list(number, &[number]);
            list.actions[0].name.clone_from(&text);
            list
        })
        .collect();
    import(&ports, lists.iter().cloned().map(Record::CheckList).collect())
        .await
        .expect("an import");
    let page = Page { limit: 10, offset: 0 };
    let query = |in_parts| Query::<CheckListList> { page, in_parts, ..everything() };
    let whole: Vec<_> = ports.check_lists.list(query(false)).collect().await;
    assert_eq!(whole, [Err(StoreError::PageTooLarge)]);
    let (read, total) = read(ports.check_lists.list(query(true))).await;
    assert!(read == lists && total == 10);
}
