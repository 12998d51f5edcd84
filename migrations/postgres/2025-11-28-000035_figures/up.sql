-- All that figures read, so that they never look at the table, whose rows contain the steps.
CREATE INDEX task_executions_by_figures ON task_executions (start_at)
    INCLUDE (end_at, started_at, ended_at, step_count, executed_step_count, error_count,
    warning_count, flag_count, location_id, performer_id, scheduled_task_id)
    WHERE published;
