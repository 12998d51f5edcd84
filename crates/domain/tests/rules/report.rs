//! The entries of reports.

use std::collections::HashMap;

use patrol_domain::{
    Existing, Timestamp,
    data_set::{ReportRecordDraft, VerdictDraft},
    event::Origin,
    ids::{ActionId, ReportId, StepId, UserId},
    location::Position,
    point::{Point, PointType},
    report::{
        Answer, Entry, EntryDraft, EntryOutcome, EntryType, LastAccepted, PresenceRadius,
        RefusalCode, Replay, Report, ReportPositionDraft, ReportsDraft, Round,
    },
    task_execution::{ActionType, Progress, State, TaskExecution},
};
use proptest::prelude::*;

use crate::sample::{action, at, execution, faults, id, rules, step};

/// A PENDING round of two steps (1 and 2), each with a BOOLEAN (11, 21) and a TEXT (12, 22).
fn planned() -> TaskExecution {
    let steps = [1, 2].map(|number| {
        let actions = vec![
            action(number * 10 + 1, ActionType::Boolean),
            action(number * 10 + 2, ActionType::Text),
        ];
        let mut step = step(number, actions);
        (step.state, step.actual_order) = (State::Pending, None);
        step
    });
    let progress = Progress::Pending;
    TaskExecution { progress, steps: steps.to_vec(), ..execution() }
}

fn round(execution: TaskExecution) -> Round {
    let (points, known) = (HashMap::new(), HashMap::new());
    Round { execution, points, known, last: LastAccepted::default() }
}

fn draft(number: u128, kind: EntryType, step: Option<u128>) -> EntryDraft {
    EntryDraft {
        id: Some(ReportId(id(number))),
        kind: Some(patrol_domain::Named::name(kind).to_owned()),
        at: Some(at(i64::try_from(number).unwrap() % 60)),
        step_id: step.map(|step| StepId(id(step))),
        technology: Some("QR".to_owned()),
        ..EntryDraft::default()
    }
}

fn checked(drafts: &[EntryDraft]) -> Vec<Entry> {
    let draft = ReportsDraft(drafts.to_vec());
    draft.check(Some(UserId(id(103))), &Existing::default(), &rules()).unwrap()
}

fn perform(round: Round, entries: &[Entry]) -> (TaskExecution, Vec<Answer>) {
    let by = Origin::of_program(at(60));
    let performed = round.perform(entries, PresenceRadius::default(), &by);
    (performed.execution, performed.answers)
}

/// Sends the entries in these parts, as a store would keep them between requests. Returns the round and all
/// stored entries.
fn send(parts: &[&[Entry]]) -> (TaskExecution, HashMap<ReportId, Report>) {
    let mut state = round(planned());
    for part in parts {
        let before = state.clone();
        let (execution, answers) = perform(before, part);
        state.execution = execution;
        for answer in answers {
            let Answer::Stored(report) = answer else { continue };
            if let EntryOutcome::Accepted { number, .. } = report.outcome {
                state.last = LastAccepted { number, at: Some(report.entry.at), position: None };
            }
            state.known.insert(report.entry.id, report);
        }
    }
    (state.execution, state.known)
}

fn any_entry() -> impl Strategy<Value = EntryDraft> {
    let kinds = prop::sample::select(vec![
        EntryType::Start,
        EntryType::Scan,
        EntryType::Result,
        EntryType::FinishStep,
        EntryType::Note,
        EntryType::Complete,
    ]);
    (1_u128..40, kinds, 1_u128..4, 1_u128..3, any::<bool>()).prop_map(
        |(number, kind, step, action, yes)| EntryDraft {
            action_id: Some(ActionId(id(step * 10 + action))),
            boolean_value: (action == 1).then_some(yes),
            text_value: (action == 2).then(|| "dry".to_owned()),
            ..draft(number, kind, Some(step))
        },
    )
}

