-- Which executions hold three characters one after another: in the folded name, description or tags,
-- whose U+0000 the tokenizer would take for the end, so that it is a line break here. Where the
-- characters stand is not kept: what is found has to be tested.
CREATE VIRTUAL TABLE task_execution_texts USING fts5(
    texts, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
);

-- Executions whose texts have changed since. Each has to be tested as well. A change of the trigrams
-- writes thirty times as much by itself as together with thousands of others.
CREATE TABLE task_execution_unsearched (
    position INTEGER PRIMARY KEY NOT NULL,
    row INTEGER NOT NULL
) STRICT;

-- JSON shows U+0000 as an escape. A backslash is turned into another one first, lest it looks like it.
INSERT INTO task_execution_texts (rowid, texts)
SELECT row, name_folded || char(10) || coalesce(description_folded, '') || char(10) || json_extract(
    replace(replace(json_quote(tags_folded), '\\', '\u005c'), '\u0000', '\n'), '$'
)
FROM task_executions;

-- Triggers, so that a node that knows nothing of the search keeps it up as well.
CREATE TRIGGER task_executions_inserted AFTER INSERT ON task_executions
BEGIN
    INSERT INTO task_execution_unsearched (row) VALUES (new.row);
END;

CREATE TRIGGER task_executions_reworded
AFTER UPDATE OF name_folded, description_folded, tags_folded ON task_executions
BEGIN
    INSERT INTO task_execution_unsearched (row) VALUES (new.row);
END;

CREATE TRIGGER task_executions_deleted AFTER DELETE ON task_executions
BEGIN
    INSERT INTO task_execution_unsearched (row) VALUES (old.row);
END;

CREATE TRIGGER task_execution_unsearched_filled
AFTER INSERT ON task_execution_unsearched WHEN new.position >= 10000
BEGIN
    DELETE FROM task_execution_texts
    WHERE rowid IN (SELECT row FROM task_execution_unsearched);
    INSERT INTO task_execution_texts (rowid, texts)
    SELECT row, name_folded || char(10) || coalesce(description_folded, '') || char(10)
        || json_extract(
            replace(replace(json_quote(tags_folded), '\\', '\u005c'), '\u0000', '\n'), '$'
        )
    FROM task_executions WHERE row IN (SELECT row FROM task_execution_unsearched);
    DELETE FROM task_execution_unsearched;
END;

-- What the planner is to believe of it, as in the migration of the statistics.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('task_execution_unsearched', NULL, '10000');
