//! Helpers to read lists.

use futures_util::StreamExt;
use patrol_domain::{
    Timestamp,
    list::{Condition, Listed, Listing, Part, Query},
};

/// The items and the total of a list, which MUST end with exactly one total.
pub(crate) async fn read<T>(mut listing: Listing<T>) -> (Vec<T>, u64) {
    let mut items = Vec::new();
    let mut total = None;
    while let Some(part) = listing.next().await {
        assert_eq!(total, None, "something follows the total");
        match part.expect("a part") {
            Part::Rows(rows) => items.extend(rows),
            Part::Total(count) => total = Some(count),
        }
    }
    (items, total.expect("a total"))
}

/// A query for all records.
pub(crate) fn everything<L: Listed>() -> Query<L> {
    Query::of(Condition::All(Vec::new()), Timestamp::from_millis(0).expect("a time"))
}

/// A query for the records that meet `condition`.
pub(crate) fn meeting<L: Listed>(condition: Condition<L::Filter>) -> Query<L> {
    Query { condition, ..everything() }
}
