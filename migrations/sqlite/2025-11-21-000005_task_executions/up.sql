CREATE TABLE scheduled_tasks (
    row INTEGER PRIMARY KEY NOT NULL,
    id BLOB NOT NULL UNIQUE,
    name TEXT NOT NULL,
    description TEXT
) STRICT;

-- What a list tells of an execution, and all of it but its steps. `assignee_ids` and `point_ids` are
-- the ids one after another, 16 bytes each. Users, locations and scheduled tasks cannot be deleted,
-- so the references to them hold for good.
CREATE TABLE task_executions (
    row INTEGER PRIMARY KEY NOT NULL,
    id BLOB NOT NULL UNIQUE,
    version INTEGER NOT NULL,
    scheduled_task_id BLOB NOT NULL REFERENCES scheduled_tasks (id),
    series_id BLOB,
    location_id BLOB NOT NULL REFERENCES locations (id),
    performer_id BLOB REFERENCES users (id),
    assignee_ids BLOB NOT NULL,
    point_ids BLOB NOT NULL,
    state INTEGER NOT NULL,
    status INTEGER,
    priority INTEGER NOT NULL,
    published INTEGER NOT NULL,
    order_steps_required INTEGER NOT NULL,
    strict_time_required INTEGER NOT NULL,
    deadlined INTEGER NOT NULL,
    edited INTEGER NOT NULL,
    start_at INTEGER NOT NULL,
    end_at INTEGER NOT NULL,
    started_at INTEGER,
    ended_at INTEGER,
    error_count INTEGER NOT NULL,
    warning_count INTEGER NOT NULL,
    step_count INTEGER NOT NULL,
    executed_step_count INTEGER NOT NULL,
    name TEXT NOT NULL,
    name_folded TEXT NOT NULL,
    tags TEXT NOT NULL,
    tags_folded TEXT NOT NULL,
    description TEXT,
    description_folded TEXT
) STRICT;

-- The columns after the one that is searched or sorted by let the usual filters be tested, and the
-- matches be counted, without a look at the table.
CREATE INDEX task_executions_by_start
    ON task_executions (start_at, state, status, priority, published, end_at);
CREATE INDEX task_executions_by_end
    ON task_executions (end_at, start_at, state, status, priority, published);
CREATE INDEX task_executions_by_state
    ON task_executions (state, start_at, status, priority, published, end_at);
CREATE INDEX task_executions_by_status
    ON task_executions (status, start_at, state, priority, published, end_at);
CREATE INDEX task_executions_by_location
    ON task_executions (location_id, start_at, state, status, priority, published, end_at);
-- The default order is by id, and what a filter lets through may be few or nearly all of them.
CREATE INDEX task_executions_by_state_and_id ON task_executions (state, id);
CREATE INDEX task_executions_by_status_and_id ON task_executions (status, id);
CREATE INDEX task_executions_by_location_and_id ON task_executions (location_id, id);
CREATE INDEX task_executions_by_name ON task_executions (name_folded, id);
CREATE INDEX task_executions_by_series
    ON task_executions (series_id, start_at) WHERE series_id IS NOT NULL;
CREATE INDEX task_executions_by_performer
    ON task_executions (performer_id, start_at) WHERE performer_id IS NOT NULL;

-- The steps with their actions: a JSON document, as bytes, so that it is read where it lies.
CREATE TABLE task_execution_steps (
    row INTEGER PRIMARY KEY NOT NULL REFERENCES task_executions (row) ON DELETE CASCADE,
    document BLOB NOT NULL
) STRICT;

-- Assignees, tags and points of an execution, for filtering: written together with the row, from its
-- `assignee_ids`, `tags` and `point_ids`, and removed by them. A point may be deleted while an
-- execution refers to it.
CREATE TABLE task_execution_assignees (
    value BLOB NOT NULL REFERENCES users (id),
    row INTEGER NOT NULL,
    PRIMARY KEY (value, row)
) STRICT, WITHOUT ROWID;

CREATE TABLE task_execution_tags (
    value TEXT NOT NULL,
    row INTEGER NOT NULL,
    PRIMARY KEY (value, row)
) STRICT, WITHOUT ROWID;

CREATE TABLE task_execution_points (
    value BLOB NOT NULL,
    row INTEGER NOT NULL,
    PRIMARY KEY (value, row)
) STRICT, WITHOUT ROWID;
