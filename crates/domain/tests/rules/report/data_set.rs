//! Entries of a data set.

use super::*;

/// An accepted SCAN of a data set, too far from its point.
fn far_scan() -> ReportRecordDraft {
    let args = vec!["160".to_owned(), "100".to_owned()];
    ReportRecordDraft {
        execution_id: Some(id(1).into()),
        entry: draft(1, EntryType::Scan, Some(1)),
        received_at: Some(at(2)),
        user_id: Some(UserId(id(99))),
        outcome: Some("ACCEPTED".to_owned()),
        refusal: None,
        verdicts: vec![VerdictDraft { code: Some("presence.distance".to_owned()), args }],
    }
}

#[test]
fn a_record_of_the_data_set_keeps_what_became_of_the_entry() {
    let report = far_scan().check(&rules()).unwrap();
    assert_eq!(report.verdicts()[0].args, ["160", "100"]);
    let refused = ReportRecordDraft {
        outcome: Some("REFUSED".to_owned()),
        refusal: Some(Some("validation.reference.failed".to_owned())),
        verdicts: Vec::new(),
        ..far_scan()
    };
    let report = refused.check(&rules()).unwrap();
    assert_eq!(report.outcome, EntryOutcome::Refused(RefusalCode::Reference));
    // Neither the performer nor a medium has to exist, and nobody performs a round by default.
    let start = ReportRecordDraft {
        entry: EntryDraft { performer_id: None, ..draft(1, EntryType::Start, None) },
        ..far_scan()
    };
    assert_eq!(start.check(&rules()).unwrap().entry.performer_id, None);
    let note =
        EntryDraft { media_ids: Some(vec![id(98).into()]), ..draft(1, EntryType::Note, None) };
    let note = ReportRecordDraft { entry: note, ..far_scan() };
    assert_eq!(note.check(&rules()).unwrap().entry.media_ids.len(), 1);
}

/// Breaks a rule of a draft.
type Breaks = fn(&mut ReportRecordDraft);

#[test]
fn a_record_of_the_data_set_has_the_form_of_a_listed_entry() {
    let cases: [(Breaks, &[&str]); 12] = [
        (
            |draft| *draft = ReportRecordDraft::default(),
            &["taskExecutionId", "id", "type", "at", "receivedAt", "outcome"],
        ),
        (|draft| draft.outcome = Some("DUPLICATE".to_owned()), &["outcome"]),
        (|draft| draft.refusal = Some(Some("state.not.allowed".to_owned())), &["refusal"]),
        (|draft| draft.outcome = Some("REFUSED".to_owned()), &["refusal", "verdicts"]),
        (|draft| draft.refusal = Some(None), &["refusal.code", "refusal"]),
        (|draft| draft.refusal = Some(Some("not.found".to_owned())), &["refusal.code", "refusal"]),
        (|draft| draft.entry.technology = None, &["technology"]),
        (|draft| draft.entry.code = Some("x".repeat(256)), &["code"]),
        (|draft| draft.verdicts[0].code = Some("late".to_owned()), &["verdicts[0].code"]),
        (|draft| draft.verdicts[0].args = vec!["1".to_owned()], &["verdicts[0].args"]),
        (|draft| draft.verdicts[0].args[1] = "1 2".to_owned(), &["verdicts[0].args[1]"]),
        (|draft| draft.verdicts = vec![draft.verdicts[0].clone(); 11], &["verdicts"]),
    ];
    for (breaks, identifiers) in cases {
        let mut draft = far_scan();
        breaks(&mut draft);
        let found = faults(draft.check(&rules()));
        let found: Vec<_> = found.iter().map(|(identifier, _)| identifier.as_str()).collect();
        assert_eq!(found, identifiers);
    }
}
