//! Metrics of the store.

use patrol_domain::{Metric, MetricKind, Monitored};

use super::{backup, error::ERRORS, readers::ListThreads, store::Store};

impl Monitored for Store {
    fn metrics(&self) -> Vec<Metric> {
        let engine = self.engine();
        let ListThreads { pages, slow, long } = &engine.lists;
        let readers =
            [("reads", &engine.by_id), ("pages", pages), ("slow_pages", slow), ("lists", long)];
        let mut metrics = engine.writer.metrics();
        metrics.extend(readers.into_iter().flat_map(|(queue, readers)| readers.metrics(queue)));
        metrics.extend(ERRORS.metrics());
        metrics.extend(self.caches().metrics());
        metrics.extend([
            Metric::gauge_of(
                "patrol_store_wal_bytes",
                "Size of SQLite's write-ahead log on the disk.",
                None,
                engine.file.wal_bytes(),
            ),
            Metric::gauge_of(
                "patrol_store_wal_limit_bytes",
                "Bound of the write-ahead log (PATROL_WAL_LIMIT).",
                None,
                engine.wal_limit,
            ),
            Metric::gauge(
                "patrol_store_oldest_list_seconds",
                "How long the oldest running list has kept its snapshot; 0 without lists.",
                None,
                engine.snapshots.oldest_age().as_secs_f64(),
            ),
        ]);
        metrics.push(Metric {
            kind: MetricKind::Counter,
            ..Metric::gauge_of(
                "patrol_store_lists_broken_off_total",
                "Lists that were cancelled to keep the write-ahead log within its bound.",
                None,
                engine.snapshots.cancelled_count(),
            )
        });
        metrics.extend(backup::last(&engine.file).map(|seconds| {
            Metric::gauge_of(
                "patrol_store_last_backup_timestamp_seconds",
                "When `patrol backup` last finished, in seconds since 1970.",
                None,
                seconds,
            )
        }));
        metrics
    }
}
