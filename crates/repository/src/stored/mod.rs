//! What SQLite and PostgreSQL share: the tables, the columns of each entity, how they are written
//! and read, and the stored forms of composite values. It runs no statement: the ports and the adapters do.
//!
//! A stored form outlives the code that wrote it. Readers ignore unknown members and use the
//! default for members that an older form did not have.

mod abort;
pub mod access;
pub mod check_list;
pub mod event;
pub mod figures;
pub mod graphic_plan;
pub mod holder;
pub mod idempotency;
pub mod ids;
pub mod jobs;
pub mod link;
pub mod list;
pub mod location;
pub mod media;
mod member;
pub mod page;
pub mod photo;
pub mod places;
pub mod point;
mod reader;
pub mod reference;
pub mod report;
pub mod row;
pub mod schedule;
pub mod scheduled_task;
#[allow(missing_docs, reason = "`table!` documents its columns only as far as they are unusual")]
pub mod schema;
pub mod sign_in;
pub mod sql;
pub mod statement;
pub mod steps;
pub mod tables;
pub mod task_execution;
pub mod texts;
pub mod trace;
pub mod user;
mod value;

pub use abort::Abort;

pub(crate) use page::page;
pub(crate) use statement::computed_text;

use thiserror::Error;

/// A stored form that cannot be read. Contains the position, never the stored value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Error)]
pub enum Error {
    /// Not JSON of the expected form.
    #[error("{fault} at byte {column}")]
    Json {
        /// What is wrong, without the stored value.
        fault: &'static str,
        /// The byte where it was noticed, counted from 1.
        column: usize,
    },
    /// A value of another type than its action.
    #[error("a value of another type than the action's")]
    Value,
    /// Compressed steps that are incomplete or changed.
    #[error("compressed steps that cannot be decompressed")]
    Packed,
    /// A schedule that this version of the program refuses. Contains the part.
    #[error("an unknown or invalid {0} of a schedule")]
    Schedule(&'static str),
    /// The last id is incomplete. Contains the number of bytes.
    #[error("{0} bytes are no whole number of ids")]
    Ids(usize),
}

impl From<serde_json::Error> for Error {
    /// Without the message of `error`, which quotes stored values.
    fn from(error: serde_json::Error) -> Self {
        let fault = match error.classify() {
            serde_json::error::Category::Eof => "a document that breaks off",
            serde_json::error::Category::Data => "an unknown or missing value",
            serde_json::error::Category::Syntax | serde_json::error::Category::Io => {
                "what is not JSON"
            }
        };
        Self::Json { fault, column: error.column() }
    }
}
