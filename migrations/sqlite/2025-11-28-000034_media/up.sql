-- Media. The content is the object `object_id` in the place of the photos.
CREATE TABLE media (
    id BLOB NOT NULL PRIMARY KEY,
    object_id BLOB NOT NULL UNIQUE,
    kind INTEGER NOT NULL,
    size INTEGER NOT NULL,
    sha256 BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    user_id BLOB
) STRICT, WITHOUT ROWID;

-- The media that the entries of reports and the actions of an execution name. An imported execution may name media
-- that do not exist.
CREATE TABLE media_uses (
    media_id BLOB NOT NULL,
    execution_id BLOB NOT NULL REFERENCES task_executions (id) ON DELETE CASCADE,
    PRIMARY KEY (media_id, execution_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX media_uses_by_execution ON media_uses (execution_id);

-- What the planner is to believe, as in the migration of the statistics.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('media', 'media', '1000000 1'),
    ('media_uses', 'media_uses', '1000000 1 1'),
    ('media_uses', 'media_uses_by_execution', '1000000 10');

INSERT INTO revision (aggregate, changes) VALUES ('media', 0);
