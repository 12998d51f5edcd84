//! Reports: applies the entries of a request to a round.

use std::collections::{BTreeSet, HashMap, HashSet};

use async_trait::async_trait;
use diesel::{alias, prelude::*};
use futures_util::FutureExt as _;
use patrol_domain::{
    EditError, References, Resource, Target, Versioned,
    event::Origin,
    ids::{PointId, ReportId},
    point::Point,
    report::{Answer, LastAccepted, NewReports, Performed, Report, Reports, Round},
    task_execution::TaskExecution,
};

use crate::{
    Dialect, Engine, Job, Repository,
    change::lock_at,
    event, idempotency, media, reference,
    stored::{
        Abort,
        event::EventColumns,
        media::insert_use,
        point::PointRow,
        report::{ReportRow, accepted_last},
        schema::{points, reports},
        sql::{columns, id, ids},
        statement::update,
    },
};

/// The most entries of a request that shares a transaction with others, which wait for it.
const SMALL: usize = 8;

#[async_trait]
impl<S: Engine> Reports for Repository<S> {
    async fn report(&self, new: NewReports, by: Origin) -> Result<Performed, EditError> {
        let execution = new.execution.0;
        let job: Job<S, (NewReports, Origin), Performed, EditError> =
            |conn, (new, by)| report(conn, new, by).boxed();
        // The effect of a key is refused after the entries are written, and records that are named are locked.
        let is_small =
            by.keyed.is_none() && new.references.records.is_empty() && new.ids.len() <= SMALL;
        if is_small {
            self.0.write_with_others(execution, (new, by), job).await
        } else {
            self.0.write(Some(execution), (new, by), job).await
        }
    }
}

async fn report(
    conn: &impl Dialect,
    new: &NewReports,
    by: &Origin,
) -> Result<Performed, Abort<EditError>> {
    let existing = reference::keep(conn, &new.references).await?;
    let (mut found, mut entries) = (None, StoredEntries::default());
    let lock = async {
        let at = Target::<TaskExecution>::any_version(new.execution);
        found = Some(lock_at(conn, &at, &References::default()).await?);
        Ok(())
    };
    let read = async {
        entries = StoredEntries::read(conn, new).await?;
        Ok(())
    };
    // The later statements of a connection see what was committed while the first waited for the lock.
    conn.both(lock, read).await?;
    let old: Versioned<TaskExecution> = found.ok_or(EditError::Missing)?;
    let StoredEntries { known, last } = entries;
    let sent_before: HashSet<_> = known.keys().copied().collect();
    let points = points_of(conn, new, &old.record).await?;
    let round = Round { points, last, execution: old.record.clone(), known };
    let performed = (new.perform)(round, &existing)?;
    store(conn, &old, &performed, &sent_before, by).await?;
    Ok(performed)
}

async fn store(
    conn: &impl Dialect,
    old: &Versioned<TaskExecution>,
    performed: &Performed,
    sent_before: &HashSet<ReportId>,
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    // An entry that stands twice in a request has its last result.
    let mut stored = HashMap::new();
    let mut order = Vec::new();
    for answer in &performed.answers {
        let Answer::Stored(report) = answer else { continue };
        if stored.insert(report.entry.id, report).is_none() {
            order.push(report.entry.id);
        }
    }
    let all = order.iter().filter_map(|id| stored.get(id).copied());
    let (again, first): (Vec<_>, Vec<_>) =
        all.partition(|report| sent_before.contains(&report.entry.id));
    let named: BTreeSet<_> =
        stored.values().flat_map(|report| report.entry.media_ids.iter().copied()).collect();
    let entries = async {
        let inserts = first.iter().map(|report| {
            diesel::insert_into(reports::table).values(ReportRow::of(report).written())
        });
        conn.insert_all(inserts.collect()).await?;
        let updates = again.iter().map(|report| {
            let same = reports::id.eq(id(report.entry.id));
            update(reports::table, same, ReportRow::of(report).written())
        });
        conn.execute_all(updates.collect()).await?;
        let uses = named.iter().map(|medium| insert_use(*medium, old.record.id));
        Ok(conn.execute_all(uses.collect()).await.map(drop)?)
    };
    // In the order in which they took effect.
    let accepted: Vec<_> = performed.answers.iter().filter_map(Answer::newly_accepted).collect();
    let log = async {
        let digests = media::digests(conn, &named).await?;
        let events = accepted.iter().map(|report| EventColumns::of_report(report, &digests, by));
        event::insert(conn, events).await.map(drop)
    };
    let round = async {
        if let Some(changes) = i64::try_from(accepted.len()).ok().filter(|changes| *changes > 0) {
            conn.replace_execution(old, &performed.execution).await?;
            conn.raise_revision(Resource::TaskExecution, changes).await?;
        }
        Ok(())
    };
    conn.both(entries, conn.both(log, round)).await?;
    if !order.is_empty() {
        conn.raise_revision(Resource::Report, 1).await?;
    }
    idempotency::store_effect(conn, by, &[old.record.id.0]).await
}

