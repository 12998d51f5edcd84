//! [`CheckListActions`](patrol_domain::check_list::CheckListActions).

use patrol_domain::{
    At, EditError,
    check_list::{CheckList, CheckListAction},
    data_set::Record,
    task_execution::ActionType,
};

use crate::{
    Adapter, Ports,
    data_set::exported,
    records::{edit, record},
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
        assert_eq!(ports.check_list_actions.delete(At::any_version(id), by()).await, Ok(()));
        for record in &mut wanted {
            if let Record::CheckList(list) = record {
                list.actions.retain(|action| action.id != id);
            }
        }
        assert_eq!(exported(&ports).await, wanted);
        assert_eq!(
            ports.check_list_actions.delete(At::any_version(id), by()).await,
            Err(EditError::Missing)
        );
        let updated = ports.check_list_actions.update(edit(id, |_| Ok(None)), by()).await;
        assert_eq!(updated, Err(EditError::Missing));
    }
}
