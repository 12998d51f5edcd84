//! Entries of reports as lines of the data set, with their outcomes.

use patrol_domain::{
    Named as _,
    data_set::{ReportRecordDraft, VerdictDraft},
    report::{EntryOutcome, Report},
};
use patrol_record::{
    EntryRecord, PlainVerdict,
    json::fields::Fields,
    read_entry,
    value::{Id, OutcomeKind, Time},
};
use serde::Serialize;

use crate::{
    line::{Context, Line},
    messages,
};

/// An entry as a line. Messages depend on a reader's language and are left out.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Row<'a> {
    task_execution_id: Id,
    #[serde(flatten)]
    entry: EntryRecord<'a>,
    received_at: Time,
    user_id: Option<Id>,
    outcome: OutcomeKind,
    refusal: Option<RefusalRow>,
    verdicts: Vec<PlainVerdict<'a>>,
}

#[derive(Serialize)]
struct RefusalRow {
    code: &'static str,
}

impl Line for Report {
    type Draft = ReportRecordDraft;
    type Form<'a> = Row<'a>;

    fn read(fields: &mut Fields<'_>) -> ReportRecordDraft {
        ReportRecordDraft {
            execution_id: fields.uuid("taskExecutionId"),
            entry: read_entry(fields),
            received_at: fields.timestamp("receivedAt"),
            user_id: fields.uuid("userId"),
            outcome: fields.text("outcome"),
            refusal: fields.object("refusal", read_code),
            verdicts: fields.list("verdicts", read_verdict).unwrap_or_default(),
        }
    }

    fn check(draft: ReportRecordDraft, context: &Context<'_>) -> Result<Self, Vec<String>> {
        messages::checked(draft.check(context.rules))
    }

    fn form(&self) -> Row<'_> {
        let refusal = match &self.outcome {
            EntryOutcome::Accepted { .. } => None,
            EntryOutcome::Refused(code) => Some(RefusalRow { code: code.name() }),
        };
        Row {
            task_execution_id: Id::of(self.execution_id),
            entry: EntryRecord::new(&self.entry),
            received_at: Time(self.received_at),
            user_id: self.user_id.map(Id::of),
            outcome: OutcomeKind(self.outcome_kind()),
            refusal,
            verdicts: PlainVerdict::all(self),
        }
    }
}

/// The code of an object that also has a message in the API, which follows from the code.
fn read_code(fields: &mut Fields<'_>) -> Option<String> {
    fields.text("message");
    fields.text("code")
}

fn read_verdict(fields: &mut Fields<'_>) -> VerdictDraft {
    VerdictDraft { code: read_code(fields), args: fields.texts("args").unwrap_or_default() }
}
