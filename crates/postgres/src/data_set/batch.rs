//! Reads records from the source in batches, on a thread that may block.

use std::{mem, thread};

use patrol_domain::data_set::{Record, Source};
use patrol_repository::data_set;
use tokio::sync::mpsc::{self, error::SendError};

/// The maximum number of records of a batch: enough that the statement for all of them costs little
/// for each.
const RECORDS: usize = 1_024;

/// The maximum number of records, steps and actions of a batch together, to bound its memory.
const PARTS: usize = 16_384;

/// How many batches are read ahead.
const AHEAD: usize = 2;

/// A record and its line number.
pub(super) type Line = (u64, Record);

/// The next records, which are of one kind, or `None` at the end. `None` and an error are the last message: without
/// one of them, the source has panicked.
type Read = Result<Option<Vec<Line>>, String>;

/// Reads the source on a separate thread while the receiver exists.
pub(super) fn batches(source: Source) -> mpsc::Receiver<Read> {
    let (to, from) = mpsc::channel(AHEAD);
    let failed = to.clone();
    // Not a thread of the runtime, whose end would wait for a source that sends nothing more.
    let thread = thread::Builder::new().name("batches".to_owned());
    // If the receiver is gone, the import has already failed.
    if let Err(error) = thread.spawn(move || drop(read(source, &to))) {
        let error = format!("cannot start a thread to read the data set: {error}");
        drop(failed.try_send(Err(error)));
    }
    from
}

fn read(source: Source, to: &mpsc::Sender<Read>) -> Result<(), SendError<Read>> {
    let mut batch: Vec<Line> = Vec::new();
    let mut parts = 0;
    for read in source {
        let (line, record) = match read {
            Ok(read) => read,
            Err(error) => {
                to.blocking_send(Ok(Some(batch)))?;
                return to.blocking_send(Err(error));
            }
        };
        let is_of_batch = batch.last().is_none_or(|(_, last)| last.kind() == record.kind());
        if !is_of_batch || batch.len() >= RECORDS || parts >= PARTS {
            to.blocking_send(Ok(Some(mem::take(&mut batch))))?;
            parts = 0;
        }
        parts += data_set::parts(&record);
        batch.push((line, record));
    }
    to.blocking_send(Ok(Some(batch)))?;
    to.blocking_send(Ok(None))
}