proptest! {
    /// The states follow from the accepted entries alone.
    #[test]
    fn the_round_agrees_with_its_accepted_entries(drafts in prop::collection::vec(any_entry(), 1..40)) {
        let entries = checked(&drafts);
        let (after, known) = send(&entries.iter().map(std::slice::from_ref).collect::<Vec<_>>());
        let mut accepted: Vec<_> = known
            .values()
            .filter_map(|report| match report.outcome {
                EntryOutcome::Accepted { number, .. } => Some((number, &report.entry)),
                EntryOutcome::Refused(_) => None,
            })
            .collect();
        accepted.sort_unstable_by_key(|(number, _)| *number);
        let of = |kind| accepted.iter().filter(move |(_, entry)| entry.kind == kind);
        let expected = match (of(EntryType::Start).count(), of(EntryType::Complete).count()) {
            (0, 0) => State::Pending,
            (1, 0) => State::InProgress,
            (1, 1) => State::Completed,
            other => panic!("{other:?}"),
        };
        prop_assert_eq!(after.progress.state(), expected);
        let flags = known.values().filter(|report| !report.verdicts().is_empty()).count();
        prop_assert_eq!(usize::try_from(after.flag_count).unwrap(), flags);
        for step in &after.steps {
            let own: Vec<_> = accepted
                .iter()
                .filter(|(_, entry)| entry.step_id == Some(step.id) && entry.kind != EntryType::Note)
                .collect();
            prop_assert_eq!(step.started_at, own.first().map(|(_, entry)| entry.at));
            let is_done = own.iter().any(|(_, entry)| entry.kind == EntryType::FinishStep)
                || step.actions.iter().all(|action| action.outcome.is_some());
            let expected = if is_done {
                State::Completed
            } else if own.is_empty() {
                State::Pending
            } else {
                State::InProgress
            };
            prop_assert_eq!((step.state, step.ended_at.is_some()), (expected, is_done));
            let scanned = own.iter().any(|(_, entry)| entry.kind == EntryType::Scan);
            prop_assert_eq!(step.actual_order.is_some(), scanned);
            for action in &step.actions {
                let last = own.iter().rev().find(|(_, entry)| entry.action_id == Some(action.id));
                prop_assert_eq!(action.outcome.is_some(), last.is_some());
            }
        }
    }

    /// What an import derives from the accepted entries is what followed from them when they were sent.
    #[test]
    fn a_replay_agrees_with_the_round(drafts in prop::collection::vec(any_entry(), 1..40)) {
        let entries = checked(&drafts);
        let (after, known) = send(&entries.iter().map(std::slice::from_ref).collect::<Vec<_>>());
        let mut imported = after.clone();
        imported.flag_count = 0;
        for step in &mut imported.steps {
            (step.started_at, step.ended_at) = (None, None);
        }
        let mut accepted: Vec<_> = known.values().filter(|report| report.is_accepted()).collect();
        accepted.sort_unstable_by_key(|report| match report.outcome {
            EntryOutcome::Accepted { number, .. } => number,
            EntryOutcome::Refused(_) => 0,
        });
        let mut replay = Replay::of(&imported);
        accepted.into_iter().for_each(|report| replay.add(report));
        prop_assert_eq!(replay.derived(imported), after);
    }

    /// Sent in any number of requests, and sent again in part, entries end in the same round.
    #[test]
    fn what_is_sent_again_changes_nothing(
        drafts in prop::collection::vec(any_entry(), 1..30), cut in 0_usize..30, again in 0_usize..30,
    ) {
        // START comes first, so that no entry is refused for being early and tried again later.
        let mut seen = std::collections::HashSet::new();
        let mut all = vec![draft(100, EntryType::Start, None)];
        let open = drafts.into_iter().filter(|draft| draft.kind.as_deref() != Some("START"));
        all.extend(open.filter(|draft| seen.insert(draft.id)));
        let entries = checked(&all);
        let (cut, again) = (cut.min(entries.len()), again.min(entries.len()));
        // A refused entry that is sent again may be refused for another reason.
        let accepted = |parts: &[&[Entry]]| {
            let (round, mut reports) = send(parts);
            reports.retain(|_, report| matches!(report.outcome, EntryOutcome::Accepted { .. }));
            (round, reports)
        };
        let once = accepted(&[&entries]);
        let (first, rest) = entries.split_at(cut);
        prop_assert_eq!(&accepted(&[first, rest]), &once);
        prop_assert_eq!(&accepted(&[first, &entries[..again], &entries, &entries[again..]]), &once);
    }
}

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
        let checked = ReportsDraft(vec![draft]).check(None, &Existing::default(), &rules());
        match checked {
            Ok(_) => assert_eq!(faults, 0),
            Err(patrol_domain::Refusal::Invalid(found)) => assert_eq!(found.len(), faults),
            Err(other) => panic!("{other:?}"),
        }
    }
}

