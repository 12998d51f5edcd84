//! PATCH of an execution.

use std::collections::HashSet;

use super::{Priority, TaskExecution, content::check_period};
use crate::shared::{
    check,
    existing::{Existing, References},
    fault::{Faults, Path, Refusal, Rule},
    ids::{LocationId, UserId},
    patch::{Patch, not_null},
    rules::{Limits, Rules},
    timestamp::Timestamp,
};

/// The members of a PATCH: the JSON types are checked, the field rules are not.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs)] // named as in docs/api
pub struct ExecutionPatch {
    pub name: Patch<String>,
    pub description: Patch<String>,
    pub location_id: Patch<LocationId>,
    pub assignee_ids: Patch<Vec<UserId>>,
    pub start_at: Patch<Timestamp>,
    pub end_at: Patch<Timestamp>,
    pub priority: Patch<String>,
    pub order_steps_required: Patch<bool>,
    pub strict_time_required: Patch<bool>,
    pub deadlined: Patch<bool>,
    pub tags: Patch<Vec<String>>,
    pub published: Patch<bool>,
}

impl ExecutionPatch {
    /// The records that the patch refers to. A list longer than its bound is a fault, so only its
    /// first elements are included.
    #[must_use]
    pub fn references(&self, limits: &Limits) -> References {
        let assignees = self.assignee_ids.value().into_iter().flatten().take(limits.assignees);
        References::default().with(assignees.copied()).with(self.location_id.value().copied())
    }

    /// Whether the patch has a member that may not change once the execution is COMPLETED: any
    /// member except published and tags.
    fn changes_evidence(&self) -> bool {
        let (tags, published) = (self.tags.clone(), self.published);
        *self != Self { tags, published, ..Self::default() }
    }

    /// The execution after the change; `None` when nothing changes.
    ///
    /// # Errors
    /// `State` when the execution is COMPLETED and the patch has other members than published and
    /// tags, `Invalid` with the faults of the members.
    pub fn apply(
        &self,
        execution: &TaskExecution,
        existing: &Existing,
        rules: &Rules,
    ) -> Result<Option<TaskExecution>, Refusal> {
        if execution.is_completed() && self.changes_evidence() {
            return Err(Refusal::State("state".to_owned()));
        }
        let mut faults = Faults::new();
        let mut next = execution.clone();
        self.apply_members(&mut next, &mut faults, execution, existing, rules);
        let mut next = faults.into_result(next)?;
        if next == *execution {
            return Ok(None);
        }
        next.edited = true;
        Ok(Some(next))
    }

    /// Checks the members and writes them to `next`. Faults come in the order in which
    /// `docs/api/task-executions.md` lists the members.
    fn apply_members(
        &self,
        next: &mut TaskExecution,
        faults: &mut Faults,
        execution: &TaskExecution,
        existing: &Existing,
        rules: &Rules,
    ) {
        let limits = &rules.limits;
        let at = |name| Path::Root.field(name);

        if let Some(name) = not_null(faults, &at("name"), &self.name) {
            check::text(faults, &at("name"), name, 1, limits.name);
            next.name.clone_from(name);
        }
        if !self.description.is_absent() {
            next.description = self.description.value().cloned();
        }
        if let Some(description) = self.description.value() {
            check::text(faults, &at("description"), description, 0, limits.description);
        }
        if let Some(location) = not_null(faults, &at("locationId"), &self.location_id) {
            if execution.location_id != *location && !existing.has(*location) {
                faults.push(&at("locationId"), Rule::Reference);
            }
            next.location_id = *location;
        }
        if let Some(assignees) = not_null(faults, &at("assigneeIds"), &self.assignee_ids) {
            check::list_length(faults, &at("assigneeIds"), assignees.len(), limits.assignees);
            let current: HashSet<_> = execution.assignee_ids.iter().collect();
            for (index, assignee) in assignees.iter().enumerate().take(limits.assignees) {
                if !current.contains(assignee) && !existing.has(*assignee) {
                    faults.push(&at("assigneeIds").index(index), Rule::Reference);
                }
            }
            next.assignee_ids = check::distinct(assignees);
        }
        if let Some(start) = not_null(faults, &at("startAt"), &self.start_at) {
            next.start_at = *start;
        }
        if let Some(end) = not_null(faults, &at("endAt"), &self.end_at) {
            next.end_at = *end;
        }
        check_period(faults, Some(next.start_at), Some(next.end_at));
        if let Some(priority) = not_null(faults, &at("priority"), &self.priority)
            && let Some(priority) = check::enum_value::<Priority>(faults, &at("priority"), priority)
        {
            next.priority = priority;
        }
        let flags = [
            ("orderStepsRequired", &self.order_steps_required, &mut next.order_steps_required),
            ("strictTimeRequired", &self.strict_time_required, &mut next.strict_time_required),
            ("deadlined", &self.deadlined, &mut next.deadlined),
        ];
        for (name, flag, field) in flags {
            if let Some(flag) = not_null(faults, &at(name), flag) {
                *field = *flag;
            }
        }
        if let Some(tags) = not_null(faults, &at("tags"), &self.tags) {
            next.tags = check::tags(faults, &at("tags"), tags, limits);
        }
        if let Some(published) = not_null(faults, &at("published"), &self.published) {
            next.published = *published;
        }
    }
}
