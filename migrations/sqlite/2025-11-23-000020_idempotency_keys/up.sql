-- Requests with an Idempotency-Key, with the records that they changed and their answers. A row is stored by the
-- transaction of the change, or with the answer of a request that changed nothing.
CREATE TABLE idempotency_keys (
    -- SHA-256 of the user and the key.
    key BLOB PRIMARY KEY NOT NULL,
    -- The run of the request that stored the row.
    run BLOB NOT NULL,
    -- SHA-256 of the method, the path with its query, and the body.
    fingerprint BLOB NOT NULL,
    -- Milliseconds since 1970.
    expires_at INTEGER NOT NULL,
    -- The ids of the changed records, 16 bytes each; NULL when the request changed nothing.
    effect BLOB,
    -- NULL until the answer is stored.
    answer BLOB
) STRICT;
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);
