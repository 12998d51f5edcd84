-- The entries of reports, in the order in which they arrived (`row`). `accepted` numbers the accepted entries of a
-- round from 1; it is null for a refused entry, whose reason is in `refusal`. `verdicts` has one text a verdict: its
-- code, and its arguments after blanks.
CREATE TABLE reports (
    row INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    execution_id BLOB NOT NULL REFERENCES task_executions (id) ON DELETE CASCADE,
    kind INTEGER NOT NULL,
    at INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    user_id BLOB,
    performer_id BLOB,
    step_id BLOB,
    action_id BLOB,
    latitude REAL,
    longitude REAL,
    accuracy REAL,
    technology INTEGER,
    code TEXT,
    boolean_value INTEGER,
    number_value REAL,
    text_value TEXT,
    media_ids BLOB NOT NULL,
    accepted INTEGER,
    refusal INTEGER,
    flagged INTEGER NOT NULL,
    verdicts TEXT NOT NULL
) STRICT;

CREATE INDEX reports_by_execution ON reports (execution_id, row);
CREATE INDEX reports_by_accepted ON reports (execution_id, accepted);

-- The number of accepted entries with a verdict.
ALTER TABLE task_executions ADD COLUMN flag_count INTEGER NOT NULL DEFAULT 0;

CREATE INDEX task_executions_by_flagged_and_id ON task_executions ((flag_count > 0), id);

-- What the planner is to believe, as in the migration of the statistics.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('reports', 'reports_by_execution', '1000000 30 1'),
    ('reports', 'reports_by_accepted', '1000000 30 1'),
    ('task_executions', 'task_executions_by_flagged_and_id', '1000000 500000 1');

INSERT INTO revision (aggregate, changes) VALUES ('report', 0);
