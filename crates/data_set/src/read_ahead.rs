//! Reads records on a thread of their own while the store stores earlier ones.

use std::{
    mem,
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread, vec,
};

use patrol_domain::data_set::{Record, Source};

type Item = Result<(u64, Record), String>;

/// The number of records per batch. Passing single records between threads would cost more than
/// reading them.
const BATCH: usize = 32;

/// The maximum number of batches that are read but not stored yet.
const WAITING_BATCHES: usize = 8;

/// Reads `source` on a new thread, up to 320 records ahead of the returned source. Dropping the
/// returned source stops the thread at the end of its batch.
pub fn read_ahead(source: impl Iterator<Item = Item> + Send + 'static) -> Source {
    let (to, receiver) = sync_channel(WAITING_BATCHES);
    let thread = thread::Builder::new().name("data set".to_owned());
    match thread.spawn(move || send_all(source, &to)) {
        Ok(_) => Box::new(ReadAhead { receiver, batch: Vec::new().into_iter(), ended: false }),
        Err(error) => Box::new(std::iter::once(Err(format!(
            "cannot start a thread to read the data set: {error}"
        )))),
    }
}

/// Sends all records, then `None`. If the channel closes before the `None`, the thread has panicked.
fn send_all(source: impl Iterator<Item = Item>, to: &SyncSender<Vec<Option<Item>>>) {
    let mut sender = BatchSender { batch: Vec::with_capacity(BATCH), to };
    for item in source {
        sender.batch.push(Some(item));
        if sender.batch.len() >= BATCH && !sender.flush() {
            return;
        }
    }
    sender.batch.push(None);
}

/// Collects records and sends them in batches. Also sends the last batch when the source panics.
struct BatchSender<'a> {
    batch: Vec<Option<Item>>,
    to: &'a SyncSender<Vec<Option<Item>>>,
}

impl BatchSender<'_> {
    /// Sends the batch; false when the receiver was dropped.
    fn flush(&mut self) -> bool {
        self.to.send(mem::replace(&mut self.batch, Vec::with_capacity(BATCH))).is_ok()
    }
}

impl Drop for BatchSender<'_> {
    fn drop(&mut self) {
        // Does not block if the receiver was dropped.
        self.flush();
    }
}

/// The receiving end of the thread.
struct ReadAhead {
    receiver: Receiver<Vec<Option<Item>>>,
    batch: vec::IntoIter<Option<Item>>,
    ended: bool,
}

impl Iterator for ReadAhead {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        if self.ended {
            return None;
        }
        let item = loop {
            if let Some(item) = self.batch.next() {
                break item;
            }
            match self.receiver.recv() {
                Ok(batch) => self.batch = batch.into_iter(),
                Err(_) => break Some(Err("reading the data set stopped unexpectedly".to_owned())),
            }
        };
        self.ended = !matches!(item, Some(Ok(_)));
        item
    }
}
