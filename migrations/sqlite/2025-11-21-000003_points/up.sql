-- `graphic_plans` is a JSON array of places on plans of the point's location.
CREATE TABLE points (
    row INTEGER PRIMARY KEY NOT NULL,
    id BLOB NOT NULL UNIQUE,
    location_id BLOB NOT NULL REFERENCES locations (id),
    name TEXT NOT NULL,
    kind INTEGER NOT NULL,
    latitude REAL,
    longitude REAL,
    graphic_plans TEXT NOT NULL,
    rfid_code TEXT UNIQUE,
    qr_code TEXT UNIQUE,
    tags TEXT NOT NULL
) STRICT;

-- Every create, update and delete of a point. It outlives the point, and a history id is never
-- given out again.
CREATE TABLE point_history (
    history_id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    operation INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL,
    id BLOB NOT NULL,
    location_id BLOB NOT NULL REFERENCES locations (id),
    name TEXT NOT NULL,
    name_folded TEXT NOT NULL,
    kind INTEGER NOT NULL,
    latitude REAL,
    longitude REAL,
    graphic_plans TEXT NOT NULL,
    rfid_code TEXT,
    rfid_code_folded TEXT,
    qr_code TEXT,
    qr_code_folded TEXT,
    tags TEXT NOT NULL,
    tags_folded TEXT NOT NULL
) STRICT;

CREATE INDEX point_history_by_point ON point_history (id, history_id);
CREATE INDEX point_history_by_location ON point_history (location_id, id, history_id);
CREATE INDEX point_history_by_name ON point_history (name_folded);

-- The tags of a history record, for filtering: written together with it, from its `tags`.
CREATE TABLE point_history_tags (
    value TEXT NOT NULL,
    row INTEGER NOT NULL,
    PRIMARY KEY (value, row)
) STRICT, WITHOUT ROWID;
