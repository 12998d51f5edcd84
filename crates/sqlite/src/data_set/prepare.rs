//! Prepares records on a separate thread, while earlier records are being stored.

use std::{
    io, mem,
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread,
};

use patrol_domain::{
    StoreError,
    data_set::{ImportError, Record, Source},
};

use crate::task_execution::PreparedExecution;

/// A record and its line number.
pub(super) struct Line {
    pub(super) number: u64,
    pub(super) record: Record,
    /// The serialised columns and documents of an execution; `None` for other kinds.
    pub(super) prepared: Option<Box<PreparedExecution>>,
}

impl Line {
    fn of(number: u64, record: Record) -> Result<Self, StoreError> {
        let prepared = match &record {
            Record::TaskExecution(new) => Some(Box::new(PreparedExecution::of(&new.execution)?)),
            _ => None,
        };
        Ok(Self { number, record, prepared })
    }
}

/// A message from the thread.
enum Message {
    Lines(Vec<Line>),
    /// The last message.
    End(Result<(), ImportError>),
}

/// The number of records in a batch.
const BATCH: usize = 32;

/// The maximum number of prepared batches that wait to be stored.
const AHEAD: usize = 4;

/// Prepared records of `source`. Dropping it stops the thread at its next batch.
pub(super) struct Lines(Receiver<Message>);

impl Lines {
    /// Starts the thread.
    ///
    /// # Errors
    /// When no thread can be started.
    pub(super) fn of(source: Source) -> io::Result<Self> {
        let (to, from) = sync_channel(AHEAD);
        thread::Builder::new().name("import".to_owned()).spawn(move || {
            let end = read(source, &to);
            // If the receiver is gone, the end is not needed.
            drop(to.send(Message::End(end)));
        })?;
        Ok(Self(from))
    }

    /// The next records; `None` at the end.
    ///
    /// # Errors
    /// The first line that cannot be read, after the records before it.
    pub(super) fn next(&self) -> Result<Option<Vec<Line>>, ImportError> {
        match self.0.recv() {
            Ok(Message::Lines(lines)) => Ok(Some(lines)),
            Ok(Message::End(end)) => end.map(|()| None),
            Err(_) => {
                Err(StoreError::Internal("the reading of the records broke off".to_owned()).into())
            }
        }
    }
}

/// Sends all records of `source` while the receiver exists.
fn read(source: Source, to: &SyncSender<Message>) -> Result<(), ImportError> {
    let mut batch = Vec::with_capacity(BATCH);
    let mut end = Ok(());
    for read in source {
        match line(read) {
            Ok(line) => batch.push(line),
            Err(error) => {
                end = Err(error);
                break;
            }
        }
        if batch.len() >= BATCH {
            let full = mem::replace(&mut batch, Vec::with_capacity(BATCH));
            if to.send(Message::Lines(full)).is_err() {
                return Ok(());
            }
        }
    }
    // If the receiver is gone, the end is not needed either.
    drop(to.send(Message::Lines(batch)));
    end
}

fn line(read: Result<(u64, Record), String>) -> Result<Line, ImportError> {
    let (number, record) = read.map_err(ImportError::Source)?;
    Ok(Line::of(number, record)?)
}
