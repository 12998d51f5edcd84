-- Counts the changes of each aggregate. Raised in the transaction of the change, so that a reader
-- sees from it, in its own snapshot, whether something that it counted earlier is still true.
CREATE TABLE revision (
    aggregate TEXT PRIMARY KEY NOT NULL,
    changes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO revision (aggregate, changes) VALUES
    ('check_list', 0), ('location', 0), ('point', 0), ('scheduled_task', 0),
    ('task_execution', 0), ('token', 0), ('user', 0);
