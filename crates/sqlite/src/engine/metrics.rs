//! Metrics of the store.

use patrol_domain::{Metric, MetricKind, Monitored};

use super::{
    backup,
    error::ERRORS,
    queue::{Load, QueueCounters},
    readers::{ListThreads, Readers},
    store::{Engine, Store},
};

impl Monitored for Store {
    fn metrics(&self) -> Vec<Metric> {
        let engine = self.engine();
        let mut metrics: Vec<_> = queues(engine).iter().flat_map(Queue::metrics).collect();
        metrics.extend(engine.writer.counters().metrics());
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

/// A queue of requests, and its threads.
struct Queue<'a> {
    name: &'static str,
    load: Load,
    counters: &'a QueueCounters,
    limit: usize,
}

fn queues(engine: &Engine) -> [Queue<'_>; 5] {
    let ListThreads { pages, slow, long } = &engine.lists;
    let of_readers = |name, readers| {
        let readers: &Readers = readers;
        let (counters, limit) = readers.counters();
        Queue { name, load: readers.load(), counters, limit }
    };
    let (counters, limit) = engine.writer.queue_counters();
    [
        of_readers("reads", &engine.by_id),
        of_readers("pages", pages),
        of_readers("slow_pages", slow),
        of_readers("lists", long),
        Queue { name: "writes", load: engine.writer.load(), counters, limit },
    ]
}

impl Queue<'_> {
    fn metrics(&self) -> [Metric; 7] {
        let Self { name, load: Load { waiting, running }, counters, limit } = self;
        let QueueCounters { taken, waited, full, late } = counters;
        let label = Some(("queue", *name));
        [
            Metric::gauge_of(
                "patrol_store_queue_length",
                "Requests that wait for a thread of SQLite.",
                label,
                *waiting,
            ),
            Metric::gauge_of(
                "patrol_store_queue_limit",
                "Most requests that may wait; further ones are refused.",
                label,
                *limit,
            ),
            Metric::gauge_of(
                "patrol_store_running",
                "Threads of SQLite that have something to do.",
                label,
                *running,
            ),
            taken.metric(
                "patrol_store_waits_total",
                "Requests that a thread has taken from the queue.",
                label,
            ),
            waited.metric(
                "patrol_store_wait_seconds_total",
                "Time that requests waited until a thread took them.",
                label,
            ),
            full.metric(
                "patrol_store_queue_full_total",
                "Requests refused because too many waited.",
                label,
            ),
            late.metric(
                "patrol_store_wait_timeouts_total",
                "Requests refused because they had waited for too long.",
                label,
            ),
        ]
    }
}
