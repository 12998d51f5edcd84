//! Collects the figures of groups.

use std::collections::HashMap;

use super::{Figures, FiguresKey, FiguresRow, Grouping};
use crate::{schedule::LocalDate, shared::ids::Uuid};

/// The maximum number of groups of an answer.
pub const MAX_GROUPS: usize = 20_000;

/// What a store groups by. Sorts as the groups of an answer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum GroupKey {
    /// The local day.
    Day(LocalDate),
    /// The record.
    Id(Uuid),
    /// Rounds without the record; all rounds when nothing is grouped.
    Absent,
}

/// The figures of groups, while rounds are added. Bounded by [`MAX_GROUPS`].
#[derive(Debug)]
pub struct Groups {
    grouping: Option<Grouping>,
    figures: HashMap<GroupKey, Figures>,
    is_full: bool,
}

impl Groups {
    /// No groups.
    #[must_use]
    pub fn new(grouping: Option<Grouping>) -> Self {
        Self { grouping, figures: HashMap::new(), is_full: false }
    }

    /// Adds rounds to a group. The group of a day is its week or month when these are grouped by.
    pub fn add(&mut self, key: GroupKey, figures: &Figures) {
        let key = match (self.grouping, key) {
            (Some(Grouping::Week), GroupKey::Day(day)) => GroupKey::Day(day.week_start()),
            (Some(Grouping::Month), GroupKey::Day(day)) => GroupKey::Day(day.month_start()),
            (_, key) => key,
        };
        if let Some(sum) = self.figures.get_mut(&key) {
            sum.add(figures);
        } else if self.figures.len() < MAX_GROUPS {
            self.figures.insert(key, *figures);
        } else {
            self.is_full = true;
        }
    }

    /// The ids of the records of the groups.
    #[must_use]
    pub fn ids(&self) -> Vec<Uuid> {
        let id = |key: &GroupKey| match key {
            GroupKey::Id(id) => Some(*id),
            GroupKey::Day(_) | GroupKey::Absent => None,
        };
        self.figures.keys().filter_map(id).collect()
    }

    /// The groups in order, with the names of their records; `None` when there were more than
    /// [`MAX_GROUPS`].
    #[must_use]
    pub fn into_rows(self, names: &mut HashMap<Uuid, String>) -> Option<Vec<FiguresRow>> {
        if self.is_full {
            return None;
        }
        let mut groups: Vec<_> = self.figures.into_iter().collect();
        groups.sort_unstable_by_key(|(key, _)| *key);
        let grouping = self.grouping;
        let row = |(key, figures): (GroupKey, Figures)| {
            let (key, name) = match key {
                GroupKey::Absent => (None, None),
                GroupKey::Id(id) => (Some(FiguresKey::Id(id)), names.remove(&id)),
                GroupKey::Day(day) => (Some(key_of(grouping, day)), None),
            };
            FiguresRow { key, name, figures }
        };
        Some(groups.into_iter().map(row).collect())
    }
}

fn key_of(grouping: Option<Grouping>, day: LocalDate) -> FiguresKey {
    match grouping {
        Some(Grouping::Week) => FiguresKey::Week(day),
        Some(Grouping::Month) => FiguresKey::Month(day),
        Some(
            Grouping::Day | Grouping::Location | Grouping::Performer | Grouping::ScheduledTask,
        )
        | None => FiguresKey::Day(day),
    }
}
