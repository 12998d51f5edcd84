//! Answers requests that have waited too long for a thread, even when all threads stay busy.

use std::{
    sync::{
        Arc,
        mpsc::{RecvTimeoutError, SyncSender, sync_channel},
    },
    thread,
    time::Duration,
};

use super::{readers::Readers, writer::WriteQueue};

/// How often queues are looked through: an answer may be late by so much.
const PERIOD: Duration = Duration::from_millis(250);

/// A thread that refuses what has waited for too long. It ends when this is dropped.
pub(super) struct QueueTimeout {
    _end: SyncSender<()>,
}

impl QueueTimeout {
    /// # Errors
    /// When no thread can be started.
    pub(super) fn start(
        patience: Duration,
        readers: Vec<Readers>,
        writes: Arc<WriteQueue>,
    ) -> std::io::Result<Self> {
        let (end, ended) = sync_channel(0);
        thread::Builder::new().name("sqlite-timeout".to_owned()).spawn(move || {
            while ended.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
                readers.iter().for_each(|readers| readers.refuse_late(patience));
                writes.refuse_late(patience);
            }
        })?;
        Ok(Self { _end: end })
    }
}
