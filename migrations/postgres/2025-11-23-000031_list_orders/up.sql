-- Indexes for the orders of locations, and for the order of scheduled tasks by description. A column that can be null has
-- one for each direction. A whole address or description may be too long for an index: it has the beginning.
CREATE INDEX locations_by_address ON locations (left(address_folded, 200));
CREATE INDEX locations_by_latitude_and_id ON locations (latitude, id);
CREATE INDEX locations_by_latitude_desc ON locations (latitude DESC NULLS LAST, id);
CREATE INDEX locations_by_longitude_and_id ON locations (longitude, id);
CREATE INDEX locations_by_longitude_desc ON locations (longitude DESC NULLS LAST, id);
CREATE INDEX scheduled_tasks_by_description ON scheduled_tasks (left(description_folded, 200));
CREATE INDEX scheduled_tasks_by_description_desc ON scheduled_tasks (left(description_folded, 200) DESC NULLS LAST);

-- The trigrams of the texts, as for executions: where they cannot be had, search compares every row.
DO $$
DECLARE
    place text;
BEGIN
    SELECT nspname INTO place
    FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
    WHERE extname = 'pg_trgm';
    IF place IS NOT NULL THEN
        EXECUTE format(
            'CREATE INDEX locations_by_text ON locations USING gin (
                name_folded %1$I.gin_trgm_ops,
                address_folded %1$I.gin_trgm_ops,
                tags_folded %1$I.gin_trgm_ops
            )',
            place
        );
    END IF;
EXCEPTION
    WHEN insufficient_privilege OR undefined_file OR feature_not_supported OR undefined_object THEN
        NULL;
END
$$;
