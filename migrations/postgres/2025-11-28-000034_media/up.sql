-- Media. The content is the object `object_id` in the place of the photos.
CREATE TABLE media (
    id uuid NOT NULL PRIMARY KEY,
    object_id uuid NOT NULL UNIQUE,
    kind smallint NOT NULL,
    size bigint NOT NULL,
    sha256 bytea NOT NULL,
    created_at timestamptz NOT NULL,
    user_id uuid
);

-- The media that the entries of reports and the actions of an execution name. An imported execution may name media
-- that do not exist.
CREATE TABLE media_uses (
    media_id uuid NOT NULL,
    execution_id uuid NOT NULL REFERENCES task_executions (id) ON DELETE CASCADE,
    PRIMARY KEY (media_id, execution_id)
);

CREATE INDEX media_uses_by_execution ON media_uses (execution_id);
