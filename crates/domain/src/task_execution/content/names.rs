//! Checks the ids in a body.

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

/// Which ids a body may use.
#[derive(Debug)]
pub(crate) enum KnownParts<'a> {
    /// A record of the data set: steps and actions have new ids; the store checks the references.
    New,
    /// A change of an execution: keys match its parts; references are already in it or exist in the
    /// store.
    Of {
        /// The execution before the change.
        execution: &'a TaskExecution,
        /// The kind of id used as key.
        by: MatchedBy,
        /// Which of the referenced records exist.
        existing: &'a Existing,
    },
}

/// Checks ids in a body and collects the faults.
pub(super) struct Names<'a> {
    known: &'a KnownParts<'a>,
    held_points: HashSet<PointId>,
    held_users: HashSet<UserId>,
    steps: HashSet<Uuid>,
    actions: HashSet<Uuid>,
    used_steps: HashSet<Uuid>,
    used_actions: HashSet<Uuid>,
}

impl<'a> Names<'a> {
    pub(super) fn new(known: &'a KnownParts<'a>) -> Self {
        let mut names = Self {
            known,
            held_points: HashSet::new(),
            held_users: HashSet::new(),
            steps: HashSet::new(),
            actions: HashSet::new(),
            used_steps: HashSet::new(),
            used_actions: HashSet::new(),
        };
        if let KnownParts::Of { execution, by, .. } = known {
            names.held_points = execution.steps.iter().filter_map(|step| step.point_id).collect();
            names.held_users = execution.assignee_ids.iter().copied().collect();
            names.steps = execution.steps.iter().filter_map(|step| by.step(step)).collect();
            let actions = execution.steps.iter().flat_map(|step| &step.actions);
            names.actions = actions.filter_map(|action| by.action(action)).collect();
        }
        names
    }

    pub(super) fn user(&self, faults: &mut Faults, path: &Path<'_>, user: UserId) {
        if let KnownParts::Of { existing, .. } = self.known
            && !self.held_users.contains(&user)
            && !existing.users.contains(&user)
        {
            faults.push(path, Rule::Reference);
        }
    }

    pub(super) fn location(&self, faults: &mut Faults, path: &Path<'_>, location: LocationId) {
        if let KnownParts::Of { execution, existing, .. } = self.known
            && execution.location_id != location
            && !existing.locations.contains(&location)
        {
            faults.push(path, Rule::Reference);
        }
    }

    pub(super) fn point(&self, faults: &mut Faults, path: &Path<'_>, point: PointId) {
        if let KnownParts::Of { existing, .. } = self.known
            && !self.held_points.contains(&point)
            && !existing.points.contains(&point)
        {
            faults.push(path, Rule::Reference);
        }
    }

    pub(super) fn step(&mut self, faults: &mut Faults, path: &Path<'_>, key: Option<Uuid>) {
        self.part(faults, path, key, |names| (&names.steps, &mut names.used_steps));
    }

    pub(super) fn action(&mut self, faults: &mut Faults, path: &Path<'_>, key: Option<Uuid>) {
        self.part(faults, path, key, |names| (&names.actions, &mut names.used_actions));
    }

    /// A key has to belong to the execution and may occur once.
    fn part(
        &mut self,
        faults: &mut Faults,
        path: &Path<'_>,
        key: Option<Uuid>,
        sets: impl Fn(&mut Self) -> (&HashSet<Uuid>, &mut HashSet<Uuid>),
    ) {
        let Some(key) = key else { return };
        let matched = match self.known {
            KnownParts::New => None,
            KnownParts::Of { by, .. } => Some(*by),
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
