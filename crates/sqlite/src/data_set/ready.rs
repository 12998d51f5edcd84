//! Records with what can be made of them without the store, made on a thread of its own while those
//! before them are stored.

use std::{
    io, mem,
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread,
};

use patrol_domain::{
    StoreError,
    check_list::CheckList,
    data_set::{ImportError, Record, ScheduledTask, Source},
    location::{GraphicPlan, Location},
    point::Point,
    task_execution::TaskExecution,
    user::User,
};

use crate::task_execution::New;

/// A record with the number of its line.
pub(super) struct Line {
    pub(super) number: u64,
    pub(super) record: Ready,
}

/// A record, of whose kinds one has something made of it before.
pub(super) enum Ready {
    User {
        user: Box<User>,
        password_hash: Option<String>,
    },
    Location(Location),
    GraphicPlan(GraphicPlan),
    Point(Box<Point>),
    CheckList(CheckList),
    ScheduledTask(ScheduledTask),
    /// With what is stored of it.
    TaskExecution(Box<TaskExecution>, Box<New>),
}

impl Ready {
    fn of(record: Record) -> Result<Self, StoreError> {
        Ok(match record {
            Record::User { user, password_hash } => Self::User { user, password_hash },
            Record::Location(location) => Self::Location(location),
            Record::GraphicPlan(plan) => Self::GraphicPlan(plan),
            Record::Point(point) => Self::Point(point),
            Record::CheckList(list) => Self::CheckList(list),
            Record::ScheduledTask(task) => Self::ScheduledTask(task),
            Record::TaskExecution(execution) => {
                let new = Box::new(New::of(&execution)?);
                Self::TaskExecution(execution, new)
            }
        })
    }

    /// The record that it was.
    pub(super) fn into_record(self) -> Record {
        match self {
            Self::User { user, password_hash } => Record::User { user, password_hash },
            Self::Location(location) => Record::Location(location),
            Self::GraphicPlan(plan) => Record::GraphicPlan(plan),
            Self::Point(point) => Record::Point(point),
            Self::CheckList(list) => Record::CheckList(list),
            Self::ScheduledTask(task) => Record::ScheduledTask(task),
            Self::TaskExecution(execution, _) => Record::TaskExecution(execution),
        }
    }
}

/// What goes over at once.
enum Step {
    Lines(Vec<Line>),
    /// After this nothing follows.
    End(Result<(), ImportError>),
}

/// A batch has so many records.
const BATCH: usize = 32;

/// So many batches wait at most.
const AHEAD: usize = 4;

/// What is made of `source`. Dropping it stops the thread at its next batch.
pub(super) struct Lines(Receiver<Step>);

impl Lines {
    /// # Errors
    /// When no thread can be started.
    pub(super) fn of(source: Source) -> io::Result<Self> {
        let (to, from) = sync_channel(AHEAD);
        thread::Builder::new().name("import".to_owned()).spawn(move || {
            let end = read(source, &to);
            // Who has let go of the receiver does not wait for the end.
            drop(to.send(Step::End(end)));
        })?;
        Ok(Self(from))
    }

    /// The next records; none at the end.
    ///
    /// # Errors
    /// The first line that cannot be read, after the records before it.
    pub(super) fn next(&self) -> Result<Option<Vec<Line>>, ImportError> {
        match self.0.recv() {
            Ok(Step::Lines(lines)) => Ok(Some(lines)),
            Ok(Step::End(end)) => end.map(|()| None),
            Err(_) => {
                Err(StoreError::Internal("the reading of the records broke off".to_owned()).into())
            }
        }
    }
}

/// Sends all records of `source`, for as long as somebody takes them.
fn read(source: Source, to: &SyncSender<Step>) -> Result<(), ImportError> {
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
            if to.send(Step::Lines(full)).is_err() {
                return Ok(());
            }
        }
    }
    // Who takes no more of them does not want the end either.
    drop(to.send(Step::Lines(batch)));
    end
}

fn line(read: Result<(u64, Record), String>) -> Result<Line, ImportError> {
    let (number, record) = read.map_err(ImportError::Source)?;
    Ok(Line { number, record: Ready::of(record)? })
}
