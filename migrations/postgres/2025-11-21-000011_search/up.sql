-- The trigrams of the texts that the quick search looks into, so that a term of three characters or
-- more need not be compared with every row. They need the extension pg_trgm, which comes with
-- PostgreSQL and which the owner of a database may install. Where there is none, or this user may
-- not, search compares with every row, and finds the same.
DO $$
DECLARE
    place text;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm') THEN
        CREATE EXTENSION pg_trgm;
    END IF;
    -- Another schema of the database may have it.
    SELECT nspname INTO place
    FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
    WHERE extname = 'pg_trgm';
    EXECUTE format(
        'CREATE INDEX task_executions_by_text ON task_executions USING gin (
            name_folded %1$I.gin_trgm_ops,
            description_folded %1$I.gin_trgm_ops,
            tags_folded %1$I.gin_trgm_ops
        )',
        place
    );
EXCEPTION
    WHEN insufficient_privilege OR undefined_file OR feature_not_supported OR undefined_object THEN
        NULL;
END
$$;
