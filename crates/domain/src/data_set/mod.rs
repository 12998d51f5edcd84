//! The data set: all records of a store, for import and export. See `docs/data-set.md`.

mod execution;
mod occurrence;
mod port;
mod record;

pub use execution::{ActionReport, ExecutionRecordDraft, StepReport};
pub use occurrence::{NewExecution, NewTask, OccurrenceKey};
#[cfg(feature = "mock")]
pub use port::MockDataSets;
pub use port::{
    DataSets, Export, ImportError, Imported, MAX_REFUSED_LINES, RefusedLine, RefusedLines,
    Rehearsal, Source,
};
pub use record::{Constraint, DataSetRecord, NewUser, Record};
