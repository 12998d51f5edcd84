-- Requests with an Idempotency-Key, with the records that they changed and their answers. A row is stored when the
-- request begins, so that other nodes know that it is running; times are milliseconds since 1970.
CREATE TABLE idempotency_keys (
    -- SHA-256 of the user and the key.
    key BYTEA PRIMARY KEY,
    -- The run of the request that holds the key.
    run UUID NOT NULL,
    -- SHA-256 of the method, the path with its query, and the body.
    fingerprint BYTEA NOT NULL,
    expires_at BIGINT NOT NULL,
    -- The ids of the changed records; NULL when the request changed nothing.
    effect UUID[],
    -- NULL until the answer is stored.
    answer BYTEA,
    -- Until when the run holds the key, by the clock of the database.
    held_until BIGINT NOT NULL DEFAULT 0
) WITH (fillfactor = 70);
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);
