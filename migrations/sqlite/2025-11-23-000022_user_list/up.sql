-- The texts of a user that the list compares, in folded form. The program fills them when it opens the store: SQL
-- cannot fold. `name_folded` is the full name.
ALTER TABLE users ADD COLUMN first_name_folded TEXT;
ALTER TABLE users ADD COLUMN middle_name_folded TEXT;
ALTER TABLE users ADD COLUMN last_name_folded TEXT;
ALTER TABLE users ADD COLUMN name_folded TEXT;
ALTER TABLE users ADD COLUMN phone_folded TEXT;
ALTER TABLE users ADD COLUMN language_folded TEXT;
ALTER TABLE users ADD COLUMN tags_folded TEXT;

-- Grows with every change of the user.
ALTER TABLE users ADD COLUMN version INTEGER NOT NULL DEFAULT 1;

-- One index for each order of the list. A column with few values, or with many nulls, has one for each direction: in
-- the other direction all rows of a value would be sorted by id.
CREATE INDEX users_by_first_name ON users (first_name_folded, id);
CREATE INDEX users_by_last_name ON users (last_name_folded, id);
CREATE INDEX users_by_middle_name_and_id ON users (middle_name_folded, id);
CREATE INDEX users_by_middle_name_desc ON users (middle_name_folded DESC, id);
CREATE INDEX users_by_employee_no_and_id ON users (employee_no_folded, id);
CREATE INDEX users_by_employee_no_desc ON users (employee_no_folded DESC, id);
CREATE INDEX users_by_email_and_id ON users (email_folded, id);
CREATE INDEX users_by_email_desc ON users (email_folded DESC, id);
CREATE INDEX users_by_phone_and_id ON users (phone_folded, id);
CREATE INDEX users_by_phone_desc ON users (phone_folded DESC, id);
CREATE INDEX users_by_language_and_id ON users (language_folded, id);
CREATE INDEX users_by_language_desc ON users (language_folded DESC, id);
CREATE INDEX users_by_role_name_and_id ON users ((CASE role WHEN 2 THEN 0 WHEN 0 THEN 1 WHEN 1 THEN 2 END), id);
CREATE INDEX users_by_role_name_desc ON users ((CASE role WHEN 2 THEN 0 WHEN 0 THEN 1 WHEN 1 THEN 2 END) DESC, id);
CREATE INDEX users_by_status_and_id ON users (status, id);
CREATE INDEX users_by_status_desc ON users (status DESC, id);
CREATE INDEX users_by_photo_and_id ON users (photo_id, id);
CREATE INDEX users_by_photo_desc ON users (photo_id DESC, id);
CREATE INDEX users_by_linked_and_id ON users (linked, id);
CREATE INDEX users_by_linked_desc ON users (linked DESC, id);

-- For filters.
CREATE INDEX users_by_name ON users (name_folded);
CREATE INDEX users_by_role_and_id ON users (role, id);
CREATE INDEX user_locations_by_location ON user_locations (location_id, user_row);

-- The tags of a user, for filtering. Triggers, so that a node of an older version fills the table too.
CREATE TABLE user_tags (
    value TEXT NOT NULL,
    row INTEGER NOT NULL,
    PRIMARY KEY (value, row)
) STRICT, WITHOUT ROWID;

INSERT INTO user_tags (value, row)
SELECT DISTINCT tag.value, users.row FROM users, json_each(users.tags) AS tag;

CREATE TRIGGER users_tagged AFTER INSERT ON users
BEGIN
    INSERT INTO user_tags (value, row) SELECT DISTINCT tag.value, new.row FROM json_each(new.tags) AS tag;
END;

CREATE TRIGGER users_retagged AFTER UPDATE OF tags ON users WHEN new.tags <> old.tags
BEGIN
    DELETE FROM user_tags
    WHERE row = old.row AND value IN (SELECT tag.value FROM json_each(old.tags) AS tag);
    INSERT INTO user_tags (value, row) SELECT DISTINCT tag.value, new.row FROM json_each(new.tags) AS tag;
END;

