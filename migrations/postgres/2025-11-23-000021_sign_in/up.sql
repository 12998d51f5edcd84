-- Signing in on the site: sessions, invitations and failed sign-ins. Secrets are stored as SHA-256 digests only.
ALTER TABLE passwords ADD COLUMN last_sign_in_at timestamptz(3);

CREATE TABLE sessions (
    id uuid PRIMARY KEY,
    digest bytea NOT NULL UNIQUE,
    user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at timestamptz(3) NOT NULL,
    -- Changes often, so no index has it.
    last_seen_at timestamptz(3) NOT NULL,
    address text NOT NULL,
    browser text NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id, created_at);

CREATE TABLE invitations (
    digest bytea PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    -- When it was used or replaced, or the sign-in of the user was removed.
    ended_at timestamptz(3)
);
CREATE INDEX invitations_by_user ON invitations (user_id);

-- The failed sign-ins of a name or from an address.
CREATE TABLE sign_in_failures (
    -- SHA-256 of the name or the address.
    counter bytea PRIMARY KEY,
    -- Milliseconds since 1970 of each failure, 8 bytes each.
    times bytea NOT NULL,
    expires_at timestamptz(3) NOT NULL
);
