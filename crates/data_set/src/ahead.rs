//! Reads records ahead of the store.

use std::{
    mem,
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread, vec,
};

use patrol_domain::data_set::{Record, Source};

type Item = Result<(u64, Record), String>;

/// Records per batch. Waking a thread for each record would cost more than the work itself.
const BATCH: usize = 32;

/// The most batches that wait to be stored.
const AHEAD: usize = 8;

/// Reads `source` on its own thread while its records are stored. Dropping the returned source
/// stops the thread at its next batch.
pub fn ahead(source: impl Iterator<Item = Item> + Send + 'static) -> Source {
    let (to, receiver) = sync_channel(AHEAD);
    let thread = thread::Builder::new().name("data set".to_owned());
    match thread.spawn(move || send(source, &to)) {
        Ok(_) => Box::new(Ahead { receiver, batch: Vec::new().into_iter(), ended: false }),
        Err(error) => Box::new(std::iter::once(Err(format!("no thread to read with: {error}")))),
    }
}

/// Sends all records, then `None`. A channel that closes without the `None` means that the thread
/// failed.
fn send(source: impl Iterator<Item = Item>, to: &SyncSender<Vec<Option<Item>>>) {
    let mut sender = Sender { batch: Vec::with_capacity(BATCH), to };
    for item in source {
        sender.batch.push(Some(item));
        if sender.batch.len() >= BATCH && !sender.flush() {
            return;
        }
    }
    sender.batch.push(None);
}

/// Collects a batch. It is sent even when the source panics.
struct Sender<'a> {
    batch: Vec<Option<Item>>,
    to: &'a SyncSender<Vec<Option<Item>>>,
}

impl Sender<'_> {
    /// False when the receiver is gone.
    fn flush(&mut self) -> bool {
        self.to.send(mem::replace(&mut self.batch, Vec::with_capacity(BATCH))).is_ok()
    }
}

impl Drop for Sender<'_> {
    fn drop(&mut self) {
        // When the receiver is gone, this fails at once.
        self.flush();
    }
}

struct Ahead {
    receiver: Receiver<Vec<Option<Item>>>,
    batch: vec::IntoIter<Option<Item>>,
    ended: bool,
}

impl Iterator for Ahead {
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
                Err(_) => break Some(Err("the reading of the data set broke off".to_owned())),
            }
        };
        self.ended = !matches!(item, Some(Ok(_)));
        item
    }
}