CREATE TRIGGER users_untagged AFTER DELETE ON users
BEGIN
    DELETE FROM user_tags
    WHERE row = old.row AND value IN (SELECT tag.value FROM json_each(old.tags) AS tag);
END;

-- Which users have three characters one after another in a text, as for executions. Users change rarely, so that each
-- change updates the trigrams at once. Existing users get theirs together with the folded texts.
CREATE VIRTUAL TABLE user_texts USING fts5(
    texts, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
);

CREATE TRIGGER users_worded AFTER INSERT ON users
BEGIN
    INSERT INTO user_texts (rowid, texts) VALUES (
        new.row, coalesce(new.name_folded, '')
        || char(10) || coalesce(new.employee_no_folded, '')
        || char(10) || coalesce(new.email_folded, '')
        || char(10) || coalesce(new.phone_folded, '')
        || char(10) || coalesce(new.tags_folded, '')
    );
END;

CREATE TRIGGER users_reworded
AFTER UPDATE OF name_folded, employee_no_folded, email_folded, phone_folded, tags_folded ON users
WHEN new.name_folded IS NOT old.name_folded OR new.employee_no_folded IS NOT old.employee_no_folded
    OR new.email_folded IS NOT old.email_folded OR new.phone_folded IS NOT old.phone_folded
    OR new.tags_folded IS NOT old.tags_folded
BEGIN
    DELETE FROM user_texts WHERE rowid = old.row;
    INSERT INTO user_texts (rowid, texts) VALUES (
        new.row, coalesce(new.name_folded, '')
        || char(10) || coalesce(new.employee_no_folded, '')
        || char(10) || coalesce(new.email_folded, '')
        || char(10) || coalesce(new.phone_folded, '')
        || char(10) || coalesce(new.tags_folded, '')
    );
END;

CREATE TRIGGER users_unworded AFTER DELETE ON users
BEGIN
    DELETE FROM user_texts WHERE rowid = old.row;
END;

-- What the planner is to believe of the users, as in the migration of the statistics.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('users', 'sqlite_autoindex_users_1', '100000 1'),
    ('users', 'sqlite_autoindex_users_2', '100000 1'),
    ('users', 'sqlite_autoindex_users_3', '100000 1'),
    ('users', 'users_by_photo', '100000 1'),
    ('users', 'users_by_role', '100000 30000 20000'),
    ('users', 'users_by_role_and_id', '100000 30000 1'),
    ('users', 'users_by_first_name', '100000 100 1'),
    ('users', 'users_by_last_name', '100000 20 1'),
    ('users', 'users_by_name', '100000 2'),
    ('users', 'users_by_middle_name_and_id', '100000 200 1'),
    ('users', 'users_by_middle_name_desc', '100000 200 1'),
    ('users', 'users_by_employee_no_and_id', '100000 2 1'),
    ('users', 'users_by_employee_no_desc', '100000 2 1'),
    ('users', 'users_by_email_and_id', '100000 2 1'),
    ('users', 'users_by_email_desc', '100000 2 1'),
    ('users', 'users_by_phone_and_id', '100000 2 1'),
    ('users', 'users_by_phone_desc', '100000 2 1'),
    ('users', 'users_by_language_and_id', '100000 20000 1'),
    ('users', 'users_by_language_desc', '100000 20000 1'),
    ('users', 'users_by_role_name_and_id', '100000 30000 1'),
    ('users', 'users_by_role_name_desc', '100000 30000 1'),
    ('users', 'users_by_status_and_id', '100000 50000 1'),
    ('users', 'users_by_status_desc', '100000 50000 1'),
    ('users', 'users_by_photo_and_id', '100000 2 1'),
    ('users', 'users_by_photo_desc', '100000 2 1'),
    ('users', 'users_by_linked_and_id', '100000 50000 1'),
    ('users', 'users_by_linked_desc', '100000 50000 1'),
    ('user_locations', 'user_locations', '300000 3 1'),
    ('user_locations', 'user_locations_by_location', '300000 300 1'),
    ('user_tags', 'user_tags', '200000 2000 1');
