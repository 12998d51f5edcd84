-- Times stand in every index that begins with them or goes on with them, and a change of times writes
-- all of those. A series and a performer select few executions, which are sorted as fast as found.
DROP INDEX task_executions_by_series;
CREATE INDEX task_executions_by_series ON task_executions (series_id) WHERE series_id IS NOT NULL;
DROP INDEX task_executions_by_performer;
CREATE INDEX task_executions_by_performer
    ON task_executions (performer_id) WHERE performer_id IS NOT NULL;

-- For the default order, in which the rare values would be looked for all over the table.
CREATE INDEX task_executions_by_priority_and_id ON task_executions (priority, id);
CREATE INDEX task_executions_by_published_and_id ON task_executions (published, id);

-- With the columns that say whether there is a time at all.
CREATE INDEX task_executions_by_started ON task_executions (started_at, state, status);
CREATE INDEX task_executions_by_ended ON task_executions (ended_at, state, status);

-- What the planner is to believe of them, as in the migration of the statistics.
DELETE FROM sqlite_stat1
WHERE idx IN ('task_executions_by_series', 'task_executions_by_performer');
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('task_executions', 'task_executions_by_series', '1000000 100'),
    ('task_executions', 'task_executions_by_performer', '1000000 2000'),
    ('task_executions', 'task_executions_by_priority_and_id', '1000000 400000 1'),
    ('task_executions', 'task_executions_by_published_and_id', '1000000 500000 1'),
    ('task_executions', 'task_executions_by_started', '1000000 4 2 2'),
    ('task_executions', 'task_executions_by_ended', '1000000 4 2 2');
