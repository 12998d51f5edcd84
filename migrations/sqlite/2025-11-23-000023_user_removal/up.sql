-- Users can be deleted, and executions keep the ids of deleted users: the foreign keys to users end. What the tables
-- hold stays as it is, so only their definitions change, as https://sqlite.org/lang_altertable.html#otheralter describes.
PRAGMA writable_schema = ON;

UPDATE sqlite_schema SET sql = replace(sql, ' REFERENCES users (id)', '')
WHERE type = 'table' AND name IN ('task_executions', 'task_execution_assignees');

PRAGMA writable_schema = RESET;

-- Users with the same name come by id. A change of an index also makes other connections read all definitions anew.
DROP INDEX users_by_name;
CREATE INDEX users_by_name ON users (name_folded, id);
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('users', 'users_by_name', '100000 2 1');
