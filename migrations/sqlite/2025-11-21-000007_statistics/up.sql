-- What the planner is to believe of the executions. Without it, a value of `status`, which a million
-- of them may share, counts for as rare as one of `location_id`. Written down rather than measured, so
-- that a query has the same plan in every store, today and in a year; nothing runs ANALYZE later.
-- The first number is how many there are, each further one how many of them agree in the first one,
-- two, … columns of the index.
ANALYZE;
DELETE FROM sqlite_stat1;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('task_executions', 'sqlite_autoindex_task_executions_1', '1000000 1'),
    ('task_executions', 'task_executions_by_start', '1000000 4 2 2 2 2 1'),
    ('task_executions', 'task_executions_by_end', '1000000 4 1 1 1 1 1'),
    ('task_executions', 'task_executions_by_state', '1000000 300000 4 2 2 2 1'),
    ('task_executions', 'task_executions_by_status', '1000000 250000 4 2 2 2 1'),
    ('task_executions', 'task_executions_by_location', '1000000 10000 1 1 1 1 1 1'),
    ('task_executions', 'task_executions_by_state_and_id', '1000000 300000 1'),
    ('task_executions', 'task_executions_by_status_and_id', '1000000 250000 1'),
    ('task_executions', 'task_executions_by_location_and_id', '1000000 10000 1'),
    ('task_executions', 'task_executions_by_name', '1000000 2000 1'),
    ('task_executions', 'task_executions_by_series', '1000000 100 1'),
    ('task_executions', 'task_executions_by_performer', '1000000 2000 1'),
    ('task_execution_steps', NULL, '1000000'),
    ('task_execution_assignees', 'task_execution_assignees', '2000000 4000 1'),
    ('task_execution_tags', 'task_execution_tags', '2000000 40000 1'),
    ('task_execution_points', 'task_execution_points', '5000000 2000 1');
