//! Checks the ids in content: keys of steps and actions, and references to other records.

use std::collections::{HashMap, HashSet};

use super::MatchedBy;
use crate::{
    shared::{
        check,
        existing::{Existing, RecordId, References},
        fault::{Faults, Path, Rule},
        ids::Uuid,
        patch::Patch,
    },
    task_execution::{Action, ActionType, TaskExecution},
};

/// The ids that content may contain.
#[derive(Debug)]
pub(crate) enum AllowedIds<'a> {
    /// In the data set: any ids, without duplicate keys. The store checks the references.
    Any {
        /// Whether `minValue` may be above `maxValue`, as in executions that an older version
        /// exported.
        with_any_bounds: bool,
    },
    /// The ids in a change of a record. A key has to match one of its steps or actions. A reference
    /// has to be in the record already, or the record that it names has to exist.
    ChangeOf {
        /// The ids in the record before the change.
        known: &'a KnownIds,
        /// How keys are matched.
        by: MatchedBy,
        /// The referenced records that exist.
        existing: &'a Existing,
    },
}

/// The ids that a change may repeat: those in the record before the change. A new execution of a
/// task may repeat the references of the plan. Any other new record has no such ids.
#[derive(Debug, Default)]
pub(crate) struct KnownIds {
    /// The location, the assignees, and the points and check-lists of the steps.
    pub(crate) references: References,
    /// The keys of the steps.
    pub(crate) steps: HashSet<Uuid>,
    /// The actions by key.
    pub(crate) actions: HashMap<Uuid, KnownAction>,
}

/// What a change may keep of an action.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownAction {
    /// The type of the result.
    pub(crate) kind: ActionType,
    /// The smallest reading that passes.
    pub(crate) min_value: Option<f64>,
    /// The greatest reading that passes.
    pub(crate) max_value: Option<f64>,
}

impl KnownIds {
    /// The ids in an execution.
    pub(crate) fn of(execution: &TaskExecution, by: MatchedBy) -> Self {
        let known = |action: &Action| {
            let Action { kind, min_value, max_value, .. } = action;
            KnownAction { kind: *kind, min_value: *min_value, max_value: *max_value }
        };
        let steps = || execution.steps.iter();
        let actions = steps().flat_map(|step| &step.actions);
        Self {
            references: References::default()
                .with([execution.location_id])
                .with(execution.assignee_ids.iter().copied())
                .with(steps().filter_map(|step| step.point_id)),
            steps: steps().filter_map(|step| by.step_key(step)).collect(),
            actions: actions
                .filter_map(|action| Some((by.action_key(action)?, known(action))))
                .collect(),
        }
    }
}

/// Checks the ids of one body and collects the faults.
pub(super) struct IdChecker<'a> {
    allowed: &'a AllowedIds<'a>,
    used_steps: HashSet<Uuid>,
    used_actions: HashSet<Uuid>,
}

/// The capacity of a hash set with 32 buckets, enough for the actions of most executions.
const USUAL_ACTIONS: usize = 28;

impl<'a> IdChecker<'a> {
    pub(super) fn new(allowed: &'a AllowedIds<'a>) -> Self {
        Self {
            allowed,
            used_steps: HashSet::new(),
            used_actions: HashSet::with_capacity(USUAL_ACTIONS),
        }
    }

    /// Checks that the record already has the reference, or that the record with this id exists.
    pub(super) fn check_reference(&self, faults: &mut Faults, path: &Path<'_>, id: impl RecordId) {
        if let AllowedIds::ChangeOf { known, existing, .. } = self.allowed
            && !known.references.has(id)
            && !existing.has(id)
        {
            faults.push(path, Rule::Reference);
        }
    }

    pub(super) fn check_step(&mut self, faults: &mut Faults, path: &Path<'_>, key: Option<Uuid>) {
        let is_known = |known: &KnownIds, key: &Uuid| known.steps.contains(key);
        check_key(self.allowed, faults, path, key, &mut self.used_steps, is_known);
    }

    pub(super) fn check_action(&mut self, faults: &mut Faults, path: &Path<'_>, key: Option<Uuid>) {
        let is_known = |known: &KnownIds, key: &Uuid| known.actions.contains_key(key);
        check_key(self.allowed, faults, path, key, &mut self.used_actions, is_known);
    }

    /// Checks that `minValue` is not above `maxValue` after the change, if the body has at least
    /// one of them. Stored values that break this rule may stay: imported executions may have them.
    pub(super) fn check_bounds(
        &self,
        faults: &mut Faults,
        path: &Path<'_>,
        (key, kind): (Option<Uuid>, ActionType),
        [min, max]: [Patch<f64>; 2],
    ) {
        let known = match self.allowed {
            AllowedIds::Any { with_any_bounds: true } => return,
            AllowedIds::Any { with_any_bounds: false } => None,
            AllowedIds::ChangeOf { known, .. } => Some(known),
        };
        if min.is_absent() && max.is_absent() {
            return;
        }
        let current = known.zip(key).and_then(|(known, key)| known.actions.get(&key));
        let current = current.filter(|action| action.kind == kind);
        let min = min.apply_to(current.and_then(|action| action.min_value));
        let max = max.apply_to(current.and_then(|action| action.max_value));
        check::bounds(faults, path, min, max);
    }
}

/// Checks that the key belongs to the record and occurs once in the body.
fn check_key(
    allowed: &AllowedIds<'_>,
    faults: &mut Faults,
    path: &Path<'_>,
    key: Option<Uuid>,
    used: &mut HashSet<Uuid>,
    is_known: impl Fn(&KnownIds, &Uuid) -> bool,
) {
    let Some(key) = key else { return };
    let is_repeated = !used.insert(key);
    match allowed {
        AllowedIds::ChangeOf { known, by, .. } if is_repeated || !is_known(known, &key) => {
            faults.push(&path.field(by.member()), Rule::Reference);
        }
        AllowedIds::Any { .. } if is_repeated => {
            faults.push(&path.field(MatchedBy::Id.member()), Rule::Unique);
        }
        AllowedIds::ChangeOf { .. } | AllowedIds::Any { .. } => {}
    }
}
