//! Random check-lists.

use patrol_domain::{
    Named,
    check_list::{CheckList, CheckListAction},
    task_execution::ActionType,
};
use proptest::{collection::vec, num::f64::NORMAL, option::of, prelude::*, sample::select};

use super::{texts, uuid};

fn action() -> impl Strategy<Value = CheckListAction> {
    let kind = (select(ActionType::ALL.to_vec()), -3..3_i32, any::<bool>());
    (uuid(), texts(), kind, of(NORMAL), of(NORMAL)).prop_map(
        |(id, name, (kind, order, required), min_value, max_value)| CheckListAction {
            order,
            required,
            min_value,
            max_value,
            ..CheckListAction::new(id, name, kind)
        },
    )
}

/// Check-lists with actions.
pub(crate) fn check_list() -> impl Strategy<Value = CheckList> {
    (uuid(), texts(), vec(action(), 0..4)).prop_map(|(id, name, mut actions)| {
        actions.sort_by_key(|action| action.order);
        CheckList { id, name, actions }
    })
}
