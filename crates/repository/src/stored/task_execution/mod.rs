//! The row of an execution and its document of steps.

mod list;
mod read;
mod task;

use diesel::{
    dsl::{self, AsExprOf},
    pg::Pg,
    prelude::*,
};
use patrol_domain::{
    Named, Versioned,
    ids::{PointId, UserId},
    shared::text::fold,
    task_execution::{ExecutionSummary, State, TaskExecution},
};

pub use list::SummaryRow;
pub use read::ExecutionRow;

use crate::stored::{
    computed_text,
    list::Text,
    schema::task_executions,
    sql::{Id, Ids, StoredSteps, Texts, Time, columns, id, time, types},
    statement::{Computed, computed, computed_with},
    texts::folded_tags,
};

computed_text!(
    IsAssigned: types::Bool,
    sqlite: "task_executions.row IN (SELECT row FROM task_execution_assignees WHERE value = {})",
    postgres: "task_executions.assignee_ids @> ARRAY[{}]"
);

/// Whether the execution has this assignee.
pub fn is_assigned(user: UserId) -> Computed<IsAssigned, AsExprOf<Id, types::Id>> {
    computed_with(id(user).into_sql::<types::Id>())
}

computed_text!(
    Steps: types::Nullable<types::Steps>,
    sqlite: "(SELECT document FROM task_execution_steps AS steps \
        WHERE steps.row = task_executions.row)",
    postgres: "task_executions.steps"
);

/// The table and the column of the steps, for errors.
pub const STEPS: (Text, Text) = (
    Text { sqlite: "task_execution_steps", postgres: "task_executions" },
    Text { sqlite: "document", postgres: "steps" },
);

/// All columns of an execution.
pub type Columns = (<ExecutionRow as Selectable<Pg>>::SelectExpression, Computed<Steps>);

/// The columns of an execution with its steps.
#[must_use]
pub fn all_columns() -> Columns {
    (columns::<ExecutionRow>(), computed())
}

/// A row of [`all_columns`].
pub type Stored = (ExecutionRow, Option<StoredSteps>);

/// Selects the PENDING executions of a series that start at `from` or later.
#[dsl::auto_type(no_type_alias)]
pub fn is_pending(series: Id, from: Time) -> _ {
    let pending: i16 = State::Pending.code();
    task_executions::series_id
        .eq(series)
        .and(task_executions::state.eq(pending))
        .and(task_executions::start_at.ge(from))
}

/// Declares the columns of an execution, without version and steps, in two forms: [`ExecutionColumns`] has
/// all of them, [`Changed`] only those that change.
macro_rules! columns {
    ($($field:ident: [$($of:tt)+],)+) => {
        /// The columns of an execution, without key, version and steps.
        #[derive(Insertable)]
        #[diesel(table_name = task_executions)]
        #[diesel(treat_none_as_default_value = false)]
        pub struct ExecutionColumns {
            id: Id,
            $($field: $($of)+,)+
        }

        /// The changed columns of a row, with its version. On SQLite, leaving out unchanged columns saves updates
        /// of their indexes, which are most of the cost of a write; on PostgreSQL, their values on the way.
        #[derive(AsChangeset)]
        #[diesel(table_name = task_executions)]
        pub struct Changed {
            version: i64,
            $($field: Option<$($of)+>,)+
        }

        impl Changed {
            /// The changes from `old` to `new`, under the next version. `points` are the points of the steps
            /// of each.
            #[must_use]
            pub fn between(
                old: &Versioned<TaskExecution>,
                new: &TaskExecution,
                [old_points, new_points]: [&[PointId]; 2],
            ) -> Self {
                let before = ExecutionColumns::of(&old.record, old_points);
                let ExecutionColumns { id: _, $($field),+ } = ExecutionColumns::of(new, new_points);
                Self {
                    version: old.version.next().0,
                    $($field: (before.$field != $field).then_some($field)),+
                }
            }
        }
    };
}

columns! {
    scheduled_task_id: [Id],
    series_id: [Option<Id>],
    location_id: [Id],
    performer_id: [Option<Id>],
    assignee_ids: [Ids],
    point_ids: [Ids],
    state: [i16],
    status: [Option<i16>],
    priority: [i16],
    published: [bool],
    order_steps_required: [bool],
    strict_time_required: [bool],
    deadlined: [bool],
    edited: [bool],
    start_at: [Time],
    end_at: [Time],
    started_at: [Option<Time>],
    ended_at: [Option<Time>],
    error_count: [i32],
    warning_count: [i32],
    step_count: [i32],
    executed_step_count: [i32],
    flag_count: [i32],
    name: [String],
    name_folded: [String],
    tags: [Texts],
    tags_folded: [String],
    description: [Option<String>],
    description_folded: [Option<String>],
}

impl ExecutionColumns {
    /// The columns of `execution`; `points` are the points of its steps.
    #[must_use]
    pub fn of(execution: &TaskExecution, points: &[PointId]) -> Self {
        let TaskExecution {
            id: execution_id,
            scheduled_task_id,
            series_id,
            name,
            description,
            location_id,
            performer_id,
            assignee_ids,
            progress,
            published,
            start_at,
            end_at,
            priority,
            order_steps_required,
            strict_time_required,
            deadlined,
            edited,
            flag_count,
            tags,
            steps: _,
        } = execution;
        let ExecutionSummary {
            status,
            error_count,
            warning_count,
            step_count,
            executed_step_count,
            ..
        } = execution.summary();
        Self {
            id: id(*execution_id),
            scheduled_task_id: task::written(*scheduled_task_id),
            series_id: series_id.map(id),
            location_id: id(*location_id),
            performer_id: performer_id.map(id),
            assignee_ids: Ids::new(assignee_ids),
            point_ids: Ids::new(points),
            state: progress.state().code(),
            status: status.map(Named::code),
            priority: priority.code(),
            published: *published,
            order_steps_required: *order_steps_required,
            strict_time_required: *strict_time_required,
            deadlined: *deadlined,
            edited: *edited,
            start_at: time(*start_at),
            end_at: time(*end_at),
            started_at: progress.started_at().map(time),
            ended_at: progress.ended_at().map(time),
            error_count,
            warning_count,
            step_count,
            executed_step_count,
            flag_count: *flag_count,
            name: name.clone(),
            name_folded: fold(name),
            tags: Texts(Ok(tags.clone())),
            tags_folded: folded_tags(tags),
            description: description.clone(),
            description_folded: description.as_deref().map(fold),
        }
    }
}
