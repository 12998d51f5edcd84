-- PostgreSQL measures what it holds. A table that grows to a million rows is to be measured, and its
-- pages marked as visible to all, long before a fifth of it is new: index-only counts live on that.
ALTER TABLE task_executions SET (
    autovacuum_analyze_scale_factor = 0.02,
    autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_vacuum_insert_scale_factor = 0.05
);
