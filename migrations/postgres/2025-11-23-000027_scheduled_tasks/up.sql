-- A scheduled task gets all members of a plan. A task of an earlier version has no location, and no execution is made
-- from it. `name_folded` and the like are the texts that the list compares, in folded form. The program fills them when
-- it opens the store: SQL cannot fold.
ALTER TABLE scheduled_tasks
    ADD COLUMN version bigint NOT NULL DEFAULT 1,
    ADD COLUMN location_id uuid REFERENCES locations (id),
    ADD COLUMN assignee_ids uuid[] NOT NULL DEFAULT '{}',
    ADD COLUMN check_list_ids uuid[] NOT NULL DEFAULT '{}',
    ADD COLUMN priority smallint NOT NULL DEFAULT 1,
    ADD COLUMN order_steps_required boolean NOT NULL DEFAULT FALSE,
    ADD COLUMN strict_time_required boolean NOT NULL DEFAULT FALSE,
    ADD COLUMN deadlined boolean NOT NULL DEFAULT FALSE,
    ADD COLUMN published boolean NOT NULL DEFAULT TRUE,
    ADD COLUMN enabled boolean NOT NULL DEFAULT TRUE,
    ADD COLUMN series_id uuid,
    ADD COLUMN tags text[] COLLATE "C" NOT NULL DEFAULT '{}',
    ADD COLUMN name_folded text COLLATE "C",
    ADD COLUMN description_folded text COLLATE "C",
    ADD COLUMN tags_folded text COLLATE "C",
    ADD COLUMN schedule text,
    ADD COLUMN steps json;

-- One index for each order of the list; a column with few values, or with many nulls, has one for each direction. They
-- serve the filters too.
CREATE INDEX scheduled_tasks_by_name ON scheduled_tasks (name_folded, id);
CREATE INDEX scheduled_tasks_by_location_and_id ON scheduled_tasks (location_id, id);
CREATE INDEX scheduled_tasks_by_location_desc ON scheduled_tasks (location_id DESC NULLS LAST, id);
CREATE INDEX scheduled_tasks_by_series_and_id ON scheduled_tasks (series_id, id);
CREATE INDEX scheduled_tasks_by_series_desc ON scheduled_tasks (series_id DESC NULLS LAST, id);
CREATE INDEX scheduled_tasks_by_priority_and_id ON scheduled_tasks (priority, id);
CREATE INDEX scheduled_tasks_by_priority_desc ON scheduled_tasks (priority DESC, id);
CREATE INDEX scheduled_tasks_by_steps_order_and_id ON scheduled_tasks (order_steps_required, id);
CREATE INDEX scheduled_tasks_by_steps_order_desc ON scheduled_tasks (order_steps_required DESC, id);
CREATE INDEX scheduled_tasks_by_strict_time_and_id ON scheduled_tasks (strict_time_required, id);
CREATE INDEX scheduled_tasks_by_strict_time_desc ON scheduled_tasks (strict_time_required DESC, id);
CREATE INDEX scheduled_tasks_by_deadlined_and_id ON scheduled_tasks (deadlined, id);
CREATE INDEX scheduled_tasks_by_deadlined_desc ON scheduled_tasks (deadlined DESC, id);
CREATE INDEX scheduled_tasks_by_published_and_id ON scheduled_tasks (published, id);
CREATE INDEX scheduled_tasks_by_published_desc ON scheduled_tasks (published DESC, id);
CREATE INDEX scheduled_tasks_by_enabled_and_id ON scheduled_tasks (enabled, id);
CREATE INDEX scheduled_tasks_by_enabled_desc ON scheduled_tasks (enabled DESC, id);

-- Sets, by which lists find the tasks that have a value.
CREATE INDEX scheduled_tasks_by_assignees ON scheduled_tasks USING gin (assignee_ids);
CREATE INDEX scheduled_tasks_by_tags ON scheduled_tasks USING gin (tags);
CREATE INDEX scheduled_tasks_by_check_lists ON scheduled_tasks USING gin (check_list_ids);

-- The trigrams of the texts, as for users: where they cannot be had, search compares every row.
DO $$
DECLARE
    place text;
BEGIN
    SELECT nspname INTO place
    FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
    WHERE extname = 'pg_trgm';
    IF place IS NOT NULL THEN
        EXECUTE format(
            'CREATE INDEX scheduled_tasks_by_text ON scheduled_tasks USING gin (
                name_folded %1$I.gin_trgm_ops,
                description_folded %1$I.gin_trgm_ops,
                tags_folded %1$I.gin_trgm_ops
            )',
            place
        );
    END IF;
EXCEPTION
    WHEN insufficient_privilege OR undefined_file OR feature_not_supported OR undefined_object THEN
        NULL;
END
$$;

-- Scheduled tasks can be deleted, and executions keep the ids of deleted tasks.
ALTER TABLE task_executions DROP CONSTRAINT task_executions_scheduled_task_id_fkey;
