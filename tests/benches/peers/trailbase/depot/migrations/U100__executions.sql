-- The executions with the members that Patrol answers. TrailBase filters by ids only as BLOB, and
-- leaves a column out of an interface only if that has a default. The large document is the last
-- column, so that a list of the others does not read it.
CREATE TABLE executions (
    id BLOB PRIMARY KEY NOT NULL CHECK(is_uuid_v7(id)),
    scheduledTaskId BLOB NOT NULL,
    name TEXT NOT NULL,
    description TEXT,
    locationId BLOB NOT NULL,
    performerId BLOB,
    status TEXT,
    state TEXT NOT NULL,
    published INTEGER NOT NULL,
    startAt TEXT NOT NULL,
    endAt TEXT NOT NULL,
    assigneeIds TEXT NOT NULL CHECK(jsonschema_matches('{"type":"array"}', assigneeIds)),
    seriesId BLOB,
    priority TEXT NOT NULL,
    orderStepsRequired INTEGER NOT NULL,
    strictTimeRequired INTEGER NOT NULL DEFAULT FALSE,
    deadlined INTEGER NOT NULL,
    tags TEXT NOT NULL CHECK(jsonschema_matches('{"type":"array"}', tags)),
    edited INTEGER NOT NULL,
    startedAt TEXT,
    endedAt TEXT,
    errorCount INTEGER NOT NULL,
    warningCount INTEGER NOT NULL,
    stepCount INTEGER NOT NULL,
    executedStepCount INTEGER NOT NULL,
    steps TEXT NOT NULL DEFAULT '[]' CHECK(jsonschema_matches('{"type":"array"}', steps))
) STRICT;

-- For each filter in the order of its lists; `endAt`, so that a month is counted from the index, and
-- the tags, whose text is searched there instead of in the table.
CREATE INDEX executions_by_location ON executions (locationId, startAt DESC, id, endAt);
CREATE INDEX executions_by_state ON executions (state, startAt DESC, id, endAt);
CREATE INDEX executions_by_priority ON executions (priority, startAt DESC, id);
CREATE INDEX executions_by_published ON executions (published, startAt DESC, id);
CREATE INDEX executions_by_start ON executions (startAt, id, endAt);
CREATE INDEX executions_by_name ON executions (name, id);
CREATE INDEX executions_by_tags ON executions (startAt DESC, id, tags);
