-- Who selects by state or status gets the order by id from one index and that by start from another;
-- those that start with the state and go on with the start served neither better, and each index
-- is written with nearly every change.
DROP INDEX task_executions_by_state;
DROP INDEX task_executions_by_status;

-- What one series or one performer has is sorted by hand.
DROP INDEX task_executions_by_series;
DROP INDEX task_executions_by_performer;
CREATE INDEX task_executions_by_series ON task_executions (series_id) WHERE series_id IS NOT NULL;
CREATE INDEX task_executions_by_performer
    ON task_executions (performer_id) WHERE performer_id IS NOT NULL;

CREATE INDEX task_executions_by_priority_and_id ON task_executions (priority, id);
CREATE INDEX task_executions_by_published_and_id ON task_executions (published, id);

-- The latest first; what has not been started or has not ended comes last.
CREATE INDEX task_executions_by_started
    ON task_executions (started_at DESC NULLS LAST, id);
CREATE INDEX task_executions_by_ended ON task_executions (ended_at DESC NULLS LAST, id);
