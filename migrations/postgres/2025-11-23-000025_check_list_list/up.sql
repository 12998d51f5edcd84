-- The name in folded form. The program fills it when it opens the store: SQL cannot fold. The version grows with
-- every change of the check-list or of one of its actions.
ALTER TABLE check_lists
    ADD COLUMN name_folded text COLLATE "C",
    ADD COLUMN version bigint NOT NULL DEFAULT 1;

CREATE INDEX check_lists_by_name ON check_lists (name_folded, id);

-- The trigrams of the names, as for users: where they cannot be had, search compares every row.
DO $$
DECLARE
    place text;
BEGIN
    SELECT nspname INTO place
    FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
    WHERE extname = 'pg_trgm';
    IF place IS NOT NULL THEN
        EXECUTE format(
            'CREATE INDEX check_lists_by_text ON check_lists USING gin (name_folded %I.gin_trgm_ops)', place
        );
    END IF;
EXCEPTION
    WHEN insufficient_privilege OR undefined_file OR feature_not_supported OR undefined_object THEN
        NULL;
END
$$;
