//! Reading ahead of who stores.

use std::{
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread,
};

use patrol_domain::data_set::{Record, Source};

type Item = Result<(u64, Record), String>;

/// So many records wait at most.
const AHEAD: usize = 256;

/// `source`, read on a thread of its own while its records are stored. Dropping what is returned
/// stops the thread at its next record.
pub fn ahead(source: impl Iterator<Item = Item> + Send + 'static) -> Source {
    let (sender, receiver) = sync_channel(AHEAD);
    let thread = thread::Builder::new().name("data set".to_owned());
    match thread.spawn(move || send(source, &sender)) {
        Ok(_) => Box::new(Ahead { receiver, ended: false }),
        Err(error) => Box::new(std::iter::once(Err(format!("no thread to read with: {error}")))),
    }
}

/// Sends all records and then none, so that an end without that none is a failure.
fn send(source: impl Iterator<Item = Item>, sender: &SyncSender<Option<Item>>) {
    for item in source {
        if sender.send(Some(item)).is_err() {
            return;
        }
    }
    // Who has let go of the receiver does not wait for the end.
    let _ = sender.send(None);
}

struct Ahead {
    receiver: Receiver<Option<Item>>,
    ended: bool,
}

impl Iterator for Ahead {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        if self.ended {
            return None;
        }
        let item = self
            .receiver
            .recv()
            .unwrap_or_else(|_| Some(Err("the reading of the data set broke off".to_owned())));
        self.ended = !matches!(item, Some(Ok(_)));
        item
    }
}
