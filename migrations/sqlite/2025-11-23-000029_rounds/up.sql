-- How far the executions of a task are made. `due_at`: occurrences that start at this time or later have none yet, in
-- milliseconds since 1970; null when there are no more. `compare_from`: the plan has changed, and executions of
-- occurrences with this local start or a later one have yet to be compared with it, in local seconds since 1970.
ALTER TABLE scheduled_tasks ADD COLUMN due_at INTEGER;
ALTER TABLE scheduled_tasks ADD COLUMN compare_from INTEGER;

-- The user, token and request of the last change, for the events of the executions that follow it.
ALTER TABLE scheduled_tasks ADD COLUMN changed_by BLOB;
ALTER TABLE scheduled_tasks ADD COLUMN changed_with BLOB;
ALTER TABLE scheduled_tasks ADD COLUMN changed_in TEXT;

CREATE INDEX scheduled_tasks_by_due_at ON scheduled_tasks (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX scheduled_tasks_by_compare_from ON scheduled_tasks (compare_from) WHERE compare_from IS NOT NULL;

-- The occurrences from which an execution was made: by task and local start in the rule, in seconds since 1970. The key
-- is what makes each of them once. A row outlives its execution, which therefore is not made again.
CREATE TABLE scheduled_task_occurrences (
    task_id BLOB NOT NULL,
    start INTEGER NOT NULL,
    execution_id BLOB NOT NULL,
    PRIMARY KEY (task_id, start)
) STRICT, WITHOUT ROWID;

CREATE INDEX scheduled_task_occurrences_by_execution ON scheduled_task_occurrences (execution_id);

-- What the planner is to believe, as in the migration of the statistics.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('scheduled_tasks', 'scheduled_tasks_by_due_at', '100000 2'),
    ('scheduled_tasks', 'scheduled_tasks_by_compare_from', '100 2'),
    ('scheduled_task_occurrences', 'scheduled_task_occurrences', '1000000 1000 1'),
    ('scheduled_task_occurrences', 'scheduled_task_occurrences_by_execution', '1000000 1');
