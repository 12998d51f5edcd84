-- The row of a removed record, which nothing else tells: lists keep sets of rows in memory.
ALTER TABLE events ADD COLUMN removed_row INTEGER;
