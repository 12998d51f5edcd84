CREATE TABLE check_lists (
    row INTEGER PRIMARY KEY NOT NULL,
    id BLOB NOT NULL UNIQUE,
    name TEXT NOT NULL
) STRICT;

-- `place` is the action's order; actions of the same order come as they were given, that is by row.
CREATE TABLE check_list_actions (
    row INTEGER PRIMARY KEY NOT NULL,
    id BLOB NOT NULL UNIQUE,
    check_list_row INTEGER NOT NULL REFERENCES check_lists (row) ON DELETE CASCADE,
    name TEXT NOT NULL,
    kind INTEGER NOT NULL,
    place INTEGER NOT NULL,
    required INTEGER NOT NULL,
    min_value REAL,
    max_value REAL
) STRICT;

CREATE INDEX check_list_actions_by_list ON check_list_actions (check_list_row, place, row);
