//! The data set: the whole store as records, for import and export. `docs/data-set.md` describes
//! it.

mod execution;
mod port;
mod record;

pub use execution::{ActionReport, ExecutionRecordDraft, StepReport};
#[cfg(feature = "mock")]
pub use port::MockDataSets;
pub use port::{
    DataSets, Export, ImportError, Imported, MOST_REFUSED, RefusedLine, Rehearsal, Source,
};
pub use record::{Record, Reference, ScheduledTask, ScheduledTaskDraft};
