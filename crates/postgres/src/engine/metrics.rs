//! Metrics of the store.

use patrol_domain::{Metric, Monitored};

use super::Store;

impl Monitored for Store {
    fn metrics(&self) -> Vec<Metric> {
        let engine = self.engine();
        let (lists, counters) = (&engine.lists, engine.connector.counters());
        let ((used, idle), (long_used, long_idle)) = (engine.pool.usage(), lists.pool.usage());
        let mut metrics = Vec::new();
        let mut gauges = |name, help, label, values: &[(&'static str, usize)]| {
            let gauge =
                |(of, value): &(_, _)| Metric::gauge_of(name, help, Some((label, *of)), *value);
            metrics.extend(values.iter().map(gauge));
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
        let queues = [
            ("connections", engine.pool.waits()),
            ("long_connections", lists.pool.waits()),
            ("records", engine.locks.waits()),
            ("groups", engine.groups.waits()),
            ("pages", lists.pages.waits()),
            ("slow_pages", lists.slow.waits()),
            ("lists", lists.long.waits()),
        ];
        metrics.extend(queues.into_iter().flat_map(|(queue, waits)| waits.metrics(queue)));
        metrics.extend(counters.metrics());
        metrics.extend(self.memory().metrics());
        metrics
    }
}
