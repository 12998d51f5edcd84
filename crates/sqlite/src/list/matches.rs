//! Keeps the rows that meet a filter in memory, as compressed sets of their keys. The rows of a
//! query are the intersection of the sets of its conditions, and their number is the total.
//!
//! A change does not discard the sets: the log of changes tells which rows have changed, and only
//! these are tested again.

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::Arc,
};

use diesel::{
    SqliteConnection,
    sql_types::{Binary, Nullable, Text},
};
use moka::sync::Cache;
use patrol_domain::{
    Resource, StoreError,
    ids::Uuid,
    list::{Condition, Query},
};

use super::{
    Counts, ListTable,
    part::{Part, parts},
    rows::{Rows, among, find, keys, test, with_ids},
    running::Running,
    statement::{Select, Sql, size},
    trigrams::Selective,
};
use crate::{engine::Abort, event, revision};

/// The memory of the sets in bytes. The set of half a million executions among a million takes 125
/// KB, that of a few thousand some KB.
const CAPACITY: u64 = 16 * 1024 * 1024;

/// Up to this many rows, a condition is tested row by row when it is asked for the first time. Many
/// are never asked for again, for example those with the present time.
const MOST_TESTED: u64 = 1_000;

/// The number of conditions that are remembered as asked for.
const MOST_ASKED: u64 = 10_000;

/// After more changes than this, a set is made anew.
const MOST_CHANGES: i64 = 2_000;

/// The sets of all lists.
#[derive(Clone)]
pub(crate) struct Matches {
    /// By the condition, as SQL.
    known: Cache<Sql, Known>,
    /// The hashes of conditions that were tested row by row. The next query makes their sets.
    asked: Cache<u64, ()>,
    running: Arc<Running<(Sql, i64)>>,
}

/// A set, and the state of the data that it is valid for.
#[derive(Clone)]
struct Known {
    at: Moment,
    rows: Arc<Rows>,
}

/// A state of the data.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moment {
    /// The revision of the list's aggregate.
    pub(super) changes: i64,
    /// The position of the newest event.
    position: i64,
}

impl Matches {
    pub(crate) fn new() -> Self {
        let bytes = |condition: &Sql, known: &Known| {
            u32::try_from(size(condition).saturating_add(known.rows.serialized_size()))
                .unwrap_or(u32::MAX)
        };
        let known = Cache::builder().weigher(bytes).max_capacity(CAPACITY).build();
        Self { known, asked: Cache::new(MOST_ASKED), running: Arc::default() }
    }

    /// Answers questions about the state that `connection` sees; it must be in a snapshot. Changes
    /// of a row of the list are events of `logged`.
    pub(super) fn now<'a, L: ListTable>(
        &'a self,
        connection: &'a mut SqliteConnection,
        logged: Resource,
        counts: &'a Counts,
    ) -> Result<Snapshot<'a>, Abort<StoreError>> {
        let now = Moment {
            changes: revision::changes(connection, L::AGGREGATE)?,
            position: event::newest(connection)?,
        };
        Ok(Snapshot { connection, matches: self, counts, logged, now, changed: BTreeMap::new() })
    }
}

/// The sets of one state of the data.
pub(super) struct Snapshot<'a> {
    pub(super) connection: &'a mut SqliteConnection,
    matches: &'a Matches,
    counts: &'a Counts,
    logged: Resource,
    pub(super) now: Moment,
    /// The rows that have changed since a state; `None` when they are too many, or unknown.
    changed: BTreeMap<Moment, Option<Arc<Rows>>>,
}

