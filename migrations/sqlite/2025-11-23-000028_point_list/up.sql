-- The texts of a point that the list compares, in folded form. The program fills them when it opens the store: SQL
-- cannot fold.
ALTER TABLE points ADD COLUMN name_folded TEXT;
ALTER TABLE points ADD COLUMN rfid_code_folded TEXT;
ALTER TABLE points ADD COLUMN qr_code_folded TEXT;
ALTER TABLE points ADD COLUMN tags_folded TEXT;

-- Grows with every change of the point.
ALTER TABLE points ADD COLUMN version INTEGER NOT NULL DEFAULT 1;

-- One index for each order of the list, and for each direction: in the other direction all points with the same value would
-- be sorted by id.
CREATE INDEX points_by_name_and_id ON points (name_folded, id);
CREATE INDEX points_by_name_desc ON points (name_folded DESC, id);
CREATE INDEX points_by_kind_name_and_id ON points ((CASE kind WHEN 4 THEN 0 WHEN 3 THEN 1 WHEN 1 THEN 2 WHEN 2 THEN 3 WHEN 0 THEN 4 END), id);
CREATE INDEX points_by_kind_name_desc ON points ((CASE kind WHEN 4 THEN 0 WHEN 3 THEN 1 WHEN 1 THEN 2 WHEN 2 THEN 3 WHEN 0 THEN 4 END) DESC, id);
CREATE INDEX points_by_latitude_and_id ON points (latitude, id);
CREATE INDEX points_by_latitude_desc ON points (latitude DESC, id);
CREATE INDEX points_by_longitude_and_id ON points (longitude, id);
CREATE INDEX points_by_longitude_desc ON points (longitude DESC, id);
CREATE INDEX points_by_rfid_code_and_id ON points (rfid_code_folded, id);
CREATE INDEX points_by_rfid_code_desc ON points (rfid_code_folded DESC, id);
CREATE INDEX points_by_qr_code_and_id ON points (qr_code_folded, id);
CREATE INDEX points_by_qr_code_desc ON points (qr_code_folded DESC, id);
CREATE INDEX points_by_location_desc ON points (location_id DESC, id);

-- For filters.
CREATE INDEX points_by_kind_and_id ON points (kind, id);

-- The tags of a point, for filtering. Triggers, so that a node of an older version fills the table too.
CREATE TABLE point_tags (
    value TEXT NOT NULL,
    row INTEGER NOT NULL,
    PRIMARY KEY (value, row)
) STRICT, WITHOUT ROWID;

INSERT INTO point_tags (value, row)
SELECT DISTINCT tag.value, points.row FROM points, json_each(points.tags) AS tag;

CREATE TRIGGER points_tagged AFTER INSERT ON points
BEGIN
    INSERT INTO point_tags (value, row) SELECT DISTINCT tag.value, new.row FROM json_each(new.tags) AS tag;
END;

CREATE TRIGGER points_retagged AFTER UPDATE OF tags ON points WHEN new.tags <> old.tags
BEGIN
    DELETE FROM point_tags
    WHERE row = old.row AND value IN (SELECT tag.value FROM json_each(old.tags) AS tag);
    INSERT INTO point_tags (value, row) SELECT DISTINCT tag.value, new.row FROM json_each(new.tags) AS tag;
END;

CREATE TRIGGER points_untagged AFTER DELETE ON points
BEGIN
    DELETE FROM point_tags
    WHERE row = old.row AND value IN (SELECT tag.value FROM json_each(old.tags) AS tag);
END;

-- Which points have three characters one after another in a text, as for users. Existing points get theirs together with the
-- folded texts.
CREATE VIRTUAL TABLE point_texts USING fts5(
    texts, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
);

CREATE TRIGGER points_worded AFTER INSERT ON points
BEGIN
    INSERT INTO point_texts (rowid, texts) VALUES (
        new.row, coalesce(new.name_folded, '')
        || char(10) || coalesce(new.rfid_code_folded, '')
        || char(10) || coalesce(new.qr_code_folded, '')
        || char(10) || coalesce(new.tags_folded, '')
    );
END;

CREATE TRIGGER points_reworded
AFTER UPDATE OF name_folded, rfid_code_folded, qr_code_folded, tags_folded ON points
WHEN new.name_folded IS NOT old.name_folded OR new.rfid_code_folded IS NOT old.rfid_code_folded
    OR new.qr_code_folded IS NOT old.qr_code_folded OR new.tags_folded IS NOT old.tags_folded
BEGIN
    DELETE FROM point_texts WHERE rowid = old.row;
    INSERT INTO point_texts (rowid, texts) VALUES (
        new.row, coalesce(new.name_folded, '')
        || char(10) || coalesce(new.rfid_code_folded, '')
        || char(10) || coalesce(new.qr_code_folded, '')
        || char(10) || coalesce(new.tags_folded, '')
    );
END;

CREATE TRIGGER points_unworded AFTER DELETE ON points
BEGIN
    DELETE FROM point_texts WHERE rowid = old.row;
END;

-- What the planner is to believe of the points, as in the migration of the statistics.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('points', 'sqlite_autoindex_points_1', '100000 1'),
    ('points', 'sqlite_autoindex_points_2', '100000 2'),
    ('points', 'sqlite_autoindex_points_3', '100000 2'),
    ('points', 'points_by_location_desc', '100000 100 1'),
    ('points', 'points_by_kind_and_id', '100000 20000 1'),
    ('points', 'points_by_name_and_id', '100000 20 1'),
    ('points', 'points_by_name_desc', '100000 20 1'),
    ('points', 'points_by_kind_name_and_id', '100000 20000 1'),
    ('points', 'points_by_kind_name_desc', '100000 20000 1'),
    ('points', 'points_by_latitude_and_id', '100000 10 1'),
    ('points', 'points_by_latitude_desc', '100000 10 1'),
    ('points', 'points_by_longitude_and_id', '100000 10 1'),
    ('points', 'points_by_longitude_desc', '100000 10 1'),
    ('points', 'points_by_rfid_code_and_id', '100000 2 1'),
    ('points', 'points_by_rfid_code_desc', '100000 2 1'),
    ('points', 'points_by_qr_code_and_id', '100000 2 1'),
    ('points', 'points_by_qr_code_desc', '100000 2 1'),
    ('point_tags', 'point_tags', '200000 2000 1');
