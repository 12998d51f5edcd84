//! An entry of a report of the data set. Unlike the body of the API it also has its outcome.

use crate::{
    report::{EntryDraft, EntryOutcome, OutcomeKind, RefusalCode, Report, Verdict, VerdictCode},
    shared::{
        check,
        fault::{Faults, Path, Refusal, Rule},
        ids::{TaskExecutionId, UserId},
        named::Named as _,
        rules::Rules,
        timestamp::Timestamp,
    },
};

/// An entry of the data set: the JSON types are checked, the field rules are not.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs)] // named as in docs/api
pub struct ReportRecordDraft {
    pub execution_id: Option<TaskExecutionId>,
    pub entry: EntryDraft,
    pub received_at: Option<Timestamp>,
    pub user_id: Option<UserId>,
    pub outcome: Option<String>,
    /// The code of the refusal; `Some(None)` for a refusal without a code.
    pub refusal: Option<Option<String>>,
    pub verdicts: Vec<VerdictDraft>,
}

/// A verdict of the data set: the JSON types are checked, the field rules are not.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs)] // named as in docs/api
pub struct VerdictDraft {
    pub code: Option<String>,
    pub args: Vec<String>,
}

impl ReportRecordDraft {
    /// The entry, if all members meet their rules. The store numbers it.
    ///
    /// # Errors
    /// `Invalid` with the faults of the members.
    pub fn check(&self, rules: &Rules) -> Result<Report, Refusal> {
        Faults::checked(|faults| {
            let field = |name| Path::Root.field(name);
            let execution_id =
                check::required(faults, &field("taskExecutionId"), self.execution_id);
            let entry = self.entry.check(faults, &Path::Root, None, &rules.limits);
            let received_at = check::required(faults, &field("receivedAt"), self.received_at);
            let outcome = self.checked_outcome(faults);
            Some(Report {
                execution_id: execution_id?,
                entry: entry?,
                user_id: self.user_id,
                received_at: received_at?,
                outcome: outcome?,
            })
        })
    }

    /// REFUSED needs a refusal and has no verdicts, ACCEPTED has no refusal.
    fn checked_outcome(&self, faults: &mut Faults) -> Option<EntryOutcome> {
        let field = |name| Path::Root.field(name);
        let kind = check::required(faults, &field("outcome"), self.outcome.as_deref())
            .and_then(|kind| check::enum_value(faults, &field("outcome"), kind));
        let refusal = self.refusal.as_ref().and_then(|code| {
            let (path, refusal) = (field("refusal"), code.as_deref());
            let code = check::required(faults, &path.field("code"), refusal)?;
            check::enum_value::<RefusalCode>(faults, &path.field("code"), code)
        });
        let verdicts = self.checked_verdicts(faults);
        match kind? {
            OutcomeKind::Accepted => {
                if self.refusal.is_some() {
                    faults.push(&field("refusal"), Rule::Null);
                }
                Some(EntryOutcome::Accepted { number: 0, verdicts })
            }
            OutcomeKind::Refused => {
                check::required(faults, &field("refusal"), self.refusal.as_ref());
                check::list_length(faults, &field("verdicts"), self.verdicts.len(), 0);
                refusal.map(EntryOutcome::Refused)
            }
        }
    }

    fn checked_verdicts(&self, faults: &mut Faults) -> Vec<Verdict> {
        let path = Path::Root.field("verdicts");
        let most = VerdictCode::ALL.len();
        check::list_length(faults, &path, self.verdicts.len(), most);
        let verdicts = self.verdicts.iter().take(most).enumerate();
        verdicts.filter_map(|(at, verdict)| verdict.checked(faults, &path.index(at))).collect()
    }
}

impl VerdictDraft {
    fn checked(&self, faults: &mut Faults, path: &Path<'_>) -> Option<Verdict> {
        let code = check::required(faults, &path.field("code"), self.code.as_deref())
            .and_then(|code| check::enum_value::<VerdictCode>(faults, &path.field("code"), code))?;
        let (path, args) = (path.field("args"), code.args());
        if self.args.len() != args {
            faults.push(&path, Rule::Length { min: args, max: args });
        }
        for (at, arg) in self.args.iter().take(args).enumerate() {
            let is_whole = arg.bytes().all(|digit| digit.is_ascii_digit());
            if !is_whole || arg.parse::<i64>().is_err() {
                faults.push(&path.index(at), Rule::Range { min: 0, max: i64::MAX });
            }
        }
        Some(Verdict { code, args: self.args.clone() })
    }
}
