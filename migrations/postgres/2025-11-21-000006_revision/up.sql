-- Nothing: PostgreSQL numbers its transactions, so that a reader can tell from its own snapshot
-- whether something that was counted earlier is still true. The migration has the name of the one
-- that SQLite needs for it, since both stores have the same ones.
SELECT 1;
