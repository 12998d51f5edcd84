//! Imported entries of reports, and what follows from them for their rounds.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use diesel::prelude::*;
use futures_util::{FutureExt as _, future::BoxFuture};
use patrol_domain::{
    Resource, StoreError, Versioned,
    data_set::{ImportError, Record},
    ids::TaskExecutionId,
    report::{Replay, Report},
    task_execution::TaskExecution,
};

use crate::{
    Connection, Dialect,
    stored::{
        Abort,
        media::insert_use,
        report::{ReportRow, accepted_in, accepted_last},
        schema::{reports, task_executions},
        sql::{columns, id, ids},
        task_execution::{Stored, all_columns},
    },
    task_execution::read,
};

/// Stores entries. Accepted ones get the next numbers of their round.
pub(super) async fn insert(conn: &impl Connection, new: &[&Report]) -> QueryResult<()> {
    let mut last = HashMap::new();
    for report in new {
        if last.contains_key(&report.execution_id) {
            continue;
        }
        let number = accepted_last(id(report.execution_id)).select(reports::accepted);
        let number: Option<Option<i64>> = conn.first(number).await?;
        last.insert(report.execution_id, number.flatten().unwrap_or(0));
    }
    let rows = new.iter().map(|report| {
        let number = last.entry(report.execution_id).or_default();
        *number += i64::from(report.is_accepted());
        diesel::insert_into(reports::table)
            .values(ReportRow::of(report).numbered(*number).written())
    });
    conn.execute_all(rows.collect()).await?;
    let uses = new.iter().flat_map(|report| {
        let media = report.entry.media_ids.iter();
        media.map(|medium| insert_use(*medium, report.execution_id))
    });
    conn.execute_all(uses.collect()).await.map(drop)
}

/// The rounds with imported entries, until [`Self::derive`] stores what follows from these: once for most
/// rounds, because the entries of a round are usually together.
#[derive(Default)]
pub struct ReportedRounds(BTreeSet<TaskExecutionId>);

impl ReportedRounds {
    /// The maximum number of rounds, to bound their memory.
    const MAX: usize = 65_536;

    /// How many rounds are in memory at once with their steps.
    const AT_ONCE: usize = 32;

    /// Adds the round of `record`, which was stored, if it is an entry. Returns whether it is time for
    /// [`Self::derive`].
    pub fn add(&mut self, record: &Record) -> bool {
        if let Record::Report(report) = record {
            self.0.insert(report.execution_id);
        }
        self.0.len() >= Self::MAX
    }

    /// Stores what follows from the entries, and forgets the rounds. Boxed, because the compiler cannot
    /// show of a known connection that the future is `Send` (rust-lang/rust#100013).
    ///
    /// # Errors
    /// Those of the database; `Corrupt` when a record cannot be read.
    pub fn derive<'a>(
        &'a mut self,
        conn: &'a impl Dialect,
    ) -> BoxFuture<'a, Result<(), Abort<ImportError>>> {
        async move {
            let rounds: Vec<_> = std::mem::take(&mut self.0).into_iter().collect();
            for rounds in rounds.chunks(Self::AT_ONCE) {
                derive(conn, rounds).await?;
            }
            if !rounds.is_empty() {
                conn.raise_revision(Resource::TaskExecution, 1).await?;
            }
            Ok(())
        }
        .boxed()
    }
}

async fn derive<C: Dialect>(
    conn: &C,
    rounds: &[TaskExecutionId],
) -> Result<(), Abort<ImportError>> {
    let found: Vec<Stored> = conn
        .load(
            task_executions::table
                .filter(task_executions::id.eq_any(ids(rounds)))
                .select(all_columns()),
        )
        .await?;
    let mut replayed = BTreeMap::new();
    for found in found {
        let old: Versioned<TaskExecution> = read::<C>(found)?;
        let replay = Replay::of(&old.record);
        replayed.insert(old.record.id, (old, replay));
    }
    let mut corrupt: Option<StoreError> = None;
    let entries = accepted_in(ids(rounds)).select(columns::<ReportRow>());
    let add = |row: ReportRow| {
        match row.report() {
            Ok(report) => {
                if let Some((_, replay)) = replayed.get_mut(&report.execution_id) {
                    replay.add(&report);
                }
            }
            Err(error) => corrupt = Some(error),
        }
        Ok(())
    };
    conn.for_each(entries, add).await?;
    if let Some(error) = corrupt {
        return Err(error.into());
    }
    for (old, replay) in replayed.into_values() {
        let new = replay.derived(old.record.clone());
        if new != old.record {
            conn.replace_execution(&old, &new).await?;
        }
    }
    Ok(())
}
