//! Prepares records on a separate thread, while earlier records are being stored.

use std::{
    io, mem,
    sync::mpsc::{Receiver, SendError, SyncSender, sync_channel},
    thread,
};

use patrol_domain::data_set::{ImportError, Record, Source};

use crate::task_execution::PreparedExecution;

/// A record and its line number.
pub(super) struct Line {
    pub(super) number: u64,
    pub(super) record: Record,
    /// The serialised columns and documents of an execution; `None` for other kinds.
    pub(super) prepared: Option<Box<PreparedExecution>>,
}

/// The next records, or `None` at the end. `None` and an error are the last message.
type Read = Result<Option<Vec<Line>>, ImportError>;

/// The number of records in a batch.
const BATCH: usize = 32;

/// The maximum number of prepared batches that wait to be stored.
const AHEAD: usize = 4;

/// Starts a thread that prepares the records of `source`. It sends the records before a line that cannot
/// be read, then the error. Dropping the receiver stops it at its next batch.
///
/// # Errors
/// When no thread can be started.
pub(super) fn lines(source: Source) -> io::Result<Receiver<Read>> {
    let (to, from) = sync_channel(AHEAD);
    let thread = thread::Builder::new().name("import".to_owned());
    // If the receiver is gone, the end is not needed.
    thread.spawn(move || drop(send_all(source, &to)))?;
    Ok(from)
}

fn send_all(source: Source, to: &SyncSender<Read>) -> Result<(), SendError<Read>> {
    let mut batch = Vec::with_capacity(BATCH);
    for read in source {
        match line(read) {
            Ok(line) => batch.push(line),
            Err(error) => {
                to.send(Ok(Some(batch)))?;
                return to.send(Err(error));
            }
        }
        if batch.len() >= BATCH {
            to.send(Ok(Some(mem::replace(&mut batch, Vec::with_capacity(BATCH)))))?;
        }
    }
    to.send(Ok(Some(batch)))?;
    to.send(Ok(None))
}

fn line(read: Result<(u64, Record), String>) -> Result<Line, ImportError> {
    let (number, record) = read.map_err(ImportError::Source)?;
    let prepared = match &record {
        Record::TaskExecution(new) => Some(Box::new(PreparedExecution::of(&new.execution)?)),
        _ => None,
    };
    Ok(Line { number, record, prepared })
}
