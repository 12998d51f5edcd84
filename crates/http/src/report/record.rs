//! The JSON forms of reports.

use patrol_application::{Actor, permit_performer};
use patrol_domain::{
    Named as _,
    ids::{self, ReportId, Uuid},
    report::{
        Answer, EntryDraft, EntryOutcome, EntryType, Performed, RefusalCode, Report, Verdict,
        VerdictCode,
    },
    task_execution::{ExecutionSummary, Moment},
};
use patrol_record::{
    EntryRecord,
    json::{document::Json, fields::Fields},
    read_entry,
    value::{Id, OutcomeKind, Time},
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    error::{Code, Language},
    route::{Batched, JsonObject},
    task_execution::SummaryRecord,
};

impl JsonObject for EntryDraft {
    fn read(fields: &mut Fields<'_>) -> Self {
        read_entry(fields)
    }

    /// An EMPLOYEE may name only itself as performer.
    fn is_allowed(caller: Actor, _: Option<Uuid>, entry: &Json<'_>) -> bool {
        match (entry.member("type"), entry.member("performerId")) {
            (Some(Json::Text(kind)), Some(Json::Text(performer)))
                if kind.as_ref() == EntryType::Start.name() =>
            {
                permit_performer(caller, ids::parse(performer).map(Into::into)).is_ok()
            }
            _ => true,
        }
    }
}

impl Batched for EntryDraft {
    const MAX: usize = patrol_domain::report::MAX_ENTRIES;
}

/// An entry of a report with what became of it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Report)]
pub(crate) struct ReportRecord<'a> {
    #[serde(flatten)]
    entry: EntryRecord<'a>,
    /// When the entry arrived first.
    received_at: Time,
    /// Who sent it first.
    user_id: Option<Id>,
    outcome: OutcomeKind,
    /// Why the entry was refused; null when it was accepted.
    refusal: Option<RefusalRecord>,
    verdicts: Vec<VerdictRecord<'a>>,
}

impl<'a> ReportRecord<'a> {
    /// The record of an entry, with messages in this language.
    pub(crate) fn new(report: &'a Report, language: Language) -> Self {
        let refusal = match &report.outcome {
            EntryOutcome::Accepted { .. } => None,
            EntryOutcome::Refused(code) => Some(RefusalRecord::new(code_of(*code), language)),
        };
        Self {
            entry: EntryRecord::new(&report.entry),
            received_at: Time(report.received_at),
            user_id: report.user_id.map(Id::of),
            outcome: OutcomeKind(report.outcome_kind()),
            refusal,
            verdicts: verdict_records(report, language),
        }
    }
}

/// Why an entry was refused.
#[derive(Serialize, ToSchema)]
#[schema(as = ReportRefusal)]
struct RefusalRecord {
    code: &'static str,
    message: &'static str,
}

impl RefusalRecord {
    const fn new(code: Code, language: Language) -> Self {
        Self { code: code.name(), message: code.message(language) }
    }
}

const fn code_of(refusal: RefusalCode) -> Code {
    match refusal {
        RefusalCode::State => Code::StateNotAllowed,
        RefusalCode::Reference => Code::Reference,
        RefusalCode::Value => Code::Value,
    }
}

/// What is odd about an entry.
#[derive(Serialize, ToSchema)]
#[schema(as = Verdict)]
struct VerdictRecord<'a> {
    code: &'static str,
    message: &'static str,
    /// The measured and the allowed distance in metres; a speed in km/h.
    args: &'a [String],
}

fn verdict_records(report: &Report, language: Language) -> Vec<VerdictRecord<'_>> {
    let records = report.verdicts().iter().map(|Verdict { code, args }| VerdictRecord {
        code: code.name(),
        message: message(*code, language),
        args,
    });
    records.collect()
}

/// The message of a verdict for people.
const fn message(code: VerdictCode, language: Language) -> &'static str {
    let (english, russian) = match code {
        VerdictCode::CodeMismatch => {
            ("the code is not that of the point", "код не совпадает с кодом точки")
        }
        VerdictCode::CodeMissing => ("no code was read", "код не считан"),
        VerdictCode::Distance => ("too far from the point", "слишком далеко от точки"),
        VerdictCode::Speed => ("moved too fast", "слишком быстрое перемещение"),
        VerdictCode::Order => ("an earlier step is not completed", "предыдущий шаг не завершён"),
        VerdictCode::Early => ("before the planned start", "раньше планового начала"),
        VerdictCode::Late => ("after the planned end", "позже планового окончания"),
        VerdictCode::Ahead => ("the clock of the device is ahead", "часы устройства спешат"),
        VerdictCode::Backwards => {
            ("before the entry accepted last", "раньше последней принятой записи")
        }
        VerdictCode::LateUpload => {
            ("arrived more than a day later", "получено более чем через сутки")
        }
    };
    match language {
        Language::English => english,
        Language::Russian => russian,
    }
}

/// The answer to a report.
#[derive(Serialize, ToSchema)]
#[schema(as = ReportAnswer)]
pub(super) struct AnswerRecord<'a> {
    /// One an entry, in the order sent.
    entries: Vec<EntryAnswer<'a>>,
    execution: SummaryRecord<'a>,
}

/// What became of an entry.
#[derive(Serialize, ToSchema)]
struct EntryAnswer<'a> {
    id: Id,
    outcome: AnswerKind,
    /// Why the entry was refused; null when it was not.
    code: Option<&'static str>,
    message: Option<&'static str>,
    verdicts: Vec<VerdictRecord<'a>>,
}

/// ACCEPTED: the entry took effect. DUPLICATE: it did so before. REFUSED: it changed nothing.
#[derive(Serialize, ToSchema, Clone, Copy)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = ReportOutcome)]
enum AnswerKind {
    Accepted,
    Duplicate,
    Refused,
}

impl<'a> AnswerRecord<'a> {
    /// The answer, with messages in this language.
    pub(super) fn new(
        performed: &'a Performed,
        summary: &'a ExecutionSummary,
        moment: Moment,
        language: Language,
    ) -> Self {
        let answers = performed.answers.iter();
        Self {
            entries: answers.map(|answer| EntryAnswer::new(answer, language)).collect(),
            execution: SummaryRecord::new(summary, moment),
        }
    }
}

impl<'a> EntryAnswer<'a> {
    fn new(answer: &'a Answer, language: Language) -> Self {
        match answer {
            Answer::Conflict(id) => Self::refused(*id, Code::ReportIdConflict, language),
            Answer::Duplicate(report) => Self::taken(report, AnswerKind::Duplicate, language),
            Answer::Stored(report) => match report.outcome {
                EntryOutcome::Accepted { .. } => {
                    Self::taken(report, AnswerKind::Accepted, language)
                }
                EntryOutcome::Refused(code) => {
                    Self::refused(report.entry.id, code_of(code), language)
                }
            },
        }
    }

    fn taken(report: &'a Report, outcome: AnswerKind, language: Language) -> Self {
        let verdicts = verdict_records(report, language);
        Self { id: Id::of(report.entry.id), outcome, code: None, message: None, verdicts }
    }

    fn refused(id: ReportId, code: Code, language: Language) -> Self {
        let RefusalRecord { code, message } = RefusalRecord::new(code, language);
        Self {
            id: Id::of(id),
            outcome: AnswerKind::Refused,
            code: Some(code),
            message: Some(message),
            verdicts: Vec::new(),
        }
    }
}
