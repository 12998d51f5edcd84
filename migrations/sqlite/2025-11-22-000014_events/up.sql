-- The log of changes. Positions grow in the order of the commits, because there is one writer at a time;
-- the newest event is never deleted, so no position is given out twice.
CREATE TABLE events (
    position INTEGER PRIMARY KEY NOT NULL,
    id BLOB NOT NULL,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    resource_type TEXT NOT NULL,
    resource_id BLOB,
    actor_id BLOB,
    token_id BLOB,
    request_id TEXT,
    -- The bytes of changes. It comes before them, so that it is read without them.
    size INTEGER NOT NULL,
    -- A JSON array of {member, before, after}.
    changes TEXT NOT NULL
) STRICT;
CREATE INDEX events_by_resource ON events (resource_id);

-- What the planner is to believe, as in the migration of the statistics.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('events', 'events_by_resource', '1000000 10');
