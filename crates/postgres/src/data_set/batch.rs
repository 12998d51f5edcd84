//! Reads records from the source in batches, on a thread that may block.

use std::{mem, thread};

use patrol_domain::data_set::{Record, Source};
use patrol_repository::data_set;
use tokio::sync::mpsc;

/// The maximum number of records of a batch: enough that the statement for all of them costs little
/// for each.
const RECORDS: usize = 1_024;

/// The maximum number of records, steps and actions of a batch together, to bound its memory.
const PARTS: usize = 16_384;

/// How many batches are read ahead.
const AHEAD: usize = 2;

/// A record and its line number.
pub(super) type Line = (u64, Record);

/// Reads the source on a separate thread while the receiver exists. The records of a batch are of
/// one kind. An error is the last message.
pub(super) fn batches(source: Source) -> mpsc::Receiver<Result<Vec<Line>, String>> {
    let (to, from) = mpsc::channel(AHEAD);
    let failed = to.clone();
    // Not a thread of the runtime, whose end would wait for a source that sends nothing more.
    let thread = thread::Builder::new().name("batches".to_owned());
    if let Err(error) = thread.spawn(move || read(source, &to)) {
        let error = format!("cannot start a thread to read the data set: {error}");
        drop(failed.try_send(Err(error)));
    }
    from
}

fn read(source: Source, to: &mpsc::Sender<Result<Vec<Line>, String>>) {
    let mut batch: Vec<Line> = Vec::new();
    let mut parts = 0;
    for read in source {
        let (line, record) = match read {
            Ok(read) => read,
            Err(error) => {
                // If the receiver is gone, the import has already failed.
                return drop(
                    to.blocking_send(Ok(batch)).and_then(|()| to.blocking_send(Err(error))),
                );
            }
        };
        let is_of_batch = batch.last().is_none_or(|(_, last)| last.kind() == record.kind());
        if !is_of_batch || batch.len() >= RECORDS || parts >= PARTS {
            if to.blocking_send(Ok(mem::take(&mut batch))).is_err() {
                return;
            }
            parts = 0;
        }
        parts += data_set::parts(&record);
        batch.push((line, record));
    }
    drop(to.blocking_send(Ok(batch)));
}
