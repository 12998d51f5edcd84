//! Refuses requests that have waited too long for a thread, even when all threads stay busy.

use std::{
    sync::{
        Arc,
        mpsc::{RecvTimeoutError, SyncSender, sync_channel},
    },
    thread,
    time::Duration,
};

use super::{readers::Readers, writer::WriteQueue};

/// How often the queues are checked; a refusal may be late by this much.
const PERIOD: Duration = Duration::from_millis(250);

/// The thread that refuses late requests. It ends when this is dropped.
pub(super) struct QueueTimeout {
    _end: SyncSender<()>,
}

impl QueueTimeout {
    /// Starts the thread.
    ///
    /// # Errors
    /// When no thread can be started.
    pub(super) fn start(
        timeout: Duration,
        readers: Vec<Readers>,
        writes: Arc<WriteQueue>,
    ) -> std::io::Result<Self> {
        let (end, ended) = sync_channel(0);
        thread::Builder::new().name("sqlite-timeout".to_owned()).spawn(move || {
            while ended.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
                readers.iter().for_each(|readers| readers.refuse_late(timeout));
                writes.refuse_late(timeout);
            }
        })?;
        Ok(Self { _end: end })
    }
}
