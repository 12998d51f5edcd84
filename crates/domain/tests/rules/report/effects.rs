//! What an entry changes, and why it is refused.

use super::*;

#[test]
fn a_position_out_of_range_is_a_fault() {
    for (latitude, longitude, accuracy, faults) in [
        (Some(90.0), Some(-180.0), None, 0),
        (Some(90.1), Some(180.1), Some(-0.1), 3),
        (None, Some(1.0), Some(0.0), 1),
        (Some(f64::NAN), Some(0.0), None, 1),
    ] {
        let position = Some(ReportPositionDraft { latitude, longitude, accuracy });
        let draft = EntryDraft { position, ..draft(1, EntryType::Note, None) };
        let checked =
            ReportsDraft(vec![draft]).check(&HashMap::new(), &Existing::default(), &rules());
        match checked {
            Ok(_) => assert_eq!(faults, 0),
            Err(patrol_domain::Refusal::Invalid(found)) => assert_eq!(found.len(), faults),
            Err(other) => panic!("{other:?}"),
        }
    }
}

/// The round of [`planned`], in progress since the minute 0.
fn started() -> Round {
    let mut execution = planned();
    execution.progress = Progress::InProgress { started_at: at(0) };
    round(execution)
}

/// The only answer to one entry.
fn answer(round: Round, entry: &EntryDraft) -> Answer {
    let (_, mut answers) = perform(round, &checked(std::slice::from_ref(entry)));
    assert_eq!(answers.len(), 1);
    answers.remove(0)
}

fn refusal(round: Round, entry: &EntryDraft) -> Option<RefusalCode> {
    match answer(round, entry) {
        Answer::Stored(Report { outcome: EntryOutcome::Refused(code), .. }) => Some(code),
        Answer::Stored(_) => None,
        other => panic!("{other:?}"),
    }
}

/// A RESULT of an action of a step.
fn result(number: u128, step: u128, action: u128, yes: bool) -> EntryDraft {
    EntryDraft {
        action_id: Some(ActionId(id(action))),
        boolean_value: Some(yes),
        ..draft(number, EntryType::Result, Some(step))
    }
}

#[test]
fn of_several_reasons_the_state_comes_first_and_the_value_last() {
    use RefusalCode::{Reference, State, Value};
    let pending = || round(planned());
    let mut completed = started();
    completed.execution.progress = Progress::Completed { started_at: at(0), ended_at: at(1) };
    // The step 9 does not exist, the action 21 is of the step 2, and 12 is a TEXT.
    for (round, entry, expected) in [
        (pending(), result(1, 9, 12, true), Some(State)),
        (completed.clone(), result(1, 1, 12, true), Some(State)),
        (started(), result(1, 9, 12, true), Some(Reference)),
        (started(), result(1, 1, 21, true), Some(Reference)),
        (started(), result(1, 1, 99, true), Some(Reference)),
        (started(), result(1, 1, 12, true), Some(Value)),
        (started(), result(1, 1, 11, true), None),
        (started(), draft(1, EntryType::Start, None), Some(State)),
        (pending(), draft(1, EntryType::Complete, None), Some(State)),
        (pending(), draft(1, EntryType::Note, Some(9)), Some(Reference)),
        (completed, draft(1, EntryType::Note, Some(1)), None),
    ] {
        assert_eq!(refusal(round, &entry), expected, "{entry:?}");
    }
}

#[test]
fn a_round_never_ends_before_its_start() {
    let mut round = started();
    round.execution.progress = Progress::InProgress { started_at: at(30) };
    let (execution, _) = perform(round, &checked(&[draft(5, EntryType::Complete, None)]));
    let once = Progress::Completed { started_at: at(30), ended_at: at(30) };
    assert_eq!(execution.progress, once);
}

#[test]
fn a_refused_entry_is_compared_with_nothing_later() {
    let here = |longitude| {
        let position =
            ReportPositionDraft { latitude: Some(0.0), longitude: Some(longitude), accuracy: None };
        Some(position)
    };
    let unknown = EntryDraft { position: here(90.0), ..draft(50, EntryType::FinishStep, Some(9)) };
    let note = EntryDraft { position: here(0.0), ..draft(10, EntryType::Note, None) };
    let (before, entries) = (started(), checked(&[unknown, note]));
    let (execution, answers) = perform(before.clone(), &entries);
    assert_eq!(execution, before.execution);
    let [Answer::Stored(refused), Answer::Stored(note)] = &answers[..] else {
        panic!("{answers:?}")
    };
    assert!(!refused.is_accepted());
    assert_eq!(note.outcome, EntryOutcome::Accepted { number: 1, verdicts: vec![] });
}

