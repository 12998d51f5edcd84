//! The content of a check-list or an action in POST, PUT and the data set.

use std::collections::HashSet;

use super::{CheckList, CheckListAction, CheckListList};
use crate::{
    shared::{
        check,
        drafted::{DraftContext, Drafted},
        existing::{Existing, References},
        fault::{Faults, Path, Refusal, Rule},
        ids::{CheckListActionId, CheckListId, Uuid},
        ports::Ids,
        rules::{Limits, Rules},
    },
    task_execution::ActionType,
};

/// A check-list before [`CheckListDraft::check`]: with the right JSON types, but not checked against
/// the field rules.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs)] // named as in docs/api
pub struct CheckListDraft {
    pub id: Option<CheckListId>,
    pub name: Option<String>,
    pub actions: Vec<CheckListActionDraft>,
}

/// An action of a [`CheckListDraft`], or the body of its own POST.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs)] // named as in docs/api
pub struct CheckListActionDraft {
    pub id: Option<CheckListActionId>,
    pub name: Option<String>,
    pub kind: Option<String>,
    pub order: Option<i64>,
    pub required: bool,
    pub min_value: Option<f64>,
    pub max_value: Option<f64>,
}

/// The use for which a draft is checked.
#[derive(Clone, Copy)]
pub enum DraftUse<'a> {
    /// An import. Every id is required, and the store checks whether it is taken. An action without
    /// `order` gets its position.
    Import,
    /// POST: no id may be taken.
    Create {
        /// The lookup of the references.
        existing: &'a Existing,
        /// Makes the ids that the draft does not have.
        ids: &'a dyn Ids,
    },
    /// PUT. Actions are matched by id; an id that no check-list has becomes the id of a new action.
    Replace {
        /// The check-list before the change.
        list: &'a CheckList,
        /// The lookup of the references.
        existing: &'a Existing,
        /// Makes the ids of new actions.
        ids: &'a dyn Ids,
    },
}

impl DraftUse<'_> {
    const fn is_import(self) -> bool {
        matches!(self, Self::Import)
    }

    /// A new id; `None` in an import.
    fn new_id(self) -> Option<Uuid> {
        match self {
            Self::Import => None,
            Self::Create { ids, .. } | Self::Replace { ids, .. } => Some(ids.next()),
        }
    }

    /// The id of the check-list.
    fn list_id(self, faults: &mut Faults, given: Option<CheckListId>) -> Option<CheckListId> {
        let path = Path::Root.field("id");
        match self {
            Self::Replace { list, .. } => return Some(list.id),
            Self::Create { existing, .. } if given.is_some_and(|id| existing.has(id)) => {
                faults.push(&path, Rule::Unique);
            }
            Self::Import | Self::Create { .. } => {}
        }
        check::required(faults, &path, given.or_else(|| self.new_id().map(CheckListId)))
    }

    /// The rule that the id of an action breaks.
    fn rule_broken_by(self, id: CheckListActionId, is_repeated: bool) -> Option<Rule> {
        match self {
            Self::Import => is_repeated.then_some(Rule::Unique),
            Self::Create { existing, .. } => {
                (is_repeated || existing.check_list_actions.contains(&id)).then_some(Rule::Unique)
            }
            Self::Replace { list, existing, .. } => {
                let is_own = list.actions.iter().any(|action| action.id == id);
                let is_taken = !is_own && existing.check_list_actions.contains(&id);
                (is_repeated || is_taken).then_some(Rule::Reference)
            }
        }
    }
}

/// A change of a check-list does not affect executions that were created from it.
impl Drafted for CheckList {
    type Draft = CheckListDraft;
    type List = CheckListList;

    /// A list longer than its bound is a fault, so only its first elements are included.
    fn references(draft: &CheckListDraft, limits: &Limits) -> References {
        let actions = draft.actions.iter().take(limits.actions);
        References::default().with(draft.id).with_actions(actions.filter_map(|action| action.id))
    }

    fn create(draft: &CheckListDraft, context: DraftContext<'_>) -> Result<Self, Refusal> {
        let DraftContext { existing, ids, rules } = context;
        draft.check(DraftUse::Create { existing, ids }, rules)
    }

