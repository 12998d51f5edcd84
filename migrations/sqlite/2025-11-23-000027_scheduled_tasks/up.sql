-- A scheduled task gets all members of a plan. A task of an earlier version has no location, and no execution is made
-- from it.
ALTER TABLE scheduled_tasks ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE scheduled_tasks ADD COLUMN location_id BLOB REFERENCES locations (id);
ALTER TABLE scheduled_tasks ADD COLUMN assignee_ids BLOB NOT NULL DEFAULT X'';
ALTER TABLE scheduled_tasks ADD COLUMN priority INTEGER NOT NULL DEFAULT 1;
ALTER TABLE scheduled_tasks ADD COLUMN order_steps_required INTEGER NOT NULL DEFAULT 0;
ALTER TABLE scheduled_tasks ADD COLUMN strict_time_required INTEGER NOT NULL DEFAULT 0;
ALTER TABLE scheduled_tasks ADD COLUMN deadlined INTEGER NOT NULL DEFAULT 0;
ALTER TABLE scheduled_tasks ADD COLUMN published INTEGER NOT NULL DEFAULT 1;
ALTER TABLE scheduled_tasks ADD COLUMN enabled INTEGER NOT NULL DEFAULT 1;
ALTER TABLE scheduled_tasks ADD COLUMN series_id BLOB;
ALTER TABLE scheduled_tasks ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';

-- The texts that the list compares, in folded form. The program fills them when it opens the store: SQL cannot fold.
ALTER TABLE scheduled_tasks ADD COLUMN name_folded TEXT;
ALTER TABLE scheduled_tasks ADD COLUMN description_folded TEXT;
ALTER TABLE scheduled_tasks ADD COLUMN tags_folded TEXT;

-- Documents. The steps come last, because the list does not read them; null is none.
ALTER TABLE scheduled_tasks ADD COLUMN schedule TEXT;
ALTER TABLE scheduled_tasks ADD COLUMN steps BLOB;

-- Assignees, tags and check-lists of a task, for filtering: written together with the row. An assignee of an import
-- need not exist.
CREATE TABLE scheduled_task_assignees (
    value BLOB NOT NULL,
    row INTEGER NOT NULL,
    PRIMARY KEY (value, row)
) STRICT, WITHOUT ROWID;

CREATE TABLE scheduled_task_tags (
    value TEXT NOT NULL,
    row INTEGER NOT NULL,
    PRIMARY KEY (value, row)
) STRICT, WITHOUT ROWID;

CREATE TABLE scheduled_task_check_lists (
    value BLOB NOT NULL REFERENCES check_lists (id),
    row INTEGER NOT NULL,
    PRIMARY KEY (value, row)
) STRICT, WITHOUT ROWID;

-- One index for each order of the list; a column with few values, or with many nulls, has one for each direction. They
-- serve the filters too.
CREATE INDEX scheduled_tasks_by_name ON scheduled_tasks (name_folded, id);
CREATE INDEX scheduled_tasks_by_location_and_id ON scheduled_tasks (location_id, id);
CREATE INDEX scheduled_tasks_by_location_desc ON scheduled_tasks (location_id DESC, id);
CREATE INDEX scheduled_tasks_by_series_and_id ON scheduled_tasks (series_id, id);
CREATE INDEX scheduled_tasks_by_series_desc ON scheduled_tasks (series_id DESC, id);
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

-- Which tasks have three characters one after another in a text, as for users.
CREATE VIRTUAL TABLE scheduled_task_texts USING fts5(
    texts, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
);

CREATE TRIGGER scheduled_tasks_worded AFTER INSERT ON scheduled_tasks
BEGIN
    INSERT INTO scheduled_task_texts (rowid, texts) VALUES (
        new.row, coalesce(new.name_folded, '')
        || char(10) || coalesce(new.description_folded, '')
        || char(10) || coalesce(new.tags_folded, '')
    );
END;

CREATE TRIGGER scheduled_tasks_reworded
AFTER UPDATE OF name_folded, description_folded, tags_folded ON scheduled_tasks
WHEN new.name_folded IS NOT old.name_folded OR new.description_folded IS NOT old.description_folded
    OR new.tags_folded IS NOT old.tags_folded
BEGIN
    DELETE FROM scheduled_task_texts WHERE rowid = old.row;
    INSERT INTO scheduled_task_texts (rowid, texts) VALUES (
        new.row, coalesce(new.name_folded, '')
        || char(10) || coalesce(new.description_folded, '')
        || char(10) || coalesce(new.tags_folded, '')
    );
END;

CREATE TRIGGER scheduled_tasks_unworded AFTER DELETE ON scheduled_tasks
BEGIN
    DELETE FROM scheduled_task_texts WHERE rowid = old.row;
END;

-- Scheduled tasks can be deleted, and executions keep the ids of deleted tasks, as those of deleted users.
PRAGMA writable_schema = ON;

UPDATE sqlite_schema SET sql = replace(sql, ' REFERENCES scheduled_tasks (id)', '')
WHERE type = 'table' AND name = 'task_executions';

PRAGMA writable_schema = RESET;

-- What the planner is to believe of the tasks, as in the migration of the statistics.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('scheduled_tasks', 'sqlite_autoindex_scheduled_tasks_1', '100000 1'),
    ('scheduled_tasks', 'scheduled_tasks_by_name', '100000 10 1'),
    ('scheduled_tasks', 'scheduled_tasks_by_location_and_id', '100000 500 1'),
    ('scheduled_tasks', 'scheduled_tasks_by_location_desc', '100000 500 1'),
    ('scheduled_tasks', 'scheduled_tasks_by_series_and_id', '100000 2 1'),
    ('scheduled_tasks', 'scheduled_tasks_by_series_desc', '100000 2 1'),
    ('scheduled_tasks', 'scheduled_tasks_by_priority_and_id', '100000 50000 1'),
    ('scheduled_tasks', 'scheduled_tasks_by_priority_desc', '100000 50000 1'),
    ('scheduled_tasks', 'scheduled_tasks_by_steps_order_and_id', '100000 50000 1'),
    ('scheduled_tasks', 'scheduled_tasks_by_steps_order_desc', '100000 50000 1'),
    ('scheduled_tasks', 'scheduled_tasks_by_strict_time_and_id', '100000 50000 1'),
    ('scheduled_tasks', 'scheduled_tasks_by_strict_time_desc', '100000 50000 1'),
    ('scheduled_tasks', 'scheduled_tasks_by_deadlined_and_id', '100000 50000 1'),
    ('scheduled_tasks', 'scheduled_tasks_by_deadlined_desc', '100000 50000 1'),
    ('scheduled_tasks', 'scheduled_tasks_by_published_and_id', '100000 50000 1'),
    ('scheduled_tasks', 'scheduled_tasks_by_published_desc', '100000 50000 1'),
    ('scheduled_tasks', 'scheduled_tasks_by_enabled_and_id', '100000 50000 1'),
    ('scheduled_tasks', 'scheduled_tasks_by_enabled_desc', '100000 50000 1'),
    ('scheduled_task_assignees', 'scheduled_task_assignees', '300000 300 1'),
    ('scheduled_task_tags', 'scheduled_task_tags', '200000 2000 1'),
    ('scheduled_task_check_lists', 'scheduled_task_check_lists', '200000 200 1');
