//! Check-lists and their actions.

use std::sync::Arc;

use patrol_domain::{
    At, Clock, Edit, Ids, New, Rules, Versioned,
    check_list::{
        CheckList, CheckListAction, CheckListActionDraft, CheckListActionEdit, CheckListActions,
        CheckListDraft, CheckListQuery, CheckLists, DraftUse, NewAction,
    },
    ids::{CheckListActionId, CheckListId},
    list::Listing,
};

use crate::{
    failure::Failure,
    permission::{Actor, Operation, permit},
};

/// The use cases of check-lists.
#[derive(Clone)]
pub struct CheckListService {
    lists: Arc<dyn CheckLists>,
    actions: Arc<dyn CheckListActions>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    rules: Rules,
}

impl CheckListService {
    /// Use cases that work with these ports.
    #[must_use]
    pub fn new(
        lists: Arc<dyn CheckLists>,
        actions: Arc<dyn CheckListActions>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
        rules: Rules,
    ) -> Self {
        Self { lists, actions, clock, ids, rules }
    }

    /// The check-lists that match the query, with their actions.
    ///
    /// # Errors
    /// `Denied`.
    #[tracing::instrument(target = "patrol::trace", name = "check_list.list", skip_all)]
    pub fn list(&self, actor: Actor, query: CheckListQuery) -> Result<Listing<CheckList>, Failure> {
        permit(actor, Operation::Read)?;
        Ok(self.lists.list(query))
    }

    /// One check-list.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "check_list.get", skip_all)]
    pub async fn get(
        &self,
        actor: Actor,
        id: CheckListId,
    ) -> Result<Versioned<CheckList>, Failure> {
        permit(actor, Operation::Read)?;
        self.lists.get(id).await?.ok_or(Failure::NotFound)
    }

    /// POST: creates a check-list. Ids that the draft does not have are new ones.
    ///
    /// # Errors
    /// `Denied`, `Refused`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "check_list.create", skip_all)]
    pub async fn create(&self, actor: Actor, draft: CheckListDraft) -> Result<CheckList, Failure> {
        permit(actor, Operation::Plan)?;
        let (ids, rules) = (Arc::clone(&self.ids), self.rules);
        let new = New {
            references: draft.references(&rules.limits),
            make: Box::new(move |existing| {
                draft.check(DraftUse::Create { existing, ids: &*ids }, &rules)
            }),
        };
        Ok(self.lists.create(new, actor.origin_at(self.clock.now())).await?)
    }

    /// PUT: replaces the name and the actions. Actions are matched by id.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Stale`, `Refused`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "check_list.replace", skip_all)]
    pub async fn replace(
        &self,
        actor: Actor,
        at: At<CheckList>,
        draft: CheckListDraft,
    ) -> Result<Versioned<CheckList>, Failure> {
        permit(actor, Operation::Plan)?;
        let (ids, rules) = (Arc::clone(&self.ids), self.rules);
        let edit = Edit {
            at,
            references: draft.references(&rules.limits),
            change: Box::new(move |list: &CheckList, existing| {
                let replace = DraftUse::Replace { list, existing, ids: &*ids };
                let new = draft.check(replace, &rules)?;
                Ok(Some(new).filter(|new| new != list))
            }),
        };
        Ok(self.lists.update(edit, actor.origin_at(self.clock.now())).await?)
    }

    /// Deletes the check-list with its actions.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Stale`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "check_list.delete", skip_all)]
    pub async fn delete(&self, actor: Actor, at: At<CheckList>) -> Result<(), Failure> {
        permit(actor, Operation::Plan)?;
        Ok(self.lists.delete(at, actor.origin_at(self.clock.now())).await?)
    }

    /// POST of an action: adds it to the check-list.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Refused`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "check_list.add_action", skip_all)]
    pub async fn add_action(
        &self,
        actor: Actor,
        list: CheckListId,
        draft: CheckListActionDraft,
    ) -> Result<CheckListAction, Failure> {
        permit(actor, Operation::Plan)?;
        let (ids, rules) = (Arc::clone(&self.ids), self.rules);
        let new = NewAction {
            list,
            references: draft.references(),
            make: Box::new(move |list, existing| draft.check_for(list, existing, &*ids, &rules)),
        };
        Ok(self.lists.add_action(new, actor.origin_at(self.clock.now())).await?)
    }

    /// One action.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "check_list.get_action", skip_all)]
    pub async fn get_action(
        &self,
        actor: Actor,
        id: CheckListActionId,
    ) -> Result<CheckListAction, Failure> {
        permit(actor, Operation::Read)?;
        let unchanged = Edit {
            at: At::any_version(id),
            references: Default::default(),
            change: Box::new(|_: &CheckListAction, _| Ok(None)),
        };
        let by = actor.origin_at(self.clock.now());
        Ok(self.actions.update(unchanged, by).await?.record)
    }

    /// PUT: changes the name and the type of an action.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Refused`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "check_list.edit_action", skip_all)]
    pub async fn edit_action(
        &self,
        actor: Actor,
        id: CheckListActionId,
        put: CheckListActionEdit,
    ) -> Result<CheckListAction, Failure> {
        permit(actor, Operation::Plan)?;
        let rules = self.rules;
        let edit = Edit {
            at: At::any_version(id),
            references: Default::default(),
            change: Box::new(move |action: &CheckListAction, _| {
                put.apply(action, &rules).map(Some)
            }),
        };
        let by = actor.origin_at(self.clock.now());
        Ok(self.actions.update(edit, by).await?.record)
    }

    /// Deletes the action.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "check_list.delete_action", skip_all)]
    pub async fn delete_action(&self, actor: Actor, id: CheckListActionId) -> Result<(), Failure> {
        permit(actor, Operation::Plan)?;
        let by = actor.origin_at(self.clock.now());
        Ok(self.actions.delete(At::any_version(id), by).await?)
    }
}
