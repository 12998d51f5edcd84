//! The tables of each kind of record.

use patrol_domain::{Resource, data_set::Record};

use crate::stored::aggregate::Aggregate;

/// Where the records of a kind are stored.
#[derive(Clone, Copy, Debug)]
pub struct Tables {
    /// The table with one row for each record.
    pub records: &'static str,
    /// The column with the id of the record that each one belongs to.
    pub parent: Option<&'static str>,
    /// Other tables, which both stores have.
    pub others: &'static [&'static str],
    /// The aggregate that counts the changes.
    pub aggregate: Aggregate,
}

impl Tables {
    /// The tables of a kind of record; `None` for kinds that no reference names.
    #[must_use]
    pub const fn of(kind: Resource) -> Option<Self> {
        Some(match kind {
            Resource::User => Self::new("users", Aggregate::User),
            Resource::Location => Self::new("locations", Aggregate::Location),
            Resource::GraphicPlan => Self {
                parent: Some("location_id"),
                ..Self::new("graphic_plans", Aggregate::Location)
            },
            Resource::Point => {
                Self { others: &["point_history"], ..Self::new("points", Aggregate::Point) }
            }
            Resource::CheckList => Self {
                others: &["check_list_actions"],
                ..Self::new("check_lists", Aggregate::CheckList)
            },
            Resource::ScheduledTask => Self {
                others: &["scheduled_task_occurrences"],
                ..Self::new("scheduled_tasks", Aggregate::ScheduledTask)
            },
            Resource::TaskExecution => Self {
                others: &["media_uses"],
                ..Self::new("task_executions", Aggregate::TaskExecution)
            },
            Resource::Report => Self::new("reports", Aggregate::Report),
            Resource::Media => Self::new("media", Aggregate::Media),
            Resource::Token | Resource::DataSet => return None,
        })
    }

    const fn new(records: &'static str, aggregate: Aggregate) -> Self {
        Self { records, parent: None, others: &[], aggregate }
    }

    /// The tables of all kinds of records of the data set.
    fn of_data_set() -> impl Iterator<Item = Self> {
        Record::KINDS.iter().filter_map(|kind| Self::of(*kind))
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
