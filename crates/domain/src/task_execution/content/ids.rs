//! Checks the ids in content: keys of steps and actions, and references to other records.

use std::collections::HashSet;

use super::MatchedBy;
use crate::{
    shared::{
        existing::Existing,
        fault::{Faults, Path, Rule},
        ids::{LocationId, PointId, UserId, Uuid},
    },
    task_execution::TaskExecution,
};

/// The ids that content may contain.
#[derive(Debug)]
pub(crate) enum AllowedIds<'a> {
    /// Any ids without duplicates: the ids in a record of the data set, whose references the store
    /// checks.
    Any,
    /// The ids in a change of this execution. A key has to match one of its steps or actions. A
    /// reference has to be in the execution already, or its record has to exist.
    ChangeOf {
        /// The execution before the change.
        execution: &'a TaskExecution,
        /// How keys are matched.
        by: MatchedBy,
        /// The referenced records that exist.
        existing: &'a Existing,
    },
}

/// Checks the ids of one body and collects the faults.
pub(super) struct IdChecker<'a> {
    allowed: &'a AllowedIds<'a>,
    current_points: HashSet<PointId>,
    current_users: HashSet<UserId>,
    steps: HashSet<Uuid>,
    actions: HashSet<Uuid>,
    used_steps: HashSet<Uuid>,
    used_actions: HashSet<Uuid>,
}

/// The actions of most executions fit without another allocation.
const USUAL_ACTIONS: usize = 28;

impl<'a> IdChecker<'a> {
    pub(super) fn new(allowed: &'a AllowedIds<'a>) -> Self {
        let mut checker = Self {
            allowed,
            current_points: HashSet::new(),
            current_users: HashSet::new(),
            steps: HashSet::new(),
            actions: HashSet::new(),
            used_steps: HashSet::new(),
            used_actions: HashSet::with_capacity(USUAL_ACTIONS),
        };
        if let AllowedIds::ChangeOf { execution, by, .. } = allowed {
            checker.current_points =
                execution.steps.iter().filter_map(|step| step.point_id).collect();
            checker.current_users = execution.assignee_ids.iter().copied().collect();
            checker.steps = execution.steps.iter().filter_map(|step| by.step_key(step)).collect();
            let actions = execution.steps.iter().flat_map(|step| &step.actions);
            checker.actions = actions.filter_map(|action| by.action_key(action)).collect();
        }
        checker
    }

    pub(super) fn check_user(&self, faults: &mut Faults, path: &Path<'_>, user: UserId) {
        if let AllowedIds::ChangeOf { existing, .. } = self.allowed
            && !self.current_users.contains(&user)
            && !existing.has(user)
        {
            faults.push(path, Rule::Reference);
        }
    }

    pub(super) fn check_location(
        &self,
        faults: &mut Faults,
        path: &Path<'_>,
        location: LocationId,
    ) {
        if let AllowedIds::ChangeOf { execution, existing, .. } = self.allowed
            && execution.location_id != location
            && !existing.has(location)
        {
            faults.push(path, Rule::Reference);
        }
    }

    pub(super) fn check_point(&self, faults: &mut Faults, path: &Path<'_>, point: PointId) {
        if let AllowedIds::ChangeOf { existing, .. } = self.allowed
            && !self.current_points.contains(&point)
            && !existing.has(point)
        {
            faults.push(path, Rule::Reference);
        }
    }

    pub(super) fn check_step(&mut self, faults: &mut Faults, path: &Path<'_>, key: Option<Uuid>) {
        self.check_key(faults, path, key, |ids| (&ids.steps, &mut ids.used_steps));
    }

    pub(super) fn check_action(&mut self, faults: &mut Faults, path: &Path<'_>, key: Option<Uuid>) {
        self.check_key(faults, path, key, |ids| (&ids.actions, &mut ids.used_actions));
    }

    /// Checks that the key belongs to the execution and occurs once in the body.
    fn check_key(
        &mut self,
        faults: &mut Faults,
        path: &Path<'_>,
        key: Option<Uuid>,
        sets: impl Fn(&mut Self) -> (&HashSet<Uuid>, &mut HashSet<Uuid>),
    ) {
        let Some(key) = key else { return };
        let matched = match self.allowed {
            AllowedIds::Any => None,
            AllowedIds::ChangeOf { by, .. } => Some(*by),
        };
        let (known, used) = sets(self);
        let repeated = !used.insert(key);
        match matched {
            Some(by) if repeated || !known.contains(&key) => {
                faults.push(&path.field(by.member()), Rule::Reference);
            }
            None if repeated => faults.push(&path.field(MatchedBy::Id.member()), Rule::Unique),
            Some(_) | None => {}
        }
    }
}
