-- The texts of a user that the list compares, in folded form. The program fills them when it opens the store: SQL
-- cannot fold. `name_folded` is the full name.
ALTER TABLE users
    ADD COLUMN first_name_folded text COLLATE "C",
    ADD COLUMN middle_name_folded text COLLATE "C",
    ADD COLUMN last_name_folded text COLLATE "C",
    ADD COLUMN name_folded text COLLATE "C",
    ADD COLUMN phone_folded text COLLATE "C",
    ADD COLUMN language_folded text COLLATE "C",
    ADD COLUMN tags_folded text COLLATE "C";

-- Grows with every change of the user.
ALTER TABLE users ADD COLUMN version bigint NOT NULL DEFAULT 1;

-- One index for each order of the list. A column with few values, or with many nulls, has one for each direction: in
-- the other direction all rows of a value would be sorted by id.
CREATE INDEX users_by_first_name ON users (first_name_folded, id);
CREATE INDEX users_by_last_name ON users (last_name_folded, id);
CREATE INDEX users_by_middle_name_and_id ON users (middle_name_folded, id);
CREATE INDEX users_by_middle_name_desc ON users (middle_name_folded DESC NULLS LAST, id);
CREATE INDEX users_by_employee_no_and_id ON users (employee_no_folded, id);
CREATE INDEX users_by_employee_no_desc ON users (employee_no_folded DESC NULLS LAST, id);
CREATE INDEX users_by_email_and_id ON users (email_folded, id);
CREATE INDEX users_by_email_desc ON users (email_folded DESC NULLS LAST, id);
CREATE INDEX users_by_phone_and_id ON users (phone_folded, id);
CREATE INDEX users_by_phone_desc ON users (phone_folded DESC NULLS LAST, id);
CREATE INDEX users_by_language_and_id ON users (language_folded, id);
CREATE INDEX users_by_language_desc ON users (language_folded DESC, id);
CREATE INDEX users_by_role_name_and_id ON users ((CASE role WHEN 2 THEN 0 WHEN 0 THEN 1 WHEN 1 THEN 2 END), id);
CREATE INDEX users_by_role_name_desc ON users ((CASE role WHEN 2 THEN 0 WHEN 0 THEN 1 WHEN 1 THEN 2 END) DESC, id);
CREATE INDEX users_by_status_and_id ON users (status, id);
CREATE INDEX users_by_status_desc ON users (status DESC, id);
CREATE INDEX users_by_photo_and_id ON users (photo_id, id);
CREATE INDEX users_by_photo_desc ON users (photo_id DESC NULLS LAST, id);
CREATE INDEX users_by_linked_and_id ON users (linked, id);
CREATE INDEX users_by_linked_desc ON users (linked DESC, id);

-- For filters.
CREATE INDEX users_by_role_and_id ON users (role, id);
CREATE INDEX users_by_location ON users USING gin (location_ids);
CREATE INDEX users_by_tags ON users USING gin (tags);

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
            'CREATE INDEX users_by_text ON users USING gin (
                name_folded %1$I.gin_trgm_ops,
                first_name_folded %1$I.gin_trgm_ops,
                middle_name_folded %1$I.gin_trgm_ops,
                last_name_folded %1$I.gin_trgm_ops,
                employee_no_folded %1$I.gin_trgm_ops,
                email_folded %1$I.gin_trgm_ops,
                phone_folded %1$I.gin_trgm_ops,
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
