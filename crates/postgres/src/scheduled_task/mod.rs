//! Scheduled tasks: a row with arrays and documents.

pub(crate) mod texts;

use diesel::{
    dsl::{self, AsSelect, Select},
    pg::Pg,
    prelude::*,
    sql_types::Bool,
};
use diesel_async::RunQueryDsl;
use patrol_domain::{
    EditError, References, StoreError, Timestamp, Version, Versioned,
    data_set::{ImportError, NewTask},
    event::Origin,
    ids::{ScheduledTaskId, UserId, Uuid},
    scheduled_task::ScheduledTask,
};
use patrol_repository::remove_following;
use patrol_stored::{
    scheduled_task::{
        Read, Written,
        rounds::{Begun, forget_left_out},
    },
    schema::scheduled_tasks,
    sql::{Document, Ids, StoredPlan, id, types},
};

use crate::{
    change::{self, Change, Creatable, Editable, Entity, Findable, Removable},
    data_set::{Kind, occurrences, page},
    engine::{Abort, Connection},
    repository::JobConnection,
};

/// The columns of a task.
type Columns = (AsSelect<Read, Pg>, scheduled_tasks::version, scheduled_tasks::steps);

/// Selects tasks with their steps.
fn query() -> Select<scheduled_tasks::table, Columns> {
    scheduled_tasks::table.select((
        Read::as_select(),
        scheduled_tasks::version,
        scheduled_tasks::steps,
    ))
}

/// A row of [`query`].
type Stored = (Read, i64, Option<StoredPlan>);

fn read((read, version, steps): Stored) -> Result<Versioned<ScheduledTask>, StoreError> {
    Ok(Versioned { record: read.task(steps)?, version: Version(version) })
}

impl Entity for ScheduledTask {
    /// Tasks have no history. Their executions follow each change.
    async fn record<E: Send>(
        mut conn: &Connection,
        changes: &[Change<'_, Self>],
        by: &Origin,
    ) -> Result<(), Abort<E>> {
        for change in changes {
            let begun = match change {
                Change::Create(task) => Begun::of_new(task, by.at),
                Change::Update(_, task) => Begun::of(task, by),
                Change::Delete(..) => continue,
            };
            diesel::update(scheduled_tasks::table.find(id(change.record().id)))
                .set(begun)
                .execute(&mut conn)
                .await?;
        }
        Ok(())
    }
}

impl Findable for ScheduledTask {
    async fn find<E: Send>(
        mut conn: &Connection,
        task: ScheduledTaskId,
    ) -> Result<Option<Versioned<Self>>, Abort<E>> {
        let found = query().filter(scheduled_tasks::id.eq(id(task))).first(&mut conn).await;
        Ok(found.optional()?.map(read).transpose()?)
    }

    async fn lock(
        mut conn: &Connection,
        task: ScheduledTaskId,
        _: &References,
    ) -> Result<Option<Versioned<Self>>, Abort<EditError>> {
        let query = query().filter(scheduled_tasks::id.eq(id(task))).for_update();
        Ok(query.first(&mut conn).await.optional()?.map(read).transpose()?)
    }
}

/// The task, if it exists. It does not change until the end of the transaction.
pub(crate) async fn find_unchanging<E>(
    mut conn: &Connection,
    task: ScheduledTaskId,
) -> Result<Option<ScheduledTask>, Abort<E>> {
    let query = query().filter(scheduled_tasks::id.eq(id(task))).for_share();
    let found = query.first(&mut conn).await.optional()?.map(read).transpose()?;
    Ok(found.map(|found| found.record))
}

impl Creatable for ScheduledTask {
    /// Stores new tasks. An id may have been used before; its versions were lower than the current time
    /// in milliseconds.
    async fn insert<E: Send>(
        mut conn: &Connection,
        new: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<E>> {
        let ids: Vec<_> = new.iter().map(|task| task.id).collect();
        forget_left_out(&ids).execute(&mut conn).await?;
        let mut written = Vec::with_capacity(new.len());
        for task in new {
            let version = scheduled_tasks::version.eq(at.millis());
            let lists = scheduled_tasks::check_list_ids.eq(Ids::new(&task.check_list_ids()));
            let steps = scheduled_tasks::steps.eq(Document::of_plan(task)?);
            written.push((Written::of(task)?, version, lists, steps));
        }
        diesel::insert_into(scheduled_tasks::table).values(written).execute(&mut conn).await?;
        Ok(())
    }
}

impl Editable for ScheduledTask {
    async fn replace(
        mut conn: &Connection,
        old: &Versioned<Self>,
        new: &Self,
    ) -> Result<(), Abort<EditError>> {
        let version = scheduled_tasks::version.eq(old.version.next().0);
        let lists = scheduled_tasks::check_list_ids.eq(Ids::new(&new.check_list_ids()));
        let steps = scheduled_tasks::steps.eq(Document::of_plan(new)?);
        diesel::update(scheduled_tasks::table.find(id(new.id)))
            .set((Written::of(new)?, version, lists, steps))
            .execute(&mut conn)
            .await?;
        Ok(())
    }
}

impl Removable for ScheduledTask {
    async fn remove_with(
        conn: &Connection,
        old: &Self,
        by: &Origin,
    ) -> Result<(), Abort<EditError>> {
        remove_following(&JobConnection(conn), old.id, by).await
    }

