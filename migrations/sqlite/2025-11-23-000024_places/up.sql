-- Grows with every change of the location, and of its graphic plans. Triggers, so that a node of an older version
-- counts the plans too.
ALTER TABLE locations ADD COLUMN version INTEGER NOT NULL DEFAULT 1;

CREATE TRIGGER graphic_plans_added AFTER INSERT ON graphic_plans
BEGIN
    UPDATE locations SET version = version + 1 WHERE id = new.location_id;
END;

CREATE TRIGGER graphic_plans_removed AFTER DELETE ON graphic_plans
BEGIN
    UPDATE locations SET version = version + 1 WHERE id = old.location_id;
END;

-- Locations can be deleted, and the history of points keeps their ids: its foreign key ends. Only the definition of
-- the table changes, as in the migration of the removal of users.
PRAGMA writable_schema = ON;

UPDATE sqlite_schema SET sql = replace(sql, ' REFERENCES locations (id)', '')
WHERE type = 'table' AND name = 'point_history';

PRAGMA writable_schema = RESET;

-- The points of a location, in the default order of their list. The new index also makes other connections read all
-- definitions anew.
CREATE INDEX points_by_location ON points (location_id, id);

-- What the planner is to believe, as in the migration of the statistics.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('points', 'points_by_location', '100000 100 1');