/// The stored entries that a request needs.
#[derive(Default)]
struct StoredEntries {
    /// Those with an id of the request, of any round.
    known: HashMap<ReportId, Report>,
    last: LastAccepted,
}

impl StoredEntries {
    async fn read(conn: &impl Dialect, new: &NewReports) -> Result<Self, Abort<EditError>> {
        let others = alias!(reports as others);
        let last = others
            .filter(others.field(reports::execution_id).eq(id(new.execution)))
            .filter(others.field(reports::accepted).is_not_null())
            .order(others.field(reports::accepted).desc())
            .limit(1)
            .select(others.field(reports::id))
            .single_value();
        let is_last = reports::id.nullable().eq(last);
        let query = reports::table.select(columns::<ReportRow>());
        let rows: Vec<ReportRow> = match *new.ids {
            // PostgreSQL plans a statement with a list anew each time, and SQLite prepares it.
            [one] => conn.load(query.filter(is_last.or(reports::id.eq(id(one))))).await?,
            _ => conn.load(query.filter(is_last.or(reports::id.eq_any(ids(&new.ids))))).await?,
        };
        let read = rows.into_iter().map(|row| row.report().map(|report| (report.entry.id, report)));
        let mut known = read.collect::<Result<HashMap<_, _>, _>>()?;
        let of_round = known.values().filter(|report| report.execution_id == new.execution);
        let last = of_round.max_by_key(|report| report.number());
        let last = last_accepted(conn, new, last).await?;
        known.retain(|id, _| new.ids.contains(id));
        Ok(Self { known, last })
    }
}

/// The points of the steps that the request scans.
async fn points_of(
    conn: &impl Dialect,
    new: &NewReports,
    execution: &TaskExecution,
) -> Result<HashMap<PointId, Point>, Abort<EditError>> {
    let scanned = execution.steps.iter().filter(|step| new.scanned.contains(&step.id));
    let named: BTreeSet<PointId> = scanned.filter_map(|step| step.point_id).collect();
    let named: Vec<_> = named.into_iter().collect();
    let query = points::table.select(columns::<PointRow>());
    let rows: Vec<PointRow> = match *named {
        [] => Vec::new(),
        [one] => conn.load(query.filter(points::id.eq(id(one)))).await?,
        _ => conn.load(query.filter(points::id.eq_any(ids(&named)))).await?,
    };
    let points = rows.into_iter().map(|row| row.point().map(|point| (point.id, point)));
    Ok(points.collect::<Result<_, _>>()?)
}

/// What is known of the entries that were accepted before; `last` is the one with the highest number.
async fn last_accepted(
    conn: &impl Dialect,
    new: &NewReports,
    last: Option<&Report>,
) -> Result<LastAccepted, Abort<EditError>> {
    let Some((number, last)) = last.and_then(|last| Some((last.number()?, last))) else {
        return Ok(LastAccepted::default());
    };
    let mut position = last.entry.position.map(|device| (last.entry.at, device.position));
    if position.is_none() && new.is_placed {
        let placed = accepted_last(id(new.execution))
            .filter(reports::latitude.is_not_null())
            .select(columns::<ReportRow>());
        let placed =
            conn.first::<ReportRow, _>(placed).await?.map(ReportRow::report).transpose()?;
        position =
            placed.and_then(|placed| Some((placed.entry.at, placed.entry.position?.position)));
    }
    Ok(LastAccepted { number, at: Some(last.entry.at), position })
}
