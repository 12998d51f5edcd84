-- Users can be deleted, and executions keep the ids of deleted users.
ALTER TABLE task_executions DROP CONSTRAINT task_executions_performer_id_fkey;
