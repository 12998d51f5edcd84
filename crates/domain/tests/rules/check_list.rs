//! POST and PUT of check-lists and their actions.

use patrol_domain::{
    Drafted as _, Existing, Refusal, Rule,
    check_list::{CheckList, CheckListAction, CheckListActionDraft, CheckListDraft, DraftUse},
    ids::{CheckListActionId, CheckListId},
    task_execution::ActionType,
};

use crate::sample::{Counting, faults, id, rules};

/// The actions 11 and 12, and action 21 of another list.
fn existing() -> Existing {
    let mut existing = Existing::from_iter([CheckListId(id(1))]);
    existing.check_list_actions = [11, 12, 21].map(|number| CheckListActionId(id(number))).into();
    existing
}

fn list() -> CheckList {
    let action = |(number, order)| CheckListAction {
        order,
        ..CheckListAction::new(CheckListActionId(id(number)), "Locked", ActionType::Boolean)
    };
    CheckList {
        id: CheckListId(id(1)),
        name: "Cold store".to_owned(),
        actions: [(11, 0), (12, 4)].map(action).into(),
    }
}

fn action(number: Option<u128>, order: Option<i64>) -> CheckListActionDraft {
    CheckListActionDraft {
        id: number.map(|number| CheckListActionId(id(number))),
        name: Some("Temperature".to_owned()),
        kind: Some("NUMBER".to_owned()),
        order,
        ..CheckListActionDraft::default()
    }
}

fn draft(actions: Vec<CheckListActionDraft>) -> CheckListDraft {
    CheckListDraft { id: None, name: Some("Cold store".to_owned()), actions }
}

fn create(draft: &CheckListDraft) -> Result<CheckList, Refusal> {
    let (existing, ids) = (existing(), Counting::default());
    draft.check(DraftUse::Create { existing: &existing, ids: &ids }, &rules())
}

fn replace(draft: &CheckListDraft) -> Result<CheckList, Refusal> {
    let (list, existing, ids) = (list(), existing(), Counting::default());
    draft.check(DraftUse::Replace { list: &list, existing: &existing, ids: &ids }, &rules())
}

fn add(draft: &CheckListActionDraft, list: &CheckList) -> Result<CheckListAction, Refusal> {
    draft.check_for(list, &existing(), &Counting::default(), &rules())
}

#[test]
fn an_action_without_an_order_comes_last() {
    let orders = |orders: &[Option<i64>]| {
        let actions = (31..).zip(orders).map(|(number, order)| action(Some(number), *order));
        let list = create(&draft(actions.collect())).unwrap();
        list.actions.iter().map(|action| (action.id.0.as_u128(), action.order)).collect::<Vec<_>>()
    };
    assert_eq!(orders(&[None, None]), [(31, 0), (32, 1)]);
    assert_eq!(orders(&[None, Some(7), None]), [(32, 7), (31, 8), (33, 9)]);
    assert_eq!(orders(&[Some(3), Some(-1), Some(3)]), [(32, -1), (31, 3), (33, 3)]);
    let last = i64::from(i32::MAX);
    assert_eq!(orders(&[Some(last), None]), [(31, i32::MAX), (32, i32::MAX)]);
    assert_eq!(add(&action(None, None), &list()).unwrap().order, 5);
    assert_eq!(add(&action(None, Some(2)), &list()).unwrap().order, 2);
    let empty = CheckList { actions: Vec::new(), ..list() };
    assert_eq!(add(&action(None, None), &empty).unwrap().order, 0);
}

#[test]
fn a_new_list_takes_no_id_of_another_record() {
    let created = create(&draft(vec![action(None, None)])).unwrap();
    assert_ne!(created.id.0, created.actions[0].id.0);
    let wanted = CheckListDraft { id: Some(CheckListId(id(2))), ..draft(vec![]) };
    assert_eq!(create(&wanted).unwrap().id, CheckListId(id(2)));
    let taken = [Some(11), Some(31), Some(31), None].map(|number| action(number, None));
    let taken = CheckListDraft { id: Some(CheckListId(id(1))), ..draft(taken.into()) };
    let expected = ["id", "actions[0].id", "actions[2].id"];
    assert_eq!(faults(create(&taken)), expected.map(|at| (at.to_owned(), Rule::Unique)));
    let refused = faults(add(&action(Some(21), None), &list()));
    assert_eq!(refused, [("id".to_owned(), Rule::Unique)]);
}

#[test]
fn a_put_matches_actions_by_id() {
    let actions = [Some(12), Some(31), None].map(|number| action(number, None));
    let put = CheckListDraft { id: Some(CheckListId(id(2))), ..draft(actions.into()) };
    let replaced = replace(&put).unwrap();
    assert_eq!(replaced.id, list().id);
    let ids: Vec<_> = replaced.actions.iter().map(|action| action.id.0).collect();
    assert_eq!(ids[..2], [id(12), id(31)]);
    assert!(!existing().check_list_actions.contains(&CheckListActionId(ids[2])));
    // Nothing of the stored action is kept.
    assert_eq!((replaced.actions[0].kind, replaced.actions[0].order), (ActionType::Number, 0));
    // The action of another list, and an action that stands twice.
    let actions = [Some(12), Some(21), Some(12)].map(|number| action(number, None));
    let expected = ["actions[1].id", "actions[2].id"];
    let refused = faults(replace(&draft(actions.into())));
    assert_eq!(refused, expected.map(|at| (at.to_owned(), Rule::Reference)));
}

#[test]
fn bounds_of_a_number_are_in_order() {
    let bounds =
        |min_value, max_value| CheckListActionDraft { min_value, max_value, ..action(None, None) };
    for (min, max) in [(None, Some(1.0)), (Some(1.0), None), (Some(1.0), Some(1.0))] {
        let stored = add(&bounds(min, max), &list()).unwrap();
        assert_eq!((stored.min_value, stored.max_value), (min, max));
    }
    let wrong = bounds(Some(1.5), Some(1.0));
    let expected = |at: &str| [(at.to_owned(), Rule::Bounds)];
    assert_eq!(faults(add(&wrong, &list())), expected("maxValue"));
    let wrong_list = draft(vec![wrong.clone()]);
    assert_eq!(faults(create(&wrong_list)), expected("actions[0].maxValue"));
    assert_eq!(faults(replace(&wrong_list)), expected("actions[0].maxValue"));
    // Other types do not keep their bounds.
    let text = |bounds| CheckListActionDraft { kind: Some("TEXT".to_owned()), ..bounds };
    assert_eq!(faults(add(&text(wrong.clone()), &list())), expected("maxValue"));
    let right = text(bounds(None, Some(1.0)));
    assert_eq!(add(&right, &list()).map(|action| action.max_value), Ok(None));
    let mut imported = CheckListDraft { id: Some(CheckListId(id(2))), ..wrong_list };
    imported.actions[0].id = Some(CheckListActionId(id(31)));
    let refused = imported.check(DraftUse::Import, &rules());
    assert_eq!(faults(refused), expected("actions[0].maxValue"));
}

#[test]
fn the_number_of_actions_is_bounded() {
    let most = rules().limits.actions;
    let full = draft(vec![action(None, None); most]);
    let length = |at: &str| [(at.to_owned(), Rule::Length { min: 0, max: most })];
    let full = create(&full).unwrap();
    assert_eq!(faults(add(&action(None, None), &full)), length("actions"));
    let more = draft(vec![action(None, None); most + 1]);
    assert_eq!(faults(create(&more)), length("actions"));
    assert_eq!(faults(replace(&more)), length("actions"));
    assert_eq!(CheckList::references(&more, &rules().limits).check_list_actions, [].into());
}
