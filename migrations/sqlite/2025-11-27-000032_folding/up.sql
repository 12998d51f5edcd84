-- How the program folds text whose check of all folded texts is complete; '' before the first one. A program that
-- folds in another way checks all tables once when it opens the store, and writes its own way here.
CREATE TABLE folding (
    id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
    form TEXT NOT NULL
) STRICT;

INSERT INTO folding (id, form) VALUES (1, '');
