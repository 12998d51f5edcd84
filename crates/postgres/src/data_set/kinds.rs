//! Imports and exports each kind of record.

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use patrol_domain::{
    StoreError, Timestamp, Version, Versioned,
    check_list::CheckList,
    data_set::{ImportError, NewExecution, NewTask, NewUser},
    event::Origin,
    graphic_plan::GraphicPlan,
    ids::Uuid,
    location::Location,
    point::Point,
    scheduled_task::ScheduledTask,
    task_execution::TaskExecution,
};
use patrol_repository::{Creatable, Entity as _, read_check_lists};
use patrol_stored::{
    check_list::ListRead,
    event::Change,
    graphic_plan, location, point,
    scheduled_task::{self, rounds::Begun},
    schema::{check_lists, graphic_plans, locations, passwords, points, scheduled_tasks, users},
    sql::{StoredPlan, id},
    user,
};

use super::{
    kind::{Kind, page},
    occurrences,
};
use crate::{
    engine::{Abort, Connection, JobConnection},
    task_execution, user_names,
};

impl Kind for Location {
    async fn store(
        conn: &Connection,
        locations: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<ImportError>> {
        Self::insert(&JobConnection(conn), locations, at).await
    }

    async fn page(conn: &Connection, after: Option<Uuid>) -> Result<Vec<Self>, Abort<StoreError>> {
        let query = locations::table.select(location::Read::as_select());
        let rows: Vec<location::Read> = page!(conn, after, locations, query);
        Ok(rows.into_iter().map(location::Read::location).collect::<Result<_, _>>()?)
    }
}

impl Kind for GraphicPlan {
    async fn store(
        conn: &Connection,
        plans: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<ImportError>> {
        Self::insert(&JobConnection(conn), plans, at).await
    }

    async fn page(conn: &Connection, after: Option<Uuid>) -> Result<Vec<Self>, Abort<StoreError>> {
        let query = graphic_plans::table.select(graphic_plan::Read::as_select());
        let rows: Vec<graphic_plan::Read> = page!(conn, after, graphic_plans, query);
        Ok(rows.into_iter().map(graphic_plan::Read::plan).collect::<Result<_, _>>()?)
    }
}

impl Kind for Point {
    async fn store(
        conn: &Connection,
        points: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<ImportError>> {
        let conn = JobConnection(conn);
        Self::insert(&conn, points, at).await?;
        let changes: Vec<_> = points.iter().map(|point| Change::Create(*point)).collect();
        Ok(Self::record(&conn, &changes, &Origin::of_program(at)).await?)
    }

    async fn page(conn: &Connection, after: Option<Uuid>) -> Result<Vec<Self>, Abort<StoreError>> {
        let query = points::table.select(point::Read::as_select());
        let rows: Vec<point::Read> = page!(conn, after, points, query);
        Ok(rows.into_iter().map(point::Read::point).collect::<Result<_, _>>()?)
    }
}

impl Kind for NewUser {
    async fn lock_and_find_clash(conn: &Connection, users: &[&Self]) -> QueryResult<bool> {
        let users: Vec<_> = users.iter().map(|new| &new.user).collect();
        user_names::lock_and_find_clash(conn, &users).await
    }

    async fn store(
        mut conn: &Connection,
        new: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<ImportError>> {
        let users: Vec<_> = new.iter().map(|new| &new.user).collect();
        Creatable::insert(&JobConnection(conn), &users, at).await?;
        let hashes = new.iter().filter_map(|NewUser { user, password_hash }| {
            Some((passwords::user_id.eq(id(user.id)), passwords::hash.eq(password_hash.as_ref()?)))
        });
        let hashes: Vec<_> = hashes.collect();
        diesel::insert_into(passwords::table).values(hashes).execute(&mut conn).await?;
        Ok(())
    }

    async fn page(conn: &Connection, after: Option<Uuid>) -> Result<Vec<Self>, Abort<StoreError>> {
        let rows: Vec<user::Stored> =
            page!(conn, after, users, users::table.select(user::all_columns()));
        let new = |row| Ok(Self::from(user::versioned(row)?.record));
        Ok(rows.into_iter().map(new).collect::<Result<_, StoreError>>()?)
    }
}

impl Kind for CheckList {
    fn parts(&self) -> usize {
        1 + self.actions.len()
    }

    async fn store(
        conn: &Connection,
        lists: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<ImportError>> {
        Self::insert(&JobConnection(conn), lists, at).await
    }

    async fn page(conn: &Connection, after: Option<Uuid>) -> Result<Vec<Self>, Abort<StoreError>> {
        let query = check_lists::table.select(ListRead::as_select());
        let rows = page!(conn, after, check_lists, query);
        read_check_lists(&JobConnection(conn), rows).await
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
        ScheduledTask::insert(&JobConnection(conn), &tasks, at).await?;
        for task in tasks.iter().filter(|task| task.schedule.is_some()) {
            diesel::update(scheduled_tasks::table.find(id(task.id)))
                .set(Begun::of_import(task, at))
                .execute(&mut conn)
                .await?;
        }
        Ok(occurrences::leave_out(conn, new).await?)
    }

    async fn page(conn: &Connection, after: Option<Uuid>) -> Result<Vec<Self>, Abort<StoreError>> {
        let columns = (scheduled_task::Read::as_select(), scheduled_tasks::steps);
        let rows: Vec<(scheduled_task::Read, Option<StoredPlan>)> =
            page!(conn, after, scheduled_tasks, scheduled_tasks::table.select(columns));
        let tasks = rows.into_iter().map(|(read, steps)| read.task(steps));
        let tasks: Vec<ScheduledTask> = tasks.collect::<Result<_, _>>()?;
        let ids: Vec<_> = tasks.iter().map(|task| task.id).collect();
        let mut left_out = occurrences::left_out(conn, &ids).await?;
        let new = |task: ScheduledTask| {
            let left_out = left_out.remove(&task.id).unwrap_or_default();
            Self { task, left_out }
        };
        Ok(tasks.into_iter().map(new).collect())
    }
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
        task_execution::insert(conn, &executions, Version(at.millis())).await?;
        Ok(occurrences::insert(conn, new).await?)
    }

    async fn page(conn: &Connection, after: Option<Uuid>) -> Result<Vec<Self>, Abort<StoreError>> {
        let rows: Vec<_> = page!(conn, after, task_executions, task_execution::query());
        let executions: Result<Vec<_>, _> = rows.into_iter().map(task_execution::read).collect();
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
