-- The texts of a point that the list compares, in folded form. The program fills them when it opens the store: SQL
-- cannot fold.
ALTER TABLE points
    ADD COLUMN name_folded text COLLATE "C",
    ADD COLUMN rfid_code_folded text COLLATE "C",
    ADD COLUMN qr_code_folded text COLLATE "C",
    ADD COLUMN tags_folded text COLLATE "C";

-- Grows with every change of the point.
ALTER TABLE points ADD COLUMN version bigint NOT NULL DEFAULT 1;

-- One index for each order of the list, and for each direction: in the other direction all points with the same value would
-- be sorted by id.
CREATE INDEX points_by_name_and_id ON points (name_folded, id);
CREATE INDEX points_by_name_desc ON points (name_folded DESC, id);
CREATE INDEX points_by_kind_name_and_id ON points ((CASE kind WHEN 4 THEN 0 WHEN 3 THEN 1 WHEN 1 THEN 2 WHEN 2 THEN 3 WHEN 0 THEN 4 END), id);
CREATE INDEX points_by_kind_name_desc ON points ((CASE kind WHEN 4 THEN 0 WHEN 3 THEN 1 WHEN 1 THEN 2 WHEN 2 THEN 3 WHEN 0 THEN 4 END) DESC, id);
CREATE INDEX points_by_latitude_and_id ON points (latitude, id);
CREATE INDEX points_by_latitude_desc ON points (latitude DESC NULLS LAST, id);
CREATE INDEX points_by_longitude_and_id ON points (longitude, id);
CREATE INDEX points_by_longitude_desc ON points (longitude DESC NULLS LAST, id);
CREATE INDEX points_by_rfid_code_and_id ON points (rfid_code_folded, id);
CREATE INDEX points_by_rfid_code_desc ON points (rfid_code_folded DESC NULLS LAST, id);
CREATE INDEX points_by_qr_code_and_id ON points (qr_code_folded, id);
CREATE INDEX points_by_qr_code_desc ON points (qr_code_folded DESC NULLS LAST, id);
CREATE INDEX points_by_location_desc ON points (location_id DESC, id);

-- For filters.
CREATE INDEX points_by_kind_and_id ON points (kind, id);
CREATE INDEX points_by_tags ON points USING gin (tags);

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
            'CREATE INDEX points_by_text ON points USING gin (
                name_folded %1$I.gin_trgm_ops,
                rfid_code_folded %1$I.gin_trgm_ops,
                qr_code_folded %1$I.gin_trgm_ops,
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
