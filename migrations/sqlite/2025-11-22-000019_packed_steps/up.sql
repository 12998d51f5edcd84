-- From this version on the program stores the documents of steps compressed, and reads both forms. No row changes;
-- the version of the schema keeps an older program, which cannot read the new form, away from the file.
SELECT 1;
