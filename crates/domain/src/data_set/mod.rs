//! The data set: all records of a store, for import and export. See `docs/data-set.md`.

mod constraint;
mod execution;
mod occurrence;
mod port;
mod record;
mod report;
mod user;

pub use constraint::{Constraint, DataSetRecord};
pub use execution::{ActionReport, ExecutionRecordDraft, StepReport};
pub use occurrence::{NewExecution, NewTask, OccurrenceKey};
#[cfg(feature = "mock")]
pub use port::MockDataSets;
pub use port::{
    DataSets, DryRunOutcome, Export, ImportError, Imported, MAX_REFUSED_LINES, RefusedLine,
    RefusedLines, Source,
};
pub use record::Record;
pub use report::{ReportRecordDraft, VerdictDraft};
pub use user::NewUser;
