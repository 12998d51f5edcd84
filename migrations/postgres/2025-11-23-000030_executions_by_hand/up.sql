-- An execution that was made by hand may have no scheduled task. `scheduled_task_id` is then the nil UUID, because nodes of
-- earlier versions cannot read null; lists take it for null.
DROP INDEX task_executions_by_task_and_id;
CREATE INDEX task_executions_by_task
    ON task_executions (nullif(scheduled_task_id, '00000000-0000-0000-0000-000000000000'::uuid), id);
CREATE INDEX task_executions_by_task_desc
    ON task_executions (nullif(scheduled_task_id, '00000000-0000-0000-0000-000000000000'::uuid) DESC NULLS LAST, id);
