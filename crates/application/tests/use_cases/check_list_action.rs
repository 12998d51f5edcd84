//! Check-list actions.

use std::sync::Arc;

use patrol_application::{CheckListActionService, Context, Failure, rules};
use patrol_domain::{
    EditError, Existing, Fault, Limits, Patch, Refusal, Rule, StoreError, Versioned,
    check_list::{CheckListAction, CheckListActionEdit, MockCheckListActions},
    ids::{CheckListActionId, Uuid},
    shared::ports::MockIds,
    task_execution::ActionType,
};

use crate::{ACTOR, clock};

const ID: CheckListActionId = CheckListActionId(Uuid::from_u128(1));

fn pressure() -> CheckListAction {
    CheckListAction {
        order: 3,
        required: true,
        min_value: Some(1.0),
        max_value: Some(2.0),
        ..CheckListAction::new(ID, "Pressure", ActionType::Number)
    }
}

fn service(actions: MockCheckListActions) -> CheckListActionService {
    let ids = Arc::new(MockIds::new());
    CheckListActionService::new(
        Arc::new(actions),
        Context::new(clock(), ids, rules(Limits::default())),
    )
}

/// Edits [`pressure`].
async fn edited(edit: CheckListActionEdit) -> Result<CheckListAction, Failure> {
    let mut actions = MockCheckListActions::new();
    actions.expect_update().times(1).returning(|edit, _| {
        assert_eq!(edit.at.id, ID);
        let changed = (edit.change)(&pressure(), &Existing::default())?;
        Ok(Versioned::unversioned(changed.unwrap_or_else(pressure)))
    });
    service(actions).edit(ACTOR, ID, edit).await
}

fn kind(kind: &str) -> CheckListActionEdit {
    CheckListActionEdit { name: Patch::Absent, kind: Some(kind.into()) }
}

#[tokio::test]
async fn an_absent_name_is_kept_and_only_a_number_keeps_its_bounds() {
    assert_eq!(edited(kind("NUMBER")).await, Ok(pressure()));
    let text = CheckListAction {
        name: "Notes".into(),
        kind: ActionType::Text,
        min_value: None,
        max_value: None,
        ..pressure()
    };
    let named = CheckListActionEdit { name: Patch::Value("Notes".into()), ..kind("TEXT") };
    assert_eq!(edited(named).await, Ok(text));
}

#[tokio::test]
async fn faults_are_reported_in_the_order_of_the_fields() {
    let edit = |name, kind: Option<&str>| CheckListActionEdit { name, kind: kind.map(Into::into) };
    let length = || Rule::Length { min: 1, max: 255 };
    let types = Rule::Enum(&["BOOLEAN", "MEDIA", "NUMBER", "TEXT"]);
    for (edit, wanted) in [
        (edit(Patch::Absent, None), vec![("type", Rule::NotNull)]),
        (edit(Patch::Null, None), vec![("name", Rule::NotNull), ("type", Rule::NotNull)]),
        (edit(Patch::Value(String::new()), Some("TEXT")), vec![("name", length())]),
        (edit(Patch::Value("é".repeat(256)), Some("TEXT")), vec![("name", length())]),
        (
            edit(Patch::Value("a\0".into()), Some("text")),
            vec![("name", Rule::Characters), ("type", types)],
        ),
    ] {
        let fault = |(at, rule): (&str, Rule)| Fault { identifier: at.to_owned(), rule };
        let faults = wanted.into_iter().map(fault).collect();
        assert_eq!(edited(edit).await, Err(Failure::Refused(Refusal::Invalid(faults))));
    }
}

#[tokio::test]
async fn a_missing_action_is_not_found_and_an_outage_is_reported() {
    let outage = StoreError::Unavailable("away".into());
    for (error, failure) in [
        (EditError::Missing, Failure::NotFound),
        (EditError::Store(outage.clone()), Failure::Store(outage)),
    ] {
        let mut actions = MockCheckListActions::new();
        let same = error.clone();
        actions.expect_update().return_once(move |_, _| Err(same));
        actions.expect_delete().return_once(move |_, _| Err(error));
        let service = service(actions);
        assert_eq!(service.edit(ACTOR, ID, kind("TEXT")).await, Err(failure.clone()));
        assert_eq!(service.delete(ACTOR, ID).await, Err(failure));
    }
    let mut actions = MockCheckListActions::new();
    actions.expect_delete().times(1).returning(|target, _| {
        assert_eq!(target.id, ID);
        Ok(())
    });
    assert_eq!(service(actions).delete(ACTOR, ID).await, Ok(()));
}
