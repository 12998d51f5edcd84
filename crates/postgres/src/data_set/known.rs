//! Which of the referenced records exist.

use std::collections::HashSet;

use diesel::QueryResult;
use patrol_domain::data_set::{Record, Reference};

use super::batch::Line;
use crate::{engine::Connection, reference};

/// The most references in memory.
const MOST: usize = 100_000;

/// References to existing records. Referenced records cannot be deleted, so they stay valid.
#[derive(Default)]
pub(super) struct Known(HashSet<Reference>);

impl Known {
    /// Looks up the references of `lines` that are not known yet.
    pub(super) async fn look_up(&mut self, conn: &Connection, lines: &[Line]) -> QueryResult<()> {
        let named: HashSet<_> = lines
            .iter()
            .flat_map(|(_, record)| record.references())
            .map(|(_, reference)| reference)
            .collect();
        if self.0.len() > MOST {
            self.0.clear();
        }
        let (mut users, mut locations) = (Vec::new(), Vec::new());
        let (mut plans, mut tasks) = (Vec::new(), Vec::new());
        for reference in named.difference(&self.0) {
            match reference {
                Reference::User(user) => users.push(*user),
                Reference::Location(location) => locations.push(*location),
                Reference::GraphicPlan(plan, _) => plans.push(*plan),
                Reference::ScheduledTask(task) => tasks.push(*task),
            }
        }
        let found = reference::of_users(conn, &users).await?.into_iter();
        self.0.extend(found.map(Reference::User));
        let found = reference::of_locations(conn, &locations).await?.into_iter();
        self.0.extend(found.map(Reference::Location));
        let found = reference::of_plans(conn, &plans).await?.into_iter();
        self.0.extend(found.map(|(plan, location)| Reference::GraphicPlan(plan, location)));
        let found = reference::of_scheduled_tasks(conn, &tasks).await?.into_iter();
        self.0.extend(found.map(Reference::ScheduledTask));
        Ok(())
    }

    /// Whether the referenced record exists.
    pub(super) fn holds(&self, reference: &Reference) -> bool {
        self.0.contains(reference)
    }

    /// Whether all references of the record exist.
    pub(super) fn hold_all(&self, record: &Record) -> bool {
        record.references().iter().all(|(_, reference)| self.holds(reference))
    }
}
