//! What an import and an export do with each kind of record.

use diesel::prelude::*;
use patrol_domain::{
    StoreError, Timestamp, Version,
    check_list::CheckList,
    data_set::{ImportError, NewExecution, NewTask, NewUser},
    event::Origin,
    graphic_plan::GraphicPlan,
    ids::Uuid,
    location::Location,
    point::Point,
    report::Report,
    scheduled_task::ScheduledTask,
    user::User,
};

use super::{Kind, Page, occurrences, reports as entries};
use crate::{
    Creatable as _, Dialect, Entity as _,
    sign_in::insert_hash,
    stored::{
        Abort, check_list,
        event::RecordChange,
        graphic_plan, location,
        media::insert_use,
        page,
        page::{Place, ROWS},
        point,
        report::ReportRow,
        scheduled_task::{
            self,
            rounds::{StoredProgress, forget_executions},
        },
        schema::{reports, scheduled_tasks},
        sql::{Id, StoredPlan, columns, id},
        statement::update,
        task_execution, user,
    },
    task_execution::read,
};

/// A row of a page: its key, its id and the other columns.
type Row<R> = (i64, Id, R);

/// The page of these rows; `read` decodes one.
fn page_of<R, K>(
    rows: Vec<Row<R>>,
    read: impl Fn(R) -> Result<K, StoreError>,
) -> Result<Page<K>, StoreError> {
    let next = rows.last().map(|(row, id, _)| Place::After(*row, *id));
    Ok((rows.into_iter().map(|(_, _, row)| read(row)).collect::<Result<_, _>>()?, next))
}

impl Kind for Location {
    async fn store<C: Dialect>(
        conn: &C,
        locations: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<ImportError>> {
        Self::insert(conn, locations, at).await
    }

    async fn page<C: Dialect>(conn: &C, after: Place) -> Result<Page<Self>, Abort<StoreError>> {
        let rows = conn.load(page!(locations, columns::<location::LocationRow>(), after)).await?;
        Ok(page_of(rows, location::LocationRow::location)?)
    }
}

impl Kind for GraphicPlan {
    async fn store<C: Dialect>(
        conn: &C,
        plans: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<ImportError>> {
        Self::insert(conn, plans, at).await
    }

    async fn page<C: Dialect>(conn: &C, after: Place) -> Result<Page<Self>, Abort<StoreError>> {
        let rows = conn
            .load(page!(graphic_plans, columns::<graphic_plan::GraphicPlanRow>(), after))
            .await?;
        Ok(page_of(rows, graphic_plan::GraphicPlanRow::plan)?)
    }
}

impl Kind for Point {
    async fn store<C: Dialect>(
        conn: &C,
        points: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<ImportError>> {
        Self::insert(conn, points, at).await?;
        let changes: Vec<_> = points.iter().map(|point| RecordChange::Create(*point)).collect();
        Ok(Self::record(conn, &changes, &Origin::of_program(at)).await?)
    }

    async fn page<C: Dialect>(conn: &C, after: Place) -> Result<Page<Self>, Abort<StoreError>> {
        let rows = conn.load(page!(points, columns::<point::PointRow>(), after)).await?;
        Ok(page_of(rows, point::PointRow::point)?)
    }
}

impl Kind for NewUser {
    async fn store<C: Dialect>(
        conn: &C,
        new: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<ImportError>> {
        let users: Vec<_> = new.iter().map(|new| &new.user).collect();
        User::insert(conn, &users, at).await?;
        let hashes = new.iter().filter_map(|Self { user, password_hash }| {
            Some(insert_hash::<C>(user.id, password_hash.as_ref()?))
        });
        conn.execute_all(hashes.collect()).await?;
        Ok(())
    }

    async fn page<C: Dialect>(conn: &C, after: Place) -> Result<Page<Self>, Abort<StoreError>> {
        let rows = conn.load(page!(users, user::all_columns(), after)).await?;
        Ok(page_of(rows, |row| Ok(Self::from(user::versioned(row)?.record)))?)
    }
}

impl Kind for CheckList {
    fn parts(&self) -> usize {
        1 + self.actions.len()
    }

