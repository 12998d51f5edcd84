-- A type, of which there are five, selects a great part of the history; the columns after it give the
-- default order and let the matches be counted without a look at the table.
CREATE INDEX point_history_by_kind ON point_history (kind, id, history_id);
-- The latest changes first.
CREATE INDEX point_history_by_time ON point_history (recorded_at, id, history_id);
