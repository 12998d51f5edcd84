-- How the program folds text whose check of all folded texts is complete; '' before the first one. A program that
-- folds in another way checks all tables once when it opens the store, and writes its own way here.
CREATE TABLE folding (
    id integer PRIMARY KEY CHECK (id = 1),
    form text NOT NULL
);

INSERT INTO folding (id, form) VALUES (1, '');
