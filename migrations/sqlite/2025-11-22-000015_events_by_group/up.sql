-- The events of one record, found in groups of 1,024 positions. New entries of the index are then near each
-- other, and not on a page of their own for every record: half as much is written for each change.
DROP INDEX events_by_resource;
CREATE INDEX events_by_group ON events (position >> 10, resource_id);

-- What the planner is to believe, as in the migration of the statistics.
DELETE FROM sqlite_stat1 WHERE idx = 'events_by_resource';
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('events', 'events_by_group', '1000000 1000 1');