impl Snapshot<'_> {
    /// The rows that the query selects, from all pages.
    pub(super) fn matches<L: ListTable>(
        &mut self,
        query: &Query<L>,
    ) -> Result<Arc<Rows>, Abort<StoreError>> {
        let mut parts = parts(&query.condition);
        parts.extend(query.search.as_deref().map(Part::Search));
        self.all::<L>(parts)
    }

    /// The number of rows that meet the condition, if its set is known.
    pub(super) fn known_total<L: ListTable>(
        &self,
        condition: &Condition<L::Filter>,
    ) -> Option<u64> {
        let known = self.matches.known.get(&test::<L>(condition, None))?;
        Some(known.rows.len())
    }

    /// The greatest key of a row: about the number of rows.
    pub(super) fn newest_row<L: ListTable>(&mut self) -> Result<u64, Abort<StoreError>> {
        let mut sql = Sql::default();
        sql.text("SELECT coalesce(max(");
        sql.text(L::KEY);
        sql.text("), 0) FROM ");
        sql.text(L::FROM);
        let newest = keys(self.connection, sql)?;
        Ok(newest.max().unwrap_or(0))
    }

    /// The rows that meet all of these.
    fn all<L: ListTable>(
        &mut self,
        mut parts: Vec<Part<'_, L::Filter>>,
    ) -> Result<Arc<Rows>, Abort<StoreError>> {
        parts.sort_by_key(|part| (!self.is_known::<L>(part), part.cost::<L>()));
        let mut all: Option<Arc<Rows>> = None;
        for part in parts {
            let is_excluded = matches!(part, Part::Unmet(_));
            all = Some(match all {
                Some(rows) if rows.is_empty() => return Ok(rows),
                Some(rows) if rows.len() <= MOST_TESTED && self.is_new::<L>(&part) => {
                    let met = among::<L>(self.connection, &rows, &part.test::<L>())?;
                    Arc::new(if is_excluded { &*rows - &met } else { met })
                }
                rows => {
                    let met = self.part::<L>(&part)?;
                    match rows {
                        None if is_excluded => Arc::new(&*self.every::<L>()? - &*met),
                        None => met,
                        Some(rows) if is_excluded => Arc::new(&*rows - &*met),
                        Some(rows) => Arc::new(&*rows & &*met),
                    }
                }
            });
        }
        all.map_or_else(|| self.every::<L>(), Ok)
    }

    /// The rows that meet the condition of this part. Those of `Unmet` have to be excluded.
    fn part<L: ListTable>(
        &mut self,
        part: &Part<'_, L::Filter>,
    ) -> Result<Arc<Rows>, Abort<StoreError>> {
        match part {
            Part::Met(condition) | Part::Unmet(condition) => self.set::<L>(condition, None),
            Part::Search(term) => self.set::<L>(&Condition::All(Vec::new()), Some(term)),
            Part::Any(some) => {
                let mut any = Rows::new();
                for condition in *some {
                    any |= &*self.all::<L>(parts(condition))?;
                }
                Ok(Arc::new(any))
            }
        }
    }

    /// All rows of the table.
    fn every<L: ListTable>(&mut self) -> Result<Arc<Rows>, Abort<StoreError>> {
        self.set::<L>(&Condition::All(Vec::new()), None)
    }

    /// Whether the set of this part is in memory, perhaps of an earlier state.
    fn is_known<L: ListTable>(&self, part: &Part<'_, L::Filter>) -> bool {
        self.matches.known.contains_key(&part.test::<L>())
    }

    /// Whether this part is asked for the first time.
    fn is_new<L: ListTable>(&self, part: &Part<'_, L::Filter>) -> bool {
        let test = part.test::<L>();
        let mut hasher = DefaultHasher::new();
        test.hash(&mut hasher);
        let Matches { known, asked, .. } = self.matches;
        !known.contains_key(&test) && asked.entry(hasher.finish()).or_insert(()).is_fresh()
    }

    /// The rows that meet the condition and contain the term of the quick search: from memory, or
    /// from a query.
    fn set<L: ListTable>(
        &mut self,
        condition: &Condition<L::Filter>,
        search: Option<&str>,
    ) -> Result<Arc<Rows>, Abort<StoreError>> {
        let matches = self.matches;
        let test = test::<L>(condition, search);
        loop {
            let known = matches.known.get(&test);
            if let Some(known) = known.as_ref().filter(|known| self.sees(known.at)) {
                if self.is_long_after(known.at) {
                    let rows = Arc::clone(&known.rows);
                    matches.known.insert(test, Known { at: self.now, rows });
                }
                return Ok(Arc::clone(&known.rows));
            }
            // Lists that see another state do not wait.
            let question = (test.clone(), self.now.changes);
            let Some(_turn) = matches.running.begin(&question)? else { continue };
            let is_older = known.as_ref().is_none_or(|known| self.is_after(known.at));
            let rows = match known {
                Some(known) if is_older => self.renewed::<L>(&known, &test)?,
                _ => None,
            };
            let rows = match rows {
                Some(rows) => rows,
                None => self.found::<L>(condition, search)?,
            };
            let rows = Arc::new(rows);
            // A set of a later state stays: other lists see that state already.
            if is_older {
                let known = Known { at: self.now, rows: Arc::clone(&rows) };
                matches.known.insert(test.clone(), known);
            }
            return Ok(rows);
        }
    }

    /// The set in the present state; `None` when too much has changed.
    fn renewed<L: ListTable>(
        &mut self,
        known: &Known,
        test: &Sql,
    ) -> Result<Option<Rows>, Abort<StoreError>> {
        let Some(changed) = self.changed_since::<L>(known.at)? else { return Ok(None) };
        let met = among::<L>(self.connection, &changed, test)?;
        Ok(Some((&*known.rows - &*changed) | met))
    }

    /// Whether the data is still in this state.
    pub(super) fn sees(&self, moment: Moment) -> bool {
        moment.changes == self.now.changes
    }

    /// Whether many events came since this state, which is otherwise the same. They count towards
    /// [`MOST_CHANGES`], and the oldest are deleted in time.
    pub(super) fn is_long_after(&self, moment: Moment) -> bool {
        self.now.position.saturating_sub(moment.position) > MOST_CHANGES / 4
    }

    /// Whether the data was in this state before.
    pub(super) fn is_after(&self, moment: Moment) -> bool {
        moment.changes < self.now.changes
    }

    /// The rows that have changed since then; `None` when they cannot be known: the events are too
    /// many, deleted already or missing, or one of them is the removal of a row or an import.
    pub(super) fn changed_since<L: ListTable>(
        &mut self,
        moment: Moment,
    ) -> Result<Option<Arc<Rows>>, Abort<StoreError>> {
        if let Some(changed) = self.changed.get(&moment) {
            return Ok(changed.clone());
        }
        let changed = self.read_changes::<L>(moment)?.map(Arc::new);
        self.changed.insert(moment, changed.clone());
        Ok(changed)
    }

    fn read_changes<L: ListTable>(
        &mut self,
        Moment { changes, position: since }: Moment,
    ) -> Result<Option<Rows>, Abort<StoreError>> {
        let events = self.now.position.saturating_sub(since);
        if events > MOST_CHANGES {
            return Ok(None);
        }
        let mut ids = Vec::new();
        let mut read = 0;
        type Event = (String, String, Option<Vec<u8>>);
        let select = event::since(since);
        for event in
            <(Text, Text, Nullable<Binary>) as Select<Event>>::rows(select, self.connection)?
        {
            let (what, kind, id) = event?;
            read += 1;
            if kind == Resource::DataSet.name() {
                return Ok(None);
            }
            if kind == self.logged.name() {
                // The row of a deleted record is unknown.
                let id = id.filter(|_| !what.ends_with(".deleted"));
                let Some(id) = id.and_then(|id| Uuid::from_slice(&id).ok()) else {
                    return Ok(None);
                };
                ids.push(id);
            }
        }
        // An older version of the program writes no events, and counts several changes as one.
        let changes = self.now.changes.saturating_sub(changes);
        if i64::try_from(ids.len()) != Ok(changes) {
            return Ok(None);
        }
        ids.sort_unstable();
        ids.dedup();
        let rows = with_ids::<L>(self.connection, &ids)?;
        let is_complete = read == events && usize::try_from(rows.len()) == Ok(ids.len());
        Ok(is_complete.then_some(rows))
    }

    /// Asks SQLite for the rows that meet the condition and contain the term.
    fn found<L: ListTable>(
        &mut self,
        condition: &Condition<L::Filter>,
        search: Option<&str>,
    ) -> Result<Rows, Abort<StoreError>> {
        let selective = Selective::of::<L>(self.connection, condition, search, self.counts)?;
        Ok(keys(self.connection, find::<L>(condition, search, &selective))?)
    }
}
