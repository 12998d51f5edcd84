-- An execution that was made by hand may have no scheduled task. `scheduled_task_id` is then the nil UUID, because nodes of
-- earlier versions cannot read null; lists take it for null.
DROP INDEX task_executions_by_task_and_id;
CREATE INDEX task_executions_by_task ON task_executions (nullif(scheduled_task_id, x'00000000000000000000000000000000'), id);

-- What the planner is to believe, as in the migration of the statistics.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('task_executions', 'task_executions_by_task', '1000000 5000 1');
