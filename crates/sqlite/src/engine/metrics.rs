//! Metrics of the store.

use patrol_domain::{Metric, MetricKind, Monitored};

use super::{
    backup,
    queue::Load,
    readers::Lists,
    store::{Engine, Store},
};

impl Monitored for Store {
    fn metrics(&self) -> Vec<Metric> {
        let engine = self.engine();
        let mut metrics: Vec<_> = loads(engine).into_iter().flat_map(load).collect();
        metrics.extend([
            one(
                "patrol_store_wal_bytes",
                "Size of SQLite's write-ahead log on the disk.",
                MetricKind::Gauge,
                engine.file.wal_bytes(),
            ),
            one(
                "patrol_store_failed_commits_total",
                "Transactions of SQLite whose commit failed.",
                MetricKind::Counter,
                engine.writer.failed_commits(),
            ),
            one(
                "patrol_store_lists_broken_off_total",
                "Lists that were broken off to keep the write-ahead log within its bound.",
                MetricKind::Counter,
                engine.snapshots.broken_off(),
            ),
        ]);
        metrics.extend(backup::last(&engine.file).map(|seconds| {
            one(
                "patrol_store_last_backup_timestamp_seconds",
                "When `patrol backup` last finished, in seconds since 1970.",
                MetricKind::Gauge,
                seconds,
            )
        }));
        metrics
    }
}

/// The load of each kind of thread.
fn loads(engine: &Engine) -> [(&'static str, Load); 5] {
    let Lists { pages, slow, long } = &engine.lists;
    [
        ("reads", engine.by_id.load()),
        ("pages", pages.load()),
        ("slow_pages", slow.load()),
        ("lists", long.load()),
        ("writes", engine.writer.load()),
    ]
}

fn load((queue, Load { waiting, running }): (&'static str, Load)) -> [Metric; 2] {
    let labelled = |name, help, value| Metric {
        label: Some(("queue", queue)),
        ..one(name, help, MetricKind::Gauge, u64::try_from(value).unwrap_or(u64::MAX))
    };
    [
        labelled(
            "patrol_store_queue_length",
            "Requests that wait for a thread of SQLite.",
            waiting,
        ),
        labelled("patrol_store_running", "Threads of SQLite that have something to do.", running),
    ]
}

fn one(name: &'static str, help: &'static str, kind: MetricKind, value: u64) -> Metric {
    // Exact up to 2^53, which no metric here reaches.
    #[allow(clippy::as_conversions, clippy::cast_precision_loss)]
    let value = value as f64;
    Metric { name, help, kind, label: None, value }
}
