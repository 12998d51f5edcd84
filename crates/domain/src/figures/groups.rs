//! Collects the figures of groups.

use std::collections::HashMap;

use super::{Figures, FiguresKey, FiguresRow, Grouping};
use crate::{schedule::LocalDate, shared::ids::Uuid};

/// The maximum number of groups of an answer.
pub const MAX_GROUPS: usize = 20_000;

/// The figures of groups, while rounds are added. Bounded by [`MAX_GROUPS`].
#[derive(Debug)]
pub struct Groups {
    grouping: Option<Grouping>,
    /// By key: `None` for rounds without the record, or all rounds when nothing is grouped.
    figures: HashMap<Option<FiguresKey>, Figures>,
    is_full: bool,
}

impl Groups {
    /// No groups.
    #[must_use]
    pub fn new(grouping: Option<Grouping>) -> Self {
        Self { grouping, figures: HashMap::new(), is_full: false }
    }

    /// Adds rounds to the group of their local day, or of its week or month when these are grouped by;
    /// without a day, to the group of their record.
    pub fn add(&mut self, day: Option<LocalDate>, record: Option<Uuid>, figures: Figures) {
        let key = match (self.grouping, day) {
            (Some(Grouping::Week), Some(day)) => Some(FiguresKey::Week(day.week_start())),
            (Some(Grouping::Month), Some(day)) => Some(FiguresKey::Month(day.month_start())),
            (_, Some(day)) => Some(FiguresKey::Day(day)),
            (_, None) => record.map(FiguresKey::Id),
        };
        if let Some(sum) = self.figures.get_mut(&key) {
            sum.add(figures);
        } else if self.figures.len() < MAX_GROUPS {
            self.figures.insert(key, figures);
        } else {
            self.is_full = true;
        }
    }

    /// The ids of the records of the groups.
    #[must_use]
    pub fn ids(&self) -> Vec<Uuid> {
        self.figures.keys().copied().flatten().filter_map(FiguresKey::id).collect()
    }

    /// The groups in order, with the names of their records; `None` when there were more than
    /// [`MAX_GROUPS`].
    #[must_use]
    pub fn into_rows(self, names: &mut HashMap<Uuid, String>) -> Option<Vec<FiguresRow>> {
        if self.is_full {
            return None;
        }
        let mut groups: Vec<_> = self.figures.into_iter().collect();
        groups.sort_unstable_by_key(|(key, _)| (key.is_none(), *key));
        let row = |(key, figures): (Option<FiguresKey>, Figures)| {
            let name = key.and_then(FiguresKey::id).and_then(|id| names.remove(&id));
            FiguresRow { key, name, figures }
        };
        Some(groups.into_iter().map(row).collect())
    }
}
