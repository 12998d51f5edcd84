//! Reports: what happened on a round, entry by entry, as a device sends it.
//!
//! An entry is identified by its id, so a device may send it again until it gets an answer. An entry
//! that takes effect is ACCEPTED; what is odd about it is a [`Verdict`] and never a refusal.

mod draft;
mod list;
mod perform;
mod port;
mod replay;
mod verdict;

pub use draft::{EntryDraft, MAX_ENTRIES, MAX_MEDIA, ReportPositionDraft, ReportsDraft};
pub use list::{ReportFilter, ReportList, ReportQuery, ReportSort};
pub use perform::{Answer, Performed, Round};
#[cfg(feature = "mock")]
pub use port::MockReports;
pub use port::{NewReports, Perform, Reports};
pub use replay::Replay;
pub use verdict::{LastAccepted, PresenceRadius, Verdict, VerdictCode};

use crate::{
    location::Position,
    point::PointType,
    shared::{
        ids::{ActionId, MediaId, ReportId, StepId, TaskExecutionId, UserId},
        named::named,
        timestamp::Timestamp,
    },
};

named! {
    /// What an entry reports.
    EntryType {
        /// The round begins.
        Start = "START", 0;
        /// The code of a point was read, or the point was reached without a code.
        Scan = "SCAN", 1;
        /// The result of an action.
        Result = "RESULT", 2;
        /// A step is finished, with or without results.
        FinishStep = "FINISH_STEP", 3;
        /// A text or media, in any state of the round.
        Note = "NOTE", 4;
        /// The round ends.
        Complete = "COMPLETE", 5;
    }
}

/// The position of a device.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ReportPosition {
    /// The coordinates.
    pub position: Position,
    /// Metres, at least 0.
    pub accuracy: f64,
}

/// An entry as the device sent it. Members that do not belong to its type are `None` or empty.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// Made by the device; unique among the entries of all rounds.
    pub id: ReportId,
    /// What is reported.
    pub kind: EntryType,
    /// The clock of the device.
    pub at: Timestamp,
    /// Where the device was, if it knew.
    pub position: Option<ReportPosition>,
    /// START: the user who walks the round; `None` for the one who sent the entry.
    pub performer_id: Option<UserId>,
    /// SCAN, RESULT, FINISH_STEP and perhaps NOTE: the step.
    pub step_id: Option<StepId>,
    /// RESULT: the action.
    pub action_id: Option<ActionId>,
    /// SCAN: how the code was read.
    pub technology: Option<PointType>,
    /// SCAN: the code; `None` when none was read.
    pub code: Option<String>,
    /// RESULT of a BOOLEAN action.
    pub boolean_value: Option<bool>,
    /// RESULT of a NUMBER action.
    pub number_value: Option<f64>,
    /// RESULT of a TEXT action, or the text of a NOTE; at most 10,000 characters by default.
    pub text_value: Option<String>,
    /// RESULT of a MEDIA action, or the media of a NOTE, without duplicates.
    pub media_ids: Vec<MediaId>,
}

impl Entry {
    /// An entry with only these members.
    #[must_use]
    pub const fn new(id: ReportId, kind: EntryType, at: Timestamp) -> Self {
        Self {
            id,
            kind,
            at,
            position: None,
            performer_id: None,
            step_id: None,
            action_id: None,
            technology: None,
            code: None,
            boolean_value: None,
            number_value: None,
            text_value: None,
            media_ids: Vec::new(),
        }
    }
}

named! {
    /// Why a stored entry was refused.
    RefusalCode {
        /// The state of the round does not allow the entry.
        State = "state.not.allowed", 0;
        /// The round has no such step, or the step has no such action.
        Reference = "validation.reference.failed", 1;
        /// The value does not have the type of the action.
        Value = "validation.value.failed", 2;
    }
}

/// The result of an entry that is stored.
#[derive(Clone, PartialEq, Debug)]
pub enum EntryOutcome {
    /// The entry took effect.
    Accepted {
        /// 1 for the entry of this round that was accepted first.
        number: i64,
        /// What is odd about the entry.
        verdicts: Vec<Verdict>,
    },
    /// The entry changed nothing. It is tried again when it is sent again.
    Refused(RefusalCode),
}

named! {
    /// Whether an entry of a list took effect.
    OutcomeKind {
        /// It took effect.
        Accepted = "ACCEPTED", 0;
        /// It changed nothing.
        Refused = "REFUSED", 1;
    }
}

/// A stored entry.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// The round.
    pub execution_id: TaskExecutionId,
    /// The entry.
    pub entry: Entry,
    /// The user who sent the entry first; `None` for the program itself.
    pub user_id: Option<UserId>,
    /// When the entry arrived first.
    pub received_at: Timestamp,
    /// Whether the entry took effect.
    pub outcome: EntryOutcome,
}

impl Report {
    /// Whether the entry took effect.
    #[must_use]
    pub const fn is_accepted(&self) -> bool {
        self.number().is_some()
    }

    /// Its number among the accepted entries of the round; `None` when it was refused.
    #[must_use]
    pub const fn number(&self) -> Option<i64> {
        match self.outcome {
            EntryOutcome::Accepted { number, .. } => Some(number),
            EntryOutcome::Refused(_) => None,
        }
    }

    /// ACCEPTED or REFUSED.
    #[must_use]
    pub const fn outcome_kind(&self) -> OutcomeKind {
        match self.outcome {
            EntryOutcome::Accepted { .. } => OutcomeKind::Accepted,
            EntryOutcome::Refused(_) => OutcomeKind::Refused,
        }
    }

    /// What is odd about the entry; empty when it was refused.
    #[must_use]
    pub fn verdicts(&self) -> &[Verdict] {
        match &self.outcome {
            EntryOutcome::Accepted { verdicts, .. } => verdicts,
            EntryOutcome::Refused(_) => &[],
        }
    }
}
