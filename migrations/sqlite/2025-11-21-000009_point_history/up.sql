-- A type, of which there are five, selects a great part of the history; the columns after it give the
-- default order and let the matches be counted without a look at the table.
CREATE INDEX point_history_by_kind ON point_history (kind, id, history_id);
-- The latest changes first.
CREATE INDEX point_history_by_time ON point_history (recorded_at, id, history_id);

-- What the planner is to believe of the history, as in the migration of the statistics.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('point_history', 'point_history_by_point', '1000000 10 1'),
    ('point_history', 'point_history_by_location', '1000000 1000 10 1'),
    ('point_history', 'point_history_by_name', '1000000 20'),
    ('point_history', 'point_history_by_kind', '1000000 200000 10 1'),
    ('point_history', 'point_history_by_time', '1000000 2 1 1'),
    ('point_history_tags', 'point_history_tags', '2000000 40000 1');
