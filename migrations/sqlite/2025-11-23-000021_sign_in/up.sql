-- Signing in on the site: sessions, invitations and failed sign-ins. Secrets are stored as SHA-256 digests only.
ALTER TABLE passwords ADD COLUMN last_sign_in_at INTEGER;

CREATE TABLE sessions (
    id BLOB PRIMARY KEY NOT NULL,
    digest BLOB NOT NULL UNIQUE,
    user_id BLOB NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    -- Changes often, so no index has it.
    last_seen_at INTEGER NOT NULL,
    address TEXT NOT NULL,
    browser TEXT NOT NULL
) STRICT;
CREATE INDEX sessions_by_user ON sessions (user_id, created_at);

CREATE TABLE invitations (
    digest BLOB PRIMARY KEY NOT NULL,
    user_id BLOB NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    -- When it was used or replaced, or the sign-in of the user was removed.
    ended_at INTEGER
) STRICT;
CREATE INDEX invitations_by_user ON invitations (user_id);

-- The failed sign-ins of a name or from an address.
CREATE TABLE sign_in_failures (
    -- SHA-256 of the name or the address.
    counter BLOB PRIMARY KEY NOT NULL,
    -- Milliseconds since 1970 of each failure, 8 bytes each.
    times BLOB NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
