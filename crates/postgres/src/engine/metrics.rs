//! Metrics of the store.

use patrol_domain::{Metric, MetricKind, Monitored};

use super::Store;

impl Monitored for Store {
    fn metrics(&self) -> Vec<Metric> {
        let engine = self.engine();
        let (lists, counters) = (&engine.lists, engine.connector.counters());
        let ((used, idle), (long_used, long_idle)) = (engine.pool.usage(), lists.pool.usage());
        let mut metrics = Vec::new();
        let mut gauges = |name, help, label, values: &[(&'static str, usize)]| {
            metrics.extend(values.iter().map(|(of, value)| Metric {
                name,
                help,
                kind: MetricKind::Gauge,
                label: Some((label, *of)),
                value: u32::try_from(*value).map_or(f64::INFINITY, f64::from),
            }));
        };
        gauges(
            "patrol_store_connections",
            "Connections to the database, those for long lists apart from the others.",
            "state",
            &[
                ("in_use", used),
                ("idle", idle),
                ("max", engine.pool.capacity()),
                ("long_in_use", long_used),
                ("long_idle", long_idle),
                ("long_max", lists.pool.capacity()),
            ],
        );
        gauges(
            "patrol_store_queue_length",
            "Requests that wait for their turn in the store.",
            "queue",
            &[
                ("connections", engine.pool.waiting()),
                ("records", engine.locks.waiting()),
                ("pages", lists.pages.waiting()),
                ("slow_pages", lists.slow.waiting()),
                ("lists", lists.long.waiting()),
            ],
        );
        gauges(
            "patrol_store_running",
            "Requests that the store works on.",
            "queue",
            &[
                ("reads", engine.reads.running()),
                ("pages", lists.pages.taken()),
                ("slow_pages", lists.slow.taken()),
                ("lists", lists.long.taken()),
            ],
        );
        let help = "Lists that were ended in the database before they were complete.";
        let ended = [
            ("client_left", &counters.left),
            ("made_room", &counters.preempted),
            ("too_long", &counters.too_long),
        ];
        metrics.extend(ended.map(|(reason, counter)| {
            counter.metric("patrol_store_cancelled_total", help, Some(("reason", reason)))
        }));
        metrics.push(counters.failed_commits.metric(
            "patrol_store_failed_commits_total",
            "Transactions whose commit failed, or of which the database did not say whether it did.",
            None,
        ));
        metrics.push(counters.lost.metric(
            "patrol_store_reconnects_total",
            "Connections to the database that were lost and had to be made anew.",
            None,
        ));
        metrics
    }
}