#[test]
fn an_id_belongs_to_one_entry_of_one_round() {
    let refused = draft(1, EntryType::FinishStep, Some(9));
    let (_, answers) = perform(started(), &checked(std::slice::from_ref(&refused)));
    let [Answer::Stored(stored)] = &answers[..] else { panic!("{answers:?}") };
    let known = HashMap::from([(stored.entry.id, stored.clone())]);
    let conflict = Answer::Conflict(stored.entry.id);

    let here = Round { known: known.clone(), ..started() };
    assert_eq!(answer(here.clone(), &refused), answers[0], "tried again");
    let other = draft(1, EntryType::FinishStep, Some(1));
    assert_eq!(answer(here, &other), conflict);
    let mut elsewhere = Round { known, ..started() };
    elsewhere.execution.id = patrol_domain::ids::TaskExecutionId(id(7));
    assert_eq!(answer(elsewhere, &refused), conflict);
    let (_, answers) = perform(started(), &checked(&[refused, other]));
    assert_eq!(answers[1], conflict);
}

#[test]
fn an_entry_is_of_the_user_who_sent_it_first() {
    let by = |user: u128| Origin { actor: Some(UserId(id(user))), ..Origin::of_program(at(60)) };
    let send = |round: Round, entry: &Entry, user: u128| {
        round.perform(std::slice::from_ref(entry), PresenceRadius::default(), &by(user))
    };
    let again = |execution: TaskExecution, first: &Answer| {
        let Answer::Stored(report) = first else { panic!("{first:?}") };
        let known = HashMap::from([(report.entry.id, report.clone())]);
        Round { known, ..round(execution) }
    };
    let start = checked(&[draft(1, EntryType::Start, None)]).remove(0);
    let first = send(round(planned()), &start, 7);
    assert_eq!(first.execution.performer_id, Some(UserId(id(7))));
    let second = send(again(first.execution.clone(), &first.answers[0]), &start, 8);
    let Answer::Stored(stored) = &first.answers[0] else { panic!("{first:?}") };
    assert_eq!(second.answers, [Answer::Duplicate(stored.clone())]);
    let named = Entry { performer_id: Some(UserId(id(8))), ..start.clone() };
    let other = send(again(first.execution, &first.answers[0]), &named, 8);
    assert_eq!(other.answers, [Answer::Conflict(stored.entry.id)]);

    // Refused at first, it is tried again for the user who sent it first.
    let refused = send(started(), &start, 7);
    let taken = send(again(planned(), &refused.answers[0]), &start, 8);
    assert_eq!(taken.execution.performer_id, Some(UserId(id(7))));
}

#[test]
fn what_took_effect_may_name_what_was_deleted_since() {
    let media = Some(vec![id(98).into()]);
    let note = EntryDraft { media_ids: media, ..draft(1, EntryType::Note, None) };
    let performer_id = Some(UserId(id(99)));
    let start = EntryDraft { performer_id, ..draft(2, EntryType::Start, None) };
    let drafts = ReportsDraft(vec![note, start]);
    let nothing = Existing::default();
    let found = faults(drafts.check(&HashMap::new(), &nothing, &rules()));
    let found: Vec<_> = found.iter().map(|(identifier, _)| identifier.as_str()).collect();
    assert_eq!(found, ["[0].mediaIds[0]", "[1].performerId"]);
    let report = |outcome: EntryOutcome| {
        let of = |(number, kind): (u128, EntryType)| {
            let [entry] = &checked(&[draft(number, kind, None)])[..] else { panic!("one entry") };
            let (execution_id, entry) = (planned().id, entry.clone());
            let (user_id, received_at, outcome) = (None, at(1), outcome.clone());
            (entry.id, Report { execution_id, entry, user_id, received_at, outcome })
        };
        [(1, EntryType::Note), (2, EntryType::Start)].map(of).into()
    };
    let accepted = report(EntryOutcome::Accepted { number: 1, verdicts: vec![] });
    assert_eq!(drafts.check(&accepted, &nothing, &rules()).unwrap().len(), 2);
    let refused = report(EntryOutcome::Refused(RefusalCode::State));
    assert_eq!(faults(drafts.check(&refused, &nothing, &rules())).len(), 2);
}