/// The verdicts on one entry of a started round whose second step is at this point.
fn odd(
    entry: &EntryDraft,
    point: Option<Point>,
    last: LastAccepted,
    now: Timestamp,
) -> Vec<String> {
    let mut started = planned();
    started.progress = Progress::InProgress { started_at: at(0) };
    let mut round = round(started);
    round.last = last;
    if let Some(point) = point {
        round.points.insert(round.execution.steps[1].point_id.unwrap(), point);
    }
    let by = Origin::of_program(now);
    let entries = checked(std::slice::from_ref(entry));
    let performed = round.perform(&entries, PresenceRadius::default(), &by);
    let [Answer::Stored(report)] = &performed.answers[..] else { panic!("{performed:?}") };
    report
        .verdicts()
        .iter()
        .map(|verdict| {
            let code = patrol_domain::Named::name(verdict.code);
            [&[code.to_owned()][..], &verdict.args].concat().join(" ")
        })
        .collect()
}

fn coded(qr_code: Option<&str>, rfid_code: Option<&str>) -> Point {
    let sample = planned();
    let (point, location) = (sample.steps[1].point_id.unwrap(), sample.location_id);
    Point {
        qr_code: qr_code.map(str::to_owned),
        rfid_code: rfid_code.map(str::to_owned),
        ..Point::new(point, location, "Gate", PointType::Qr)
    }
}

#[test]
fn codes_are_compared_by_technology() {
    for (technology, code, verdict) in [
        ("QR", Some("q"), None),
        ("QR", Some("r"), Some("presence.code.mismatch")),
        ("QR", None, Some("presence.code.missing")),
        ("RFID", Some("r"), None),
        ("NFC", Some("q"), Some("presence.code.mismatch")),
        ("VIRTUAL", None, None),
        ("BLE", Some("x"), None),
    ] {
        let scan = EntryDraft {
            technology: Some(technology.to_owned()),
            code: code.map(str::to_owned),
            ..draft(1, EntryType::Scan, Some(2))
        };
        let mut expected: Vec<_> = verdict.into_iter().collect();
        expected.retain(|code| !code.is_empty());
        let found = odd(&scan, Some(coded(Some("q"), Some("r"))), LastAccepted::default(), at(2));
        assert_eq!(found, expected, "{technology} {code:?}");
        assert!(odd(&scan, Some(coded(None, None)), LastAccepted::default(), at(2)).is_empty());
    }
}

#[test]
fn distances_are_right_to_a_metre() {
    // Distances on a sphere with a radius of 6,371,008.8 m.
    for (latitude, longitude, metres) in
        [(0.0, 0.089_932_036, "10000"), (0.089_932_036, 0.0, "10000"), (60.0, 0.0, "6671705")]
    {
        let point = Point {
            position: Some(Position { latitude: 0.0, longitude: 0.0 }),
            ..coded(None, None)
        };
        let position = ReportPositionDraft {
            latitude: Some(latitude),
            longitude: Some(longitude),
            accuracy: Some(12.4),
        };
        let scan = EntryDraft { position: Some(position), ..draft(1, EntryType::Scan, Some(2)) };
        let found = odd(&scan, Some(point), LastAccepted::default(), at(2));
        assert_eq!(found, [format!("presence.distance {metres} 112")]);
    }
}

#[test]
fn clocks_and_speeds_have_their_limits() {
    let entry = |second: i64, longitude: f64| EntryDraft {
        at: Timestamp::from_millis(at(10).millis() + second * 1_000),
        position: Some(ReportPositionDraft {
            latitude: Some(0.0),
            longitude: Some(longitude),
            accuracy: None,
        }),
        ..draft(1, EntryType::Note, None)
    };
    let here = Position { latitude: 0.0, longitude: 0.0 };
    let last = LastAccepted { number: 1, at: Some(at(10)), position: Some((at(10), here)) };
    // 0.0003 degrees are 33.4 m: 120 km/h in a second, and 240 km/h in half of it, which counts as one.
    assert!(odd(&entry(1, 0.000_3), None, last, at(10)).is_empty());
    assert_eq!(odd(&entry(1, 0.000_4), None, last, at(10)), ["presence.speed 160"]);
    assert_eq!(odd(&entry(-1, 0.000_3), None, last, at(10)), ["clock.backwards"]);
    assert!(odd(&entry(120, 0.0), None, last, at(10)).is_empty());
    assert_eq!(odd(&entry(121, 0.0), None, last, at(10)), ["clock.ahead"]);
    assert!(odd(&entry(0, 0.0), None, last, at(10 + 24 * 60)).is_empty());
    assert_eq!(odd(&entry(0, 0.0), None, last, at(11 + 24 * 60)), ["late.upload"]);
}

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
