-- The executions of one scheduled task, in the default order. Neither column ever changes, so that only
-- a new or a deleted execution writes this index. Series and performers have theirs already.
CREATE INDEX task_executions_by_task_and_id ON task_executions (scheduled_task_id, id);

-- What the planner is to believe of it, as in the migration of the statistics.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('task_executions', 'task_executions_by_task_and_id', '1000000 5000 1');
