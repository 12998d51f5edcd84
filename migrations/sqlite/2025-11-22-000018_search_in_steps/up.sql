-- The program adds changed texts to the trigrams in small steps, and merges their parts in small steps. By itself
-- FTS5 would do as many pages of merging at once as texts were removed, and rewrite a part after every tenth of it.
-- A part of the index is merged with fifteen others, so that those with most executions are rarely written again.
INSERT INTO task_execution_texts (task_execution_texts, rank) VALUES
    ('automerge', 0), ('usermerge', 16), ('crisismerge', 128), ('deletemerge', 0);
