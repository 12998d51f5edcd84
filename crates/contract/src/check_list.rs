//! [`CheckListActions`](patrol_domain::check_list::CheckListActions).

use patrol_domain::{
    Edit, EditError, Existing, Refusal,
    check_list::{CheckList, CheckListAction},
    data_set::Record,
    task_execution::ActionType,
};

use crate::{
    Adapter, Ports,
    data_set::exported,
    sample::{by, check_list, check_list_action_id, check_list_id, fill, import, whole_execution},
};

/// A store with two check-lists, and an execution.
async fn filled<A: Adapter>(adapter: &A) -> Ports {
    let ports = adapter.fresh().await;
    fill(&ports, &[whole_execution(1)]).await;
    let lists = [check_list(1, &[2, 1, 3]), check_list(2, &[4])].map(Record::CheckList);
    import(&ports, lists.into()).await.expect("an import");
    ports
}

type Changed = Result<Option<CheckListAction>, Refusal>;

async fn update(
    ports: &Ports,
    number: u128,
    change: impl Fn(&CheckListAction) -> Changed + Send + Sync + 'static,
) -> Result<CheckListAction, EditError> {
    let change = Box::new(move |action: &CheckListAction, _: &Existing| change(action));
    let edit = Edit { names: Default::default(), change };
    ports.check_list_actions.update(check_list_action_id(number), edit, by()).await
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
    let answer = update(&ports, 1, |action| Ok(Some(edited(action)))).await;
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

/// Nothing is stored when the edit returns `None`, when it refuses, and when the action does not
/// exist.
pub async fn an_edit_that_is_none_or_refused_changes_nothing<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    let before = exported(&ports).await;
    assert_eq!(update(&ports, 1, |_| Ok(None)).await, Ok(action(1)));
    let refused = EditError::Refused(Refusal::Denied);
    assert_eq!(update(&ports, 1, |_| Err(Refusal::Denied)).await, Err(refused));
    let missing = update(&ports, 9, |action| Ok(Some(edited(action)))).await;
    assert_eq!(missing, Err(EditError::Missing));
    assert_eq!(exported(&ports).await, before);
}

/// Concurrent edits of one action are all stored.
pub async fn edits_of_one_action_wait_for_each_other<A: Adapter>(adapter: &A) {
    const WRITERS: usize = 50;
    let ports = filled(adapter).await;
    let length = action(1).name.len();
    let writers = (0..WRITERS).map(|_| {
        let ports = ports.clone();
        tokio::spawn(async move {
            let append = |action: &CheckListAction| {
                Ok(Some(CheckListAction { name: format!("{}x", action.name), ..action.clone() }))
            };
            update(&ports, 1, append).await
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.expect("a writer").expect("an edit");
    }
    let after = update(&ports, 1, |_| Ok(None)).await.expect("the action");
    assert_eq!(after.name.len(), length + WRITERS);
}

/// A deleted action is removed from its list and `Missing` from then on; nothing else changes.
pub async fn a_deleted_action_is_gone_from_its_list<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    let mut wanted = exported(&ports).await;
    for number in [1, 4] {
        let id = check_list_action_id(number);
        assert_eq!(ports.check_list_actions.delete(id, by()).await, Ok(()));
        for record in &mut wanted {
            if let Record::CheckList(list) = record {
                list.actions.retain(|action| action.id != id);
            }
        }
        assert_eq!(exported(&ports).await, wanted);
        assert_eq!(ports.check_list_actions.delete(id, by()).await, Err(EditError::Missing));
        assert_eq!(update(&ports, number, |_| Ok(None)).await, Err(EditError::Missing));
    }
}
