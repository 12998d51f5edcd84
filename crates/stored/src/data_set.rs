//! Import and export: the size of batches, and the kinds of records that both stores keep in the same
//! way.

/// The records of a batch of an export: enough for a low overhead, few enough for little memory.
pub const BATCH: i64 = 128;

/// Calls the macro `$then` with each kind whose records are one row of one table, equal on both
/// stores: its table, the columns as written and as read, and the method that decodes them.
#[macro_export]
macro_rules! one_row_kinds {
    ($then:ident) => {
        $then! {
            patrol_domain::location::GraphicPlan:
                graphic_plans, $crate::location::PlanWritten, $crate::location::PlanRead, plan;
            patrol_domain::scheduled_task::ScheduledTask:
                scheduled_tasks, $crate::scheduled_task::Written, $crate::scheduled_task::Read, task;
        }
    };
}
