//! The tables of each kind of record.

use patrol_domain::{Resource, data_set::Record};

/// Where the records of a kind are stored.
#[derive(Clone, Copy, Debug)]
pub struct Tables {
    /// The table with one row for each record.
    pub records: &'static str,
    /// The column with the id of the record that each one belongs to.
    pub parent: Option<&'static str>,
    /// Other tables, which both stores have.
    pub others: &'static [&'static str],
}

impl Tables {
    /// The tables of a kind of record; `None` for kinds that no reference names.
    #[must_use]
    pub const fn of(kind: Resource) -> Option<Self> {
        Some(match kind {
            Resource::User => Self::new("users"),
            Resource::Location => Self::new("locations"),
            Resource::GraphicPlan => {
                Self { parent: Some("location_id"), ..Self::new("graphic_plans") }
            }
            Resource::Point => Self { others: &["point_history"], ..Self::new("points") },
            Resource::CheckList => {
                Self { others: &["check_list_actions"], ..Self::new("check_lists") }
            }
            Resource::ScheduledTask => {
                Self { others: &["scheduled_task_occurrences"], ..Self::new("scheduled_tasks") }
            }
            Resource::TaskExecution => {
                Self { others: &["media_uses"], ..Self::new("task_executions") }
            }
            Resource::Report => Self::new("reports"),
            Resource::Media => Self::new("media"),
            Resource::Token | Resource::DataSet => return None,
        })
    }

    const fn new(records: &'static str) -> Self {
        Self { records, parent: None, others: &[] }
    }

    /// The tables of all kinds of records of the data set.
    fn of_data_set() -> impl Iterator<Item = Self> {
        Record::KINDS.iter().filter_map(|kind| Self::of(*kind))
    }
}

/// The row of `revision` that counts the changes of a kind. A graphic plan belongs to its location. An
/// import counts for each kind that it has.
#[must_use]
pub const fn revision(kind: Resource) -> &'static str {
    match kind {
        Resource::User => "user",
        Resource::Location | Resource::GraphicPlan => "location",
        Resource::Point => "point",
        Resource::CheckList => "check_list",
        Resource::ScheduledTask => "scheduled_task",
        Resource::TaskExecution => "task_execution",
        Resource::Report => "report",
        Resource::Media => "media",
        Resource::Token => "token",
        Resource::DataSet => "",
    }
}

/// An SQL condition: whether the store has a record of the data set.
#[must_use]
pub fn has_records() -> String {
    let tests = Tables::of_data_set().map(|of| format!("EXISTS (SELECT 1 FROM {})", of.records));
    tests.collect::<Vec<_>>().join(" OR ")
}

/// The names of all tables of the data set, separated by commas.
#[must_use]
pub fn names() -> String {
    let tables = Tables::of_data_set().flat_map(|of| [&[of.records], of.others].concat());
    tables.collect::<Vec<_>>().join(", ")
}
