//! Scheduled tasks.

use diesel::prelude::*;
use patrol_domain::{
    EditError, StoreError, Timestamp, Version, Versioned, event::Origin, ids::ScheduledTaskId,
    scheduled_task::ScheduledTask,
};

use crate::{
    Creatable, Dialect, Editable, Entity, Findable, Removable,
    rounds::remove_following,
    stored::{
        Abort,
        event::RecordChange,
        scheduled_task::{
            ScheduledTaskRow,
            rounds::{StoredProgress, forget_left_out},
        },
        schema::scheduled_tasks,
        sql::{Document, Ids, StoredPlan, columns, id},
        statement::{Lock, update, with_lock},
    },
};

/// A row: its columns, its version and its steps.
type Stored = (ScheduledTaskRow, i64, Option<StoredPlan>);

fn versioned((read, version, steps): Stored) -> Result<Versioned<ScheduledTask>, StoreError> {
    Ok(Versioned { record: read.task(steps)?, version: Version(version) })
}

impl Entity for ScheduledTask {
    /// Stores from which time the executions of a new or changed task are compared with its plan.
    /// Tasks have no history.
    async fn record<C: Dialect>(
        conn: &C,
        changes: &[RecordChange<'_, Self>],
        by: &Origin,
    ) -> QueryResult<()> {
        for change in changes {
            let begun = match change {
                RecordChange::Create(task) => StoredProgress::of_new(task, by.at),
                RecordChange::Update(before, task) => StoredProgress::of(before, task, by),
                RecordChange::Delete(..) => continue,
            };
            let same = scheduled_tasks::id.eq(id(change.record().id));
            conn.execute(update(scheduled_tasks::table, same, begun)).await?;
        }
        Ok(())
    }
}

impl Findable for ScheduledTask {
    async fn find<C: Dialect, E: Send>(
        conn: &C,
        task: ScheduledTaskId,
        lock: Lock,
    ) -> Result<Option<Versioned<Self>>, Abort<E>> {
        let query = scheduled_tasks::table.filter(scheduled_tasks::id.eq(id(task))).select((
            columns::<ScheduledTaskRow>(),
            scheduled_tasks::version,
            scheduled_tasks::steps,
        ));
        Ok(conn.first(with_lock(query, lock)).await?.map(versioned).transpose()?)
    }
}

impl Creatable for ScheduledTask {
    async fn insert<C: Dialect, E: Send>(
        conn: &C,
        new: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<E>> {
        let mut rows = Vec::with_capacity(new.len());
        for task in new {
            let version = scheduled_tasks::version.eq(at.millis());
            let steps = scheduled_tasks::steps.eq(Document::of_plan(task)?);
            let lists = C::HAS_ARRAYS
                .then(|| scheduled_tasks::check_list_ids.eq(Ids::new(&task.check_list_ids())));
            let row = (ScheduledTaskRow::of(task)?, version, steps, lists);
            rows.push(diesel::insert_into(scheduled_tasks::table).values(row));
        }
        conn.execute_all(rows).await?;
        let named: Vec<_> = new.iter().map(|task| task.id).collect();
        conn.execute(forget_left_out(&named)).await?;
        for task in new {
            conn.link(None, Some(*task)).await?;
        }
        Ok(())
    }
}

impl Editable for ScheduledTask {
    async fn replace<C: Dialect>(
        conn: &C,
        old: &Versioned<Self>,
        new: &Self,
    ) -> Result<(), Abort<EditError>> {
        let version = scheduled_tasks::version.eq(old.version.next().0);
        let steps = scheduled_tasks::steps.eq(Document::of_plan(new)?);
        let lists = C::HAS_ARRAYS
            .then(|| scheduled_tasks::check_list_ids.eq(Ids::new(&new.check_list_ids())));
        let row = (ScheduledTaskRow::of(new)?, version, steps, lists);
        conn.execute(update(scheduled_tasks::table, scheduled_tasks::id.eq(id(new.id)), row))
            .await?;
        Ok(conn.link(Some(&old.record), Some(new)).await?)
    }
}

impl Removable for ScheduledTask {
    /// Removes the executions that a changed plan would still change: PENDING, not edited, and in
    /// the future. The others stay.
    async fn remove_with<C: Dialect>(
        conn: &C,
        old: &Self,
        by: &Origin,
    ) -> Result<(), Abort<EditError>> {
        remove_following(conn, old.id, by).await
    }

    async fn remove<C: Dialect>(conn: &C, old: &Self) -> QueryResult<Option<i64>> {
        conn.link(Some(old), None).await?;
        let same = scheduled_tasks::table.filter(scheduled_tasks::id.eq(id(old.id)));
        conn.execute(diesel::delete(same)).await?;
        Ok(None)
    }
}