    async fn store<C: Dialect>(
        conn: &C,
        lists: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<ImportError>> {
        Self::insert(conn, lists, at).await
    }

    async fn page<C: Dialect>(conn: &C, after: Place) -> Result<Page<Self>, Abort<StoreError>> {
        let rows = conn.load(page!(check_lists, check_list::all_columns(), after)).await?;
        Ok(page_of(rows, check_list::CheckListRow::list)?)
    }
}

impl Kind for NewTask {
    fn parts(&self) -> usize {
        let steps = self.task.steps.iter().map(|step| 1 + step.actions.len()).sum::<usize>();
        1 + steps + self.left_out.len()
    }

    async fn store<C: Dialect>(
        conn: &C,
        new: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<ImportError>> {
        let tasks: Vec<_> = new.iter().map(|new| &new.task).collect();
        ScheduledTask::insert(conn, &tasks, at).await?;
        let planned = tasks.into_iter().filter(|task| task.schedule.is_some());
        let begun = planned.map(|task| {
            let same = scheduled_tasks::id.eq(id(task.id));
            update(scheduled_tasks::table, same, StoredProgress::of_import(task, at))
        });
        conn.execute_all(begun.collect()).await?;
        Ok(occurrences::leave_out(conn, new).await?)
    }

    async fn page<C: Dialect>(conn: &C, after: Place) -> Result<Page<Self>, Abort<StoreError>> {
        let columns = (columns::<scheduled_task::ScheduledTaskRow>(), scheduled_tasks::steps);
        let rows = conn.load(page!(scheduled_tasks, columns, after)).await?;
        let read = |(read, steps): (scheduled_task::ScheduledTaskRow, Option<StoredPlan>)| {
            read.task(steps)
        };
        let (tasks, next): Page<ScheduledTask> = page_of(rows, read)?;
        let ids: Vec<_> = tasks.iter().map(|task| task.id).collect();
        let mut left_out = occurrences::left_out(conn, &ids).await?;
        let new = tasks.into_iter().map(|task| {
            let left_out = left_out.remove(&task.id).unwrap_or_default();
            Self { task, left_out }
        });
        Ok((new.collect(), next))
    }
}

impl Kind for NewExecution {
    fn parts(&self) -> usize {
        self.execution.parts()
    }

    async fn store<C: Dialect>(
        conn: &C,
        new: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<ImportError>> {
        let executions: Vec<_> = new.iter().map(|new| &new.execution).collect();
        conn.insert_executions(&executions, Version::of_new(at)).await?;
        let ids: Vec<_> = executions.iter().map(|execution| execution.id).collect();
        conn.execute(forget_executions(&ids)).await?;
        let uses = executions
            .iter()
            .flat_map(|execution| execution.media().map(|medium| insert_use(medium, execution.id)));
        conn.execute_all(uses.collect()).await?;
        Ok(occurrences::insert(conn, new).await?)
    }

    async fn page<C: Dialect>(conn: &C, after: Place) -> Result<Page<Self>, Abort<StoreError>> {
        let rows = conn.load(page!(task_executions, task_execution::all_columns(), after)).await?;
        let (executions, next) = page_of(rows, |row| Ok(read::<C>(row)?.record))?;
        let ids: Vec<_> = executions.iter().map(|execution| execution.id).collect();
        let starts = occurrences::made(conn, &ids).await?;
        let new = executions.into_iter().map(|execution| {
            let occurrence_at = starts.get(&execution.id).copied();
            Self { execution, occurrence_at }
        });
        Ok((new.collect(), next))
    }
}

impl Kind for Report {
    async fn store<C: Dialect>(
        conn: &C,
        new: &[&Self],
        _: Timestamp,
    ) -> Result<(), Abort<ImportError>> {
        Ok(entries::insert(conn, new).await?)
    }

    /// Round by round, on both databases: the rest of a round, or what follows it.
    async fn page<C: Dialect>(conn: &C, after: Place) -> Result<Page<Self>, Abort<StoreError>> {
        let (row, round) = match after {
            Place::Start => (i64::MIN, id(Uuid::nil())),
            Place::After(row, round) => (row, round),
        };
        let columns = (reports::row, reports::execution_id, columns::<ReportRow>());
        let page =
            reports::table.order((reports::execution_id, reports::row)).limit(ROWS).select(columns);
        let rest = page.filter(reports::execution_id.eq(round)).filter(reports::row.gt(row));
        let mut rows = conn.load(rest).await?;
        if rows.is_empty() {
            rows = conn.load(page.filter(reports::execution_id.gt(round))).await?;
        }
        Ok(page_of(rows, ReportRow::report)?)
    }
}