    /// Actions are matched by id.
    fn replace(
        &self,
        draft: &CheckListDraft,
        context: DraftContext<'_>,
    ) -> Result<Option<Self>, Refusal> {
        let DraftContext { existing, ids, rules } = context;
        let new = draft.check(DraftUse::Replace { list: self, existing, ids }, rules)?;
        Ok((new != *self).then_some(new))
    }
}

impl CheckListDraft {
    /// The check-list, if all members meet their rules.
    ///
    /// # Errors
    /// `Invalid` with the faults of the members, in their order.
    pub fn check(&self, used_for: DraftUse<'_>, rules: &Rules) -> Result<CheckList, Refusal> {
        Faults::checked(|faults| {
            let limits = &rules.limits;
            let id = used_for.list_id(faults, self.id);
            let name = check::name(faults, &Path::Root.field("name"), self.name.as_deref(), limits);
            let path = Path::Root.field("actions");
            check::list_length(faults, &path, self.actions.len(), limits.actions);
            let mut next_order = self.next_order();
            let mut seen = HashSet::new();
            let mut actions = Vec::new();
            for (at, action) in self.actions.iter().enumerate().take(limits.actions) {
                let path = path.index(at);
                let is_repeated = action.id.is_some_and(|id| !seen.insert(id));
                let default =
                    if used_for.is_import() { i32::try_from(at).ok()? } else { next_order };
                if action.order.is_none() {
                    next_order = next_order.saturating_add(1);
                }
                actions.push(action.checked(faults, &path, used_for, is_repeated, default, rules));
            }
            let mut actions: Vec<_> = actions.into_iter().collect::<Option<_>>()?;
            actions.sort_by_key(|action| action.order);
            Some(CheckList { id: id?, name: name?, actions })
        })
    }

    /// The order after the greatest one in the draft.
    fn next_order(&self) -> i32 {
        let orders = self.actions.iter().filter_map(|action| action.order);
        CheckList::next_order(orders.filter_map(|order| i32::try_from(order).ok()))
    }
}

impl CheckListActionDraft {
    /// What the store has to look up for the draft of one more action.
    #[must_use]
    pub fn references(&self) -> References {
        References::default().with_actions(self.id)
    }

    /// One more action of `list`. Without an order it comes last.
    ///
    /// # Errors
    /// `Invalid` with the faults of the members, in their order, or because the list is full.
    pub fn check_for(
        &self,
        list: &CheckList,
        existing: &Existing,
        ids: &dyn Ids,
        rules: &Rules,
    ) -> Result<CheckListAction, Refusal> {
        let order = CheckList::next_order(list.actions.iter().map(|action| action.order));
        let used_for = DraftUse::Create { existing, ids };
        let count = list.actions.len().saturating_add(1);
        Faults::checked(|faults| {
            let action = self.checked(faults, &Path::Root, used_for, false, order, rules);
            check::list_length(faults, &Path::Root.field("actions"), count, rules.limits.actions);
            action
        })
    }

    fn checked(
        &self,
        faults: &mut Faults,
        path: &Path<'_>,
        used_for: DraftUse<'_>,
        is_repeated: bool,
        default_order: i32,
        rules: &Rules,
    ) -> Option<CheckListAction> {
        let broken = self.id.and_then(|id| used_for.rule_broken_by(id, is_repeated));
        if let Some(rule) = broken {
            faults.push(&path.field("id"), rule);
        }
        let id = self.id.or_else(|| used_for.new_id().map(CheckListActionId));
        let id = check::required(faults, &path.field("id"), id);
        let name = check::name(faults, &path.field("name"), self.name.as_deref(), &rules.limits);
        let kind = check::required(faults, &path.field("type"), self.kind.as_deref())
            .and_then(|kind| check::enum_value(faults, &path.field("type"), kind));
        let order = match self.order {
            Some(order) => check::int32(faults, &path.field("order"), order),
            None => Some(default_order),
        };
        let kind = kind?;
        check::bounds(faults, path, self.min_value, self.max_value);
        // Only NUMBER actions keep their bounds.
        let bound = |value: Option<f64>| value.filter(|_| kind == ActionType::Number);
        let (min_value, max_value) = (bound(self.min_value), bound(self.max_value));
        Some(CheckListAction {
            id: id?,
            name: name?,
            kind,
            order: order?,
            required: self.required,
            min_value,
            max_value,
        })
    }
}
