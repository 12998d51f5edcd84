-- The executions of one scheduled task, in the default order. Neither column ever changes, so that only
-- a new or a deleted execution writes this index. Series and performers have theirs already.
CREATE INDEX task_executions_by_task_and_id ON task_executions (scheduled_task_id, id);
