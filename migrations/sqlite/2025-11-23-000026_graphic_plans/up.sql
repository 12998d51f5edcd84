-- The picture of a plan: the object in the photo store, its format (0 JPEG, 1 PNG, 2 WebP) and its size in pixels. All of
-- them are null without a picture. `name_folded` is the name in folded form, which the program fills when it opens the
-- store. A plan never changes: its version tells apart the plans that had the same id one after another.
ALTER TABLE graphic_plans ADD COLUMN name_folded TEXT;
ALTER TABLE graphic_plans ADD COLUMN image_id BLOB;
ALTER TABLE graphic_plans ADD COLUMN image_format INTEGER;
ALTER TABLE graphic_plans ADD COLUMN width INTEGER;
ALTER TABLE graphic_plans ADD COLUMN height INTEGER;
ALTER TABLE graphic_plans ADD COLUMN version INTEGER NOT NULL DEFAULT 1;

CREATE INDEX graphic_plans_by_image ON graphic_plans (image_id) WHERE image_id IS NOT NULL;

-- The points that are placed on each plan. Triggers, so that a node of an older version fills the table too.
CREATE TABLE point_plans (
    plan_id BLOB NOT NULL,
    point_row INTEGER NOT NULL,
    PRIMARY KEY (plan_id, point_row)
) STRICT, WITHOUT ROWID;

INSERT INTO point_plans (plan_id, point_row)
SELECT DISTINCT unhex(json_extract(place.value, '$.id')), points.row
FROM points, json_each(points.graphic_plans) AS place;

CREATE TRIGGER points_placed AFTER INSERT ON points WHEN new.graphic_plans <> '[]'
BEGIN
    INSERT INTO point_plans (plan_id, point_row)
    SELECT DISTINCT unhex(json_extract(place.value, '$.id')), new.row FROM json_each(new.graphic_plans) AS place;
END;

CREATE TRIGGER points_replaced AFTER UPDATE OF graphic_plans ON points WHEN new.graphic_plans <> old.graphic_plans
BEGIN
    DELETE FROM point_plans WHERE point_row = old.row AND plan_id IN (
        SELECT unhex(json_extract(place.value, '$.id')) FROM json_each(old.graphic_plans) AS place
    );
    INSERT INTO point_plans (plan_id, point_row)
    SELECT DISTINCT unhex(json_extract(place.value, '$.id')), new.row FROM json_each(new.graphic_plans) AS place;
END;

CREATE TRIGGER points_displaced AFTER DELETE ON points WHEN old.graphic_plans <> '[]'
BEGIN
    DELETE FROM point_plans WHERE point_row = old.row AND plan_id IN (
        SELECT unhex(json_extract(place.value, '$.id')) FROM json_each(old.graphic_plans) AS place
    );
END;

-- What the planner is to believe, as in the migration of the statistics.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('point_plans', 'point_plans', '100000 20 1');
