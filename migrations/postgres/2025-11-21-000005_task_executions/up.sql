CREATE TABLE scheduled_tasks (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    description text
);

-- What a list tells of an execution, and its steps with their actions as one JSON document. Users,
-- locations and scheduled tasks cannot be deleted, so the references to them hold for good, those in
-- `assignee_ids` too. A point may be deleted while an execution refers to it.
CREATE TABLE task_executions (
    id uuid PRIMARY KEY,
    version bigint NOT NULL,
    scheduled_task_id uuid NOT NULL REFERENCES scheduled_tasks (id),
    series_id uuid,
    location_id uuid NOT NULL REFERENCES locations (id),
    performer_id uuid REFERENCES users (id),
    assignee_ids uuid[] NOT NULL,
    point_ids uuid[] NOT NULL,
    state smallint NOT NULL,
    status smallint,
    priority smallint NOT NULL,
    published boolean NOT NULL,
    order_steps_required boolean NOT NULL,
    strict_time_required boolean NOT NULL,
    deadlined boolean NOT NULL,
    edited boolean NOT NULL,
    start_at timestamptz(3) NOT NULL,
    end_at timestamptz(3) NOT NULL,
    started_at timestamptz(3),
    ended_at timestamptz(3),
    error_count integer NOT NULL,
    warning_count integer NOT NULL,
    step_count integer NOT NULL,
    executed_step_count integer NOT NULL,
    name text NOT NULL,
    name_folded text COLLATE "C" NOT NULL,
    tags text[] COLLATE "C" NOT NULL,
    tags_folded text COLLATE "C" NOT NULL,
    description text,
    description_folded text COLLATE "C",
    steps json NOT NULL
);

-- The document is read far more often than it is written. A server that was built without lz4 keeps
-- its own compression.
DO $$
BEGIN
    ALTER TABLE task_executions ALTER COLUMN steps SET COMPRESSION lz4;
EXCEPTION
    WHEN feature_not_supported THEN NULL;
END
$$;

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
-- Sets, by which lists find the executions that have a value.
CREATE INDEX task_executions_by_assignees ON task_executions USING gin (assignee_ids);
CREATE INDEX task_executions_by_tags ON task_executions USING gin (tags);
CREATE INDEX task_executions_by_points ON task_executions USING gin (point_ids);
