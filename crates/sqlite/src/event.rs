//! How SQLite finds the events of a page.

use patrol_domain::{event::EventFilter, list::Condition};
use patrol_repository::stored::event::{KEY, in_columns, names_record};

use crate::list::{Bind, Sql, condition};

/// The index finds the events of one record in groups of 2^10 positions. The SQL of the index and
/// of [`filter`] contains this 10 literally: change all three together.
const GROUP_BITS: u32 = 10;

/// The number of groups that the first statement for the events of one record searches. Each
/// further statement searches four times as many, so that a page of a record with many events reads
/// few groups.
const FIRST_GROUPS: i64 = 16;

/// The maximum number of positions that one page of one record searches: 4,096 groups.
const MAX_SEARCHED: i64 = 4_096 << GROUP_BITS;

/// Splits the positions of a page into the ranges of its statements.
pub(crate) fn parts(
    condition: &Condition<EventFilter>,
    (first, until): (i64, i64),
) -> Vec<(i64, i64)> {
    let until = until.min(first.saturating_add(MAX_SEARCHED - 1));
    if !names_record(condition) {
        return vec![(first, until)];
    }
    let (mut parts, mut from, mut groups) = (Vec::new(), first, FIRST_GROUPS);
    while from <= until {
        let groups_end = (((from >> GROUP_BITS) + groups) << GROUP_BITS) - 1;
        let to = until.min(groups_end);
        parts.push((from, to));
        (from, groups) = (to + 1, groups.saturating_mul(4));
    }
    parts
}

/// The condition on events from the first to the last of these positions.
pub(crate) fn filter(condition: &Condition<EventFilter>, (from, to): (i64, i64)) -> Sql {
    let mut filter = condition::plain(KEY, &in_columns(condition));
    if names_record(condition) {
        filter.fill(
            " AND (position >> 10) IN (WITH RECURSIVE groups (number) AS (SELECT ? \
            UNION ALL SELECT number + 1 FROM groups WHERE number < ?) SELECT number FROM groups)",
            [from, to].map(|position| Bind::Integer(position >> GROUP_BITS)),
        );
    }
    filter
}
