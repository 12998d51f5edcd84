//! Metrics of the store.

use patrol_domain::{Figure, FigureKind, Monitored};

use super::{
    backup,
    queue::Load,
    readers::Lists,
    store::{Engine, Store},
};

impl Monitored for Store {
    fn figures(&self) -> Vec<Figure> {
        let engine = self.engine();
        let mut figures: Vec<_> = loads(engine).into_iter().flat_map(load).collect();
        figures.extend([
            one(
                "patrol_store_wal_bytes",
                "Size of SQLite's write-ahead log on the disk.",
                FigureKind::Gauge,
                engine.place.wal_bytes(),
            ),
            one(
                "patrol_store_failed_commits_total",
                "Transactions of SQLite whose commit failed.",
                FigureKind::Counter,
                engine.writer.failed_commits(),
            ),
            one(
                "patrol_store_lists_broken_off_total",
                "Lists that were broken off to keep the write-ahead log within its bound.",
                FigureKind::Counter,
                engine.snapshots.broken_off(),
            ),
        ]);
        figures.extend(backup::last(&engine.place).map(|seconds| {
            one(
                "patrol_store_last_backup_timestamp_seconds",
                "When `patrol backup` last finished, in seconds since 1970.",
                FigureKind::Gauge,
                seconds,
            )
        }));
        figures
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

fn load((queue, Load { waiting, running }): (&'static str, Load)) -> [Figure; 2] {
    let labelled = |name, help, value| Figure {
        label: Some(("queue", queue)),
        ..one(name, help, FigureKind::Gauge, u64::try_from(value).unwrap_or(u64::MAX))
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

fn one(name: &'static str, help: &'static str, kind: FigureKind, value: u64) -> Figure {
    // Exact up to 2^53, which no metric here reaches.
    #[allow(clippy::as_conversions, clippy::cast_precision_loss)]
    let value = value as f64;
    Figure { name, help, kind, label: None, value }
}