    async fn remove(
        mut conn: &Connection,
        task: ScheduledTaskId,
    ) -> Result<Option<i64>, Abort<EditError>> {
        diesel::delete(scheduled_tasks::table.find(id(task))).execute(&mut conn).await?;
        Ok(None)
    }
}

impl Kind for NewTask {
    fn parts(&self) -> usize {
        let steps = self.task.steps.iter().map(|step| 1 + step.actions.len()).sum::<usize>();
        1 + steps + self.left_out.len()
    }

    async fn store(
        mut conn: &Connection,
        new: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<ImportError>> {
        let tasks: Vec<_> = new.iter().map(|new| &new.task).collect();
        ScheduledTask::insert(conn, &tasks, at).await?;
        for task in tasks.iter().filter(|task| task.schedule.is_some()) {
            diesel::update(scheduled_tasks::table.find(id(task.id)))
                .set(Begun::of_import(task, at))
                .execute(&mut conn)
                .await?;
        }
        Ok(occurrences::leave_out(conn, new).await?)
    }

    async fn page(conn: &Connection, after: Option<Uuid>) -> Result<Vec<Self>, Abort<StoreError>> {
        let rows: Vec<Stored> = page!(conn, after, scheduled_tasks, query());
        let tasks: Result<Vec<_>, _> = rows.into_iter().map(read).collect();
        let tasks = tasks?;
        let ids: Vec<_> = tasks.iter().map(|found| found.record.id).collect();
        let mut left_out = occurrences::left_out(conn, &ids).await?;
        let new = |Versioned { record, .. }: Versioned<ScheduledTask>| {
            let left_out = left_out.remove(&record.id).unwrap_or_default();
            Self { task: record, left_out }
        };
        Ok(tasks.into_iter().map(new).collect())
    }
}

/// The number of tasks that are locked and changed together.
const ASSIGNED: i64 = 64;

/// Takes a user who is deleted off all tasks, in order of id.
pub(crate) async fn unassign(
    mut conn: &Connection,
    user: UserId,
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    let mut after = Uuid::nil();
    loop {
        let is_assigned =
            dsl::sql::<Bool>("assignee_ids @> ARRAY[").bind::<types::Id, _>(id(user)).sql("]");
        let found: Vec<Stored> = query()
            .filter(is_assigned)
            .filter(scheduled_tasks::id.ge(id(after)))
            .order(scheduled_tasks::id)
            .limit(ASSIGNED)
            .for_update()
            .load(&mut conn)
            .await?;
        let found: Vec<_> = found.into_iter().map(read).collect::<Result<_, _>>()?;
        let Some(last) = found.last() else { return Ok(()) };
        // The last task itself is not found again, because it loses the assignee.
        after = last.record.id.0;
        for old in found {
            let Some(new) = old.record.without_deleted_assignee(user) else { continue };
            ScheduledTask::replace(conn, &old, &new).await?;
            change::record_changes(conn, &[Change::Update(&old.record, &new)], by).await?;
        }
    }
}
