-- The name in folded form. The program fills it when it opens the store: SQL cannot fold.
ALTER TABLE check_lists ADD COLUMN name_folded TEXT;

-- Grows with every change of the check-list or of one of its actions.
ALTER TABLE check_lists ADD COLUMN version INTEGER NOT NULL DEFAULT 1;

CREATE INDEX check_lists_by_name ON check_lists (name_folded, id);

-- Which check-lists have three characters one after another in their name, as for users. Existing check-lists get
-- theirs together with the folded name.
CREATE VIRTUAL TABLE check_list_texts USING fts5(
    texts, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
);

CREATE TRIGGER check_lists_worded AFTER INSERT ON check_lists
BEGIN
    INSERT INTO check_list_texts (rowid, texts) VALUES (new.row, coalesce(new.name_folded, ''));
END;

CREATE TRIGGER check_lists_reworded AFTER UPDATE OF name_folded ON check_lists
WHEN new.name_folded IS NOT old.name_folded
BEGIN
    DELETE FROM check_list_texts WHERE rowid = old.row;
    INSERT INTO check_list_texts (rowid, texts) VALUES (new.row, coalesce(new.name_folded, ''));
END;

CREATE TRIGGER check_lists_unworded AFTER DELETE ON check_lists
BEGIN
    DELETE FROM check_list_texts WHERE rowid = old.row;
END;

-- What the planner is to believe of the check-lists, as in the migration of the statistics.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('check_lists', 'sqlite_autoindex_check_lists_1', '10000 1'),
    ('check_lists', 'check_lists_by_name', '10000 2 1'),
    ('check_list_actions', 'sqlite_autoindex_check_list_actions_1', '100000 1'),
    ('check_list_actions', 'check_list_actions_by_list', '100000 10 1 1');
