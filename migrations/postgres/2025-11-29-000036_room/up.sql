-- Room in each page for another version of a row: an entry of a report changes the steps, which no index
-- has, and then no index is written. Pages that are full already keep what they have.
ALTER TABLE task_executions SET (fillfactor = 80);
