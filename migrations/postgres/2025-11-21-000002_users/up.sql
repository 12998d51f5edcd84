-- `location_ids` are in the order in which they were given. Locations cannot be deleted, so what was
-- there when it was named is there for good.
CREATE TABLE users (
    id uuid PRIMARY KEY,
    first_name text NOT NULL,
    middle_name text,
    last_name text NOT NULL,
    employee_no text,
    employee_no_folded text COLLATE "C",
    employee_pin text,
    email text,
    email_folded text COLLATE "C",
    phone text,
    language text NOT NULL,
    role smallint NOT NULL,
    status smallint NOT NULL,
    photo_id uuid,
    location_ids uuid[] NOT NULL,
    tags text[] NOT NULL,
    linked boolean NOT NULL
);

-- Partial, since PostgreSQL takes a change of a column with a whole unique index for a change of the
-- key, which waits for everybody who refers to the row.
CREATE UNIQUE INDEX users_by_employee_no ON users (employee_no_folded)
    WHERE employee_no_folded IS NOT NULL;
CREATE UNIQUE INDEX users_by_email ON users (email_folded) WHERE email_folded IS NOT NULL;

-- Hashes of passwords, in PHC string form. Apart from the users, so that no query of a user meets one.
CREATE TABLE passwords (
    user_id uuid PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    hash text NOT NULL
);

-- Access tokens. `digest` is the SHA-256 of the token, which is itself stored nowhere.
CREATE TABLE tokens (
    id uuid PRIMARY KEY,
    digest bytea NOT NULL UNIQUE,
    user_id uuid NOT NULL REFERENCES users (id),
    name text NOT NULL,
    name_folded text COLLATE "C" NOT NULL,
    created_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3),
    last_used_at timestamptz(3)
);

CREATE INDEX tokens_by_user ON tokens (user_id, id);
