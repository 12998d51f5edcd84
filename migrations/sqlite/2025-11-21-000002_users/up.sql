CREATE TABLE users (
    row INTEGER PRIMARY KEY NOT NULL,
    id BLOB NOT NULL UNIQUE,
    first_name TEXT NOT NULL,
    middle_name TEXT,
    last_name TEXT NOT NULL,
    employee_no TEXT,
    employee_no_folded TEXT UNIQUE,
    employee_pin TEXT,
    email TEXT,
    email_folded TEXT UNIQUE,
    phone TEXT,
    language TEXT NOT NULL,
    role INTEGER NOT NULL,
    status INTEGER NOT NULL,
    photo_id BLOB,
    tags TEXT NOT NULL,
    linked INTEGER NOT NULL
) STRICT;

-- The locations of a user, in the order in which they were given.
CREATE TABLE user_locations (
    user_row INTEGER NOT NULL REFERENCES users (row) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    location_id BLOB NOT NULL REFERENCES locations (id),
    PRIMARY KEY (user_row, position)
) STRICT, WITHOUT ROWID;

-- Hashes of passwords, in PHC string form. Apart from the users, so that no query of a user meets one.
CREATE TABLE passwords (
    user_row INTEGER PRIMARY KEY NOT NULL REFERENCES users (row) ON DELETE CASCADE,
    hash TEXT NOT NULL
) STRICT;

-- Access tokens. `digest` is the SHA-256 of the token, which is itself stored nowhere.
CREATE TABLE tokens (
    row INTEGER PRIMARY KEY NOT NULL,
    id BLOB NOT NULL UNIQUE,
    digest BLOB NOT NULL UNIQUE,
    user_id BLOB NOT NULL REFERENCES users (id),
    name TEXT NOT NULL,
    name_folded TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    last_used_at INTEGER
) STRICT;

CREATE INDEX tokens_by_user ON tokens (user_id);
