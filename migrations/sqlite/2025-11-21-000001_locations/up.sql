-- Common to all tables: `row` is the key inside the store, `id` the one that clients know (16 bytes).
-- Times are milliseconds since 1970. Flags are 0 or 1. Values of an enumeration are stored by rank.
-- `…_folded` is the text in Unicode lower case, by which it is searched and sorted. `tags` is a JSON
-- array; `tags_folded` holds the folded tags with U+0000, which no text may hold, between them.

CREATE TABLE locations (
    row INTEGER PRIMARY KEY NOT NULL,
    id BLOB NOT NULL UNIQUE,
    name TEXT NOT NULL,
    name_folded TEXT NOT NULL,
    address TEXT NOT NULL,
    address_folded TEXT NOT NULL,
    latitude REAL,
    longitude REAL,
    tags TEXT NOT NULL,
    tags_folded TEXT NOT NULL
) STRICT;

CREATE INDEX locations_by_name ON locations (name_folded);

-- The tags of a location, for filtering: written together with the row, from its `tags`.
CREATE TABLE location_tags (
    value TEXT NOT NULL,
    row INTEGER NOT NULL,
    PRIMARY KEY (value, row)
) STRICT, WITHOUT ROWID;

CREATE TABLE graphic_plans (
    row INTEGER PRIMARY KEY NOT NULL,
    id BLOB NOT NULL UNIQUE,
    location_id BLOB NOT NULL REFERENCES locations (id),
    name TEXT NOT NULL
) STRICT;

CREATE INDEX graphic_plans_by_location ON graphic_plans (location_id, id);
