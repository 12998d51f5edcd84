//! The size of the store, for the operator. A job measures it once a minute, because metrics must
//! not wait for the store.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use patrol_domain::{Measured, Metric, MetricKind, Monitored, StoreError, StoreSize, StoredEvents};

/// The last measured size.
pub(crate) struct LastStoreSize {
    store: Arc<dyn Measured>,
    /// How long events are kept.
    events_keep: Duration,
    last: Mutex<Option<StoreSize>>,
}

impl LastStoreSize {
    pub(crate) fn new(store: Arc<dyn Measured>, events_keep: Duration) -> Self {
        Self { store, events_keep, last: Mutex::default() }
    }

    /// Measures the store.
    ///
    /// # Errors
    /// When the store does not answer; then the last size stays.
    pub(crate) async fn measure(&self) -> Result<(), StoreError> {
        let size = self.store.measure().await?;
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(size);
        Ok(())
    }
}

impl Monitored for LastStoreSize {
    fn metrics(&self) -> Vec<Metric> {
        let keep = Metric::gauge(
            "patrol_events_keep_seconds",
            "How long the log of changes keeps an event (PATROL_EVENTS_KEEP).",
            None,
            self.events_keep.as_secs_f64(),
        );
        let last = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(StoreSize { bytes, events, standbys }) = last else { return vec![keep] };
        let bytes = Metric::gauge_of(
            "patrol_store_bytes",
            "Size of the database, without its write-ahead log; measured once a minute.",
            None,
            bytes,
        );
        let standbys = standbys.map(|standbys| {
            Metric::gauge_of(
                "patrol_store_standbys",
                "Standbys of PostgreSQL that are connected; measured once a minute.",
                None,
                standbys,
            )
        });
        [keep, bytes]
            .into_iter()
            .chain(standbys)
            .chain(events.into_iter().flat_map(of_events))
            .collect()
    }
}

fn of_events(StoredEvents { first, last, oldest }: StoredEvents) -> [Metric; 3] {
    let stored = last.saturating_sub(first).saturating_add(1);
    let oldest = Duration::from_millis(oldest.millis().unsigned_abs());
    [
        Metric::gauge_of(
            "patrol_events_stored",
            "Events in the log of changes, at most; measured once a minute.",
            None,
            stored.unsigned_abs(),
        ),
        Metric {
            kind: MetricKind::Counter,
            ..Metric::gauge_of(
                "patrol_events_written_total",
                "Position of the newest event of the log of changes, the same on all nodes.",
                None,
                last.unsigned_abs(),
            )
        },
        Metric::gauge(
            "patrol_events_oldest_timestamp_seconds",
            "Time of the oldest event of the log of changes, in seconds since 1970.",
            None,
            oldest.as_secs_f64(),
        ),
    ]
}
