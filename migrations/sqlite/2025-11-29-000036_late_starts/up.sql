-- How long after its planned start a round began: half of what makes it late. With `published`, so that late rounds are
-- counted without a look at the table.
CREATE INDEX task_executions_by_start_delay ON task_executions ((started_at - start_at), published)
    WHERE started_at IS NOT NULL;

-- What the planner is to believe, as in the migration of the statistics.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('task_executions', 'task_executions_by_start_delay', '800000 4 3');
