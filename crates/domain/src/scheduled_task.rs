//! Scheduled tasks.

use crate::shared::{
    check,
    fault::{Faults, Path, Refusal},
    ids::ScheduledTaskId,
    rules::Rules,
};

/// A task that is planned repeatedly. Each run of the task is an execution.
#[derive(Clone, PartialEq, Debug)]
pub struct ScheduledTask {
    /// Unique among scheduled tasks; never changes.
    pub id: ScheduledTaskId,
    /// 1 to 255 characters by default.
    pub name: String,
    /// At most 10,000 characters by default.
    pub description: Option<String>,
}

/// A scheduled task of the data set: the JSON types are checked, the field rules are not.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs)] // named as in docs/api
pub struct ScheduledTaskDraft {
    pub id: Option<ScheduledTaskId>,
    pub name: Option<String>,
    pub description: Option<String>,
}

impl ScheduledTaskDraft {
    /// The scheduled task, if all members meet their rules.
    ///
    /// # Errors
    /// `Invalid` with the faults of the members, in their order.
    pub fn check(&self, rules: &Rules) -> Result<ScheduledTask, Refusal> {
        let mut faults = Faults::new();
        let at = |name| Path::Root.field(name);
        let id = check::required(&mut faults, &at("id"), self.id);
        let name = check::name(&mut faults, &at("name"), self.name.as_deref(), &rules.limits);
        if let Some(description) = &self.description {
            let max = rules.limits.description;
            check::text(&mut faults, &at("description"), description, 0, max);
        }
        match (id, name) {
            (Some(id), Some(name)) => faults.into_result(ScheduledTask {
                id,
                name,
                description: self.description.clone(),
            }),
            _ => Err(Refusal::Invalid(faults.into_vec())),
        }
    }
}
