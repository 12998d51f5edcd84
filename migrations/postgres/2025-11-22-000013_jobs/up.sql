-- Periodic jobs: when each is due, and which node runs it now. Times are milliseconds since 1970, by the
-- clock of the database.
CREATE TABLE jobs (
    name TEXT PRIMARY KEY,
    -- The run that has the lease, or none.
    holder TEXT,
    held_until BIGINT NOT NULL,
    due_at BIGINT NOT NULL
);
