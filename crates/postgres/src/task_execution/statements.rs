//! The statements that read and write executions.

use diesel::{
    dsl::{self, AsSelect, Select},
    pg::Pg,
    prelude::*,
    sql_types::Bool,
};
use diesel_async::RunQueryDsl;
use patrol_domain::{
    EditError, Named as _, References, StoreError, Timestamp, Version, Versioned,
    data_set::{ImportError, NewExecution},
    ids::{SeriesId, TaskExecutionId, UserId, Uuid},
    task_execution::{State, TaskExecution},
};
use patrol_stored::{
    scheduled_task::rounds::is_left_out,
    schema::{scheduled_task_occurrences, task_executions},
    sql::{Document, StoredSteps, id, ids, time, types},
    task_execution::{Read, Written, is_pending},
};

use crate::{
    change::{Creatable, Editable, Entity, Findable, Removable},
    data_set::{Kind, occurrences, page},
    engine::{Abort, Connection, Copied},
};

/// The columns of an execution.
type Columns = (AsSelect<Read, Pg>, task_executions::steps);

/// Executions with their steps.
pub(super) fn query() -> Select<task_executions::table, Columns> {
    task_executions::table.select((Read::as_select(), task_executions::steps))
}

/// The execution in a row.
pub(super) fn read(
    (read, steps): (Read, StoredSteps),
) -> Result<Versioned<TaskExecution>, StoreError> {
    read.execution(Some(steps), ("task_executions", "steps"))
}

impl Entity for TaskExecution {}

impl Findable for TaskExecution {
    async fn find<E: Send>(
        mut conn: &Connection,
        execution: TaskExecutionId,
    ) -> Result<Option<Versioned<Self>>, Abort<E>> {
        let query = query().filter(task_executions::id.eq(id(execution)));
        Ok(query.first(&mut conn).await.optional()?.map(read).transpose()?)
    }

    async fn lock(
        mut conn: &Connection,
        execution: TaskExecutionId,
        _: &References,
    ) -> Result<Option<Versioned<Self>>, Abort<EditError>> {
        let query = query().filter(task_executions::id.eq(id(execution))).for_update();
        Ok(query.first(&mut conn).await.optional()?.map(read).transpose()?)
    }
}

impl Creatable for TaskExecution {
    async fn insert<E: Send>(
        mut conn: &Connection,
        new: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<E>> {
        // An id may be that of a deleted execution which was made from an occurrence.
        let executions: Vec<_> = new.iter().map(|execution| execution.id).collect();
        let same = scheduled_task_occurrences::execution_id.eq_any(ids(&executions));
        diesel::update(scheduled_task_occurrences::table.filter(same))
            .set(is_left_out())
            .execute(&mut conn)
            .await?;
        insert(conn, new, Version::of_new(at)).await
    }
}

impl Editable for TaskExecution {
    async fn replace(
        mut conn: &Connection,
        old: &Versioned<Self>,
        new: &Self,
    ) -> Result<(), Abort<EditError>> {
        // An unchanged document is not written again, because it is most of the row.
        let is_same = old.record.steps == new.steps;
        let steps =
            if is_same { None } else { Some(task_executions::steps.eq(Document::of(new)?)) };
        let version = task_executions::version.eq(old.version.next().0);
        diesel::update(task_executions::table.find(id(new.id)))
            .set((Written::of(new, &new.point_ids()), version, steps))
            .execute(&mut conn)
            .await?;
        Ok(())
    }
}

impl Removable for TaskExecution {
    async fn remove(
        mut conn: &Connection,
        execution: TaskExecutionId,
    ) -> Result<Option<i64>, Abort<EditError>> {
        let removed = diesel::delete(task_executions::table.find(id(execution)));
        Ok(removed.returning(task_executions::row).get_result(&mut conn).await.optional()?)
    }
}

/// The PENDING executions of `series` that start at `from` or later, by id, locked until the end of
/// the transaction.
pub(crate) async fn lock_pending<E>(
    mut conn: &Connection,
    series: SeriesId,
    from: Timestamp,
) -> Result<Vec<Versioned<TaskExecution>>, Abort<E>> {
    let found = query()
        .filter(is_pending(id(series), time(from)))
        .order(task_executions::id)
        .for_update()
        .load(&mut conn)
        .await?;
    Ok(found.into_iter().map(read).collect::<Result<_, _>>()?)
}

/// How many executions [`lock_assigned`] returns at once.
const ASSIGNED: i64 = 64;

/// The next PENDING executions with this assignee, in order of id, locked until the end of the
/// transaction.
pub(crate) async fn lock_assigned<E>(
    mut conn: &Connection,
    user: UserId,
    after: Option<TaskExecutionId>,
) -> Result<Vec<Versioned<TaskExecution>>, Abort<E>> {
    let is_assigned =
        dsl::sql::<Bool>("assignee_ids @> ARRAY[").bind::<types::Id, _>(id(user)).sql("]");
    let after = after.map_or(Uuid::nil(), |id| id.0);
    let found = query()
        .filter(task_executions::state.eq(State::Pending.code()))
        .filter(is_assigned)
        .filter(task_executions::id.gt(id(after)))
        .order(task_executions::id)
        .limit(ASSIGNED)
        .for_update()
        .load(&mut conn)
        .await?;
    Ok(found.into_iter().map(read).collect::<Result<_, _>>()?)
}

impl Kind for NewExecution {
    fn parts(&self) -> usize {
        self.execution.parts()
    }

    async fn lock_and_find_clash(conn: &Connection, new: &[&Self]) -> QueryResult<bool> {
        occurrences::lock_and_find_clash(conn, new).await
    }

    async fn store(
        conn: &Connection,
        new: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<ImportError>> {
        let executions: Vec<_> = new.iter().map(|new| &new.execution).collect();
        // An id may have been used before. Its versions were lower than the current time in
        // milliseconds.
        insert(conn, &executions, Version(at.millis())).await?;
        Ok(occurrences::insert(conn, new).await?)
    }

    async fn page(conn: &Connection, after: Option<Uuid>) -> Result<Vec<Self>, Abort<StoreError>> {
        let rows: Vec<_> = page!(conn, after, task_executions, query());
        let executions: Result<Vec<_>, _> = rows.into_iter().map(read).collect();
        let executions = executions?;
        let ids: Vec<_> = executions.iter().map(|found| found.record.id).collect();
        let starts = occurrences::made(conn, &ids).await?;
        let new = |Versioned { record, .. }: Versioned<TaskExecution>| {
            let occurrence_at = starts.get(&record.id).copied();
            Self { execution: record, occurrence_at }
        };
        Ok(executions.into_iter().map(new).collect())
    }
}

/// How many executions are serialised at once.
const AT_ONCE: usize = 32;

/// Stores new executions with this version.
pub(crate) async fn insert<E>(
    conn: &Connection,
    executions: &[&TaskExecution],
    version: Version,
) -> Result<(), Abort<E>> {
    let rows = executions.chunks(AT_ONCE).map(move |executions| {
        let mut written = Vec::with_capacity(executions.len());
        for execution in executions {
            let version = task_executions::version.eq(version.0);
            let steps = task_executions::steps.eq(Document::of(execution)?);
            written.push((Written::of(execution, &execution.point_ids()), version, steps));
        }
        Ok(Copied::of(&diesel::insert_into(task_executions::table).values(written))?)
    });
    conn.copy(Box::new(rows)).await
}
