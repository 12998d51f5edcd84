-- The counts of a round change with its entries. An UPDATE that changes no column of an index writes to none of the
-- indexes, so the index of figures has columns that are 0 while a round is IN_PROGRESS (state 1): those rounds are few,
-- and their counts are read from the table. The table is written anew once.
ALTER TABLE task_executions
    ADD COLUMN settled_executed_step_count integer
        GENERATED ALWAYS AS (CASE state WHEN 1 THEN 0 ELSE executed_step_count END) STORED,
    ADD COLUMN settled_error_count integer
        GENERATED ALWAYS AS (CASE state WHEN 1 THEN 0 ELSE error_count END) STORED,
    ADD COLUMN settled_warning_count integer
        GENERATED ALWAYS AS (CASE state WHEN 1 THEN 0 ELSE warning_count END) STORED,
    ADD COLUMN settled_flag_count integer
        GENERATED ALWAYS AS (CASE state WHEN 1 THEN 0 ELSE flag_count END) STORED;

DROP INDEX task_executions_by_figures;
CREATE INDEX task_executions_by_figures ON task_executions (start_at)
    INCLUDE (end_at, started_at, ended_at, step_count, settled_executed_step_count, settled_error_count,
    settled_warning_count, settled_flag_count, location_id, performer_id, scheduled_task_id)
    WHERE published;
