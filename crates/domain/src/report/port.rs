//! The port of reports.

use std::collections::BTreeSet;

use async_trait::async_trait;

use super::{Performed, ReportList, ReportsDraft, Round};
use crate::{
    event::Origin,
    shared::{
        error::EditError,
        existing::{Existing, References},
        fault::Refusal,
        ids::{ReportId, StepId, TaskExecutionId},
        records::List,
    },
};

/// Applies entries to a round. Pure, because a store may call the function more than once.
pub type Perform =
    Box<dyn Fn(Round, &Existing) -> Result<Performed, Refusal> + Send + Sync + 'static>;

/// The entries of a request.
pub struct NewReports {
    /// The round.
    pub execution: TaskExecutionId,
    /// The records that the store looks up first.
    pub references: References,
    /// The ids of the entries.
    pub ids: Vec<ReportId>,
    /// The steps whose points the store looks up: those that are scanned.
    pub scanned: BTreeSet<StepId>,
    /// Whether an entry has a position, so that the store looks up the last one before.
    pub is_placed: bool,
    /// Applies the entries.
    pub perform: Perform,
}

impl NewReports {
    /// The entries of `draft`, which `perform` checks and applies to this round.
    pub fn of(
        execution: TaskExecutionId,
        draft: ReportsDraft,
        perform: impl Fn(&ReportsDraft, Round, &Existing) -> Result<Performed, Refusal>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self {
            execution,
            references: draft.references(),
            ids: draft.ids(),
            scanned: draft.scanned(),
            is_placed: draft.is_placed(),
            perform: Box::new(move |round, existing| perform(&draft, round, existing)),
        }
    }
}

/// A store of reports.
#[async_trait]
pub trait Reports: List<ReportList> {
    /// Applies the entries of a request in one transaction: stores each [`Answer::Stored`]
    /// (a refused entry that is sent again keeps its place in the list), the changed round under its
    /// next version if an entry was accepted, and one event for each accepted entry. Requests for
    /// the same round run one after another.
    ///
    /// # Errors
    /// `Missing` when the round does not exist, `Refused` with the refusal of `new.perform`.
    ///
    /// [`Answer::Stored`]: super::Answer::Stored
    async fn report(&self, new: NewReports, by: Origin) -> Result<Performed, EditError>;
}

#[cfg(feature = "mock")]
crate::shared::records::mock_port! {
    Reports: List<ReportList> {
        async fn report(new: NewReports, by: Origin) -> [Result<Performed, EditError>];
    }
}
