//! The records that a request changed, for the access log.

use patrol_domain::ids::Uuid;

/// The changed records in the form of the log: at most [`ChangedRecords::MAX_IDS`] ids, and the number of
/// others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChangedRecords(String);

impl ChangedRecords {
    /// The maximum number of ids in a line.
    const MAX_IDS: usize = 10;

    /// The id of a single record.
    #[must_use]
    pub fn one(id: Uuid) -> Self {
        Self::first_of(id, 1)
    }

    /// The id of the first of `count` records.
    pub(crate) fn first_of(id: Uuid, count: usize) -> Self {
        Self::listed(&[id], count)
    }

    /// The first ids, and the number of others.
    pub(crate) fn all(ids: impl ExactSizeIterator<Item = Uuid>) -> Self {
        let count = ids.len();
        Self::listed(&ids.take(Self::MAX_IDS).collect::<Vec<_>>(), count)
    }

    fn listed(ids: &[Uuid], count: usize) -> Self {
        let mut names: Vec<_> = ids.iter().map(ToString::to_string).collect();
        let more = count.saturating_sub(ids.len());
        if more > 0 {
            names.push(format!("+{more}"));
        }
        Self(names.join(","))
    }

    /// The ids; `None` when no record was changed.
    pub(crate) fn text(&self) -> Option<&str> {
        Some(self.0.as_str()).filter(|ids| !ids.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_changed_records_is_bounded() {
        let id = Uuid::from_u128;
        let text = |number: u128| id(number).to_string();
        assert_eq!(ChangedRecords::one(id(1)).0, text(1));
        assert_eq!(ChangedRecords::first_of(id(1), 3).0, format!("{},+2", text(1)));
        let two = [id(1), id(2)];
        assert_eq!(ChangedRecords::all(two.into_iter()).0, format!("{},{}", text(1), text(2)));
        let many: Vec<_> = (0..1000).map(id).collect();
        let named = ChangedRecords::all(many.into_iter()).0;
        assert!(named.starts_with(&text(0)) && named.ends_with(&format!("{},+990", text(9))));
    }
}
