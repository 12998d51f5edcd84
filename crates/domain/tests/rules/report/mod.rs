//! The entries of reports.

mod data_set;
mod effects;
mod verdicts;

use std::collections::{HashMap, HashSet};

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
    task_execution::{ActionType, Outcome, Progress, State, TaskExecution},
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
    draft.check(&HashMap::new(), &Existing::default(), &rules()).unwrap()
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
            if let Some(number) = report.number() {
                state.last = LastAccepted { number, at: Some(report.entry.at), position: None };
            }
            state.known.insert(report.entry.id, report);
        }
    }
    (state.execution, state.known)
}

/// The accepted entries, in the order in which they took effect.
fn in_order(known: &HashMap<ReportId, Report>) -> Vec<&Report> {
    let mut accepted: Vec<_> = known.values().filter(|report| report.is_accepted()).collect();
    accepted.sort_unstable_by_key(|report| report.number());
    accepted
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

/// Entries of which many are refused: of a step that is not there, of the action of another step, with the value of
/// another type.
fn any_doubtful_entry() -> impl Strategy<Value = EntryDraft> {
    (any_entry(), 0_u8..8, 1_u128..4, 1_u128..3).prop_map(|(mut draft, fault, step, action)| {
        match fault {
            0 => draft.action_id = Some(ActionId(id(step * 10 + action))),
            1 if draft.boolean_value.is_some() => {
                (draft.boolean_value, draft.text_value) = (None, Some("dry".to_owned()));
            }
            1 => (draft.boolean_value, draft.text_value) = (Some(true), None),
            _ => {}
        }
        draft
    })
}

/// What the rules say of an entry.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Expected {
    Accepted,
    Duplicate,
    Conflict,
    Refused(RefusalCode),
}

/// What the rules say of each entry, from the entries before it alone.
fn expected(entries: &[Entry]) -> Vec<Expected> {
    let mut kept: HashMap<ReportId, (&Entry, Expected)> = HashMap::new();
    let mut all = Vec::new();
    for entry in entries {
        let has = |kind| {
            let mut before = kept.values();
            before.any(|(entry, outcome)| *outcome == Expected::Accepted && entry.kind == kind)
        };
        let is_right_state = match entry.kind {
            EntryType::Note => true,
            EntryType::Start => !has(EntryType::Start),
            _ => has(EntryType::Start) && !has(EntryType::Complete),
        };
        let is_of_step = entry.kind != EntryType::Start && entry.kind != EntryType::Complete;
        let is_result = entry.kind == EntryType::Result;
        let step = entry.step_id.filter(|_| is_of_step).map(|step| step.0.as_u128());
        let action = entry.action_id.filter(|_| is_result).map(|action| action.0.as_u128());
        let is_there = step.is_none_or(|step| {
            step <= 2
                && action.is_none_or(|action| [step * 10 + 1, step * 10 + 2].contains(&action))
        });
        let is_boolean = entry.boolean_value.is_some();
        let fits = action.is_none_or(|action| is_boolean == (action % 10 == 1));
        let now = match kept.get(&entry.id) {
            Some((known, _)) if *known != entry => Expected::Conflict,
            Some((_, Expected::Accepted)) => Expected::Duplicate,
            _ if !is_right_state => Expected::Refused(RefusalCode::State),
            _ if !is_there => Expected::Refused(RefusalCode::Reference),
            _ if !fits => Expected::Refused(RefusalCode::Value),
            _ => Expected::Accepted,
        };
        if matches!(now, Expected::Accepted | Expected::Refused(_)) {
            kept.insert(entry.id, (entry, now));
        }
        all.push(now);
    }
    all
}

proptest! {
    /// Each entry takes effect, does nothing or is refused as the rules say.
    #[test]
    fn entries_are_accepted_and_refused_by_the_rules(
        drafts in prop::collection::vec(any_doubtful_entry(), 1..60),
    ) {
        let entries = checked(&drafts);
        let (_, answers) = perform(round(planned()), &entries);
        let answers = answers.iter().map(|answer| match answer {
            Answer::Stored(report) => match report.outcome {
                EntryOutcome::Accepted { .. } => Expected::Accepted,
                EntryOutcome::Refused(code) => Expected::Refused(code),
            },
            Answer::Duplicate(_) => Expected::Duplicate,
            Answer::Conflict(_) => Expected::Conflict,
        });
        prop_assert_eq!(answers.collect::<Vec<_>>(), expected(&entries));
    }

    /// The states follow from the accepted entries alone.
    #[test]
    fn the_round_agrees_with_its_accepted_entries(drafts in prop::collection::vec(any_entry(), 1..40)) {
        let entries = checked(&drafts);
        let (after, known) = send(&entries.iter().map(std::slice::from_ref).collect::<Vec<_>>());
        let accepted: Vec<_> = in_order(&known).into_iter().map(|report| &report.entry).collect();
        let of = |kind| accepted.iter().filter(move |entry| entry.kind == kind);
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
            let of_step = |entry: &&Entry| entry.step_id == Some(step.id) && entry.kind != EntryType::Note;
            let own: Vec<_> = accepted.iter().copied().filter(of_step).collect();
            prop_assert_eq!(step.started_at, own.first().map(|entry| entry.at));
            let completes = |at: &usize| match own[*at].kind {
                EntryType::FinishStep => true,
                EntryType::Result => {
                    let results = own[..=*at].iter().filter_map(|entry| entry.action_id);
                    results.collect::<HashSet<_>>().len() == step.actions.len()
                }
                _ => false,
            };
            let end = (0..own.len()).find(completes).map(|at| own[at].at);
            let expected = match end {
                Some(_) => State::Completed,
                None if own.is_empty() => State::Pending,
                None => State::InProgress,
            };
            prop_assert_eq!((step.state, step.ended_at), (expected, end));
            let mut scanned: Vec<_> = of(EntryType::Scan).map(|entry| entry.step_id).collect();
            let mut seen = HashSet::new();
            scanned.retain(|step| seen.insert(*step));
            let place = scanned.iter().position(|scanned| *scanned == Some(step.id));
            prop_assert_eq!(step.actual_order, place.map(|place| i32::try_from(place + 1).unwrap()));
            for action in &step.actions {
                let last = own.iter().rev().find(|entry| entry.action_id == Some(action.id));
                let outcome = last.map(|entry| match (entry.boolean_value, &entry.text_value) {
                    (Some(yes), _) => Outcome::Boolean(yes),
                    (None, text) => Outcome::Text(text.clone().unwrap()),
                });
                prop_assert_eq!(&action.outcome, &outcome);
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
        let mut replay = Replay::of(&imported);
        in_order(&known).into_iter().for_each(|report| replay.add(report));
        prop_assert_eq!(replay.derived(imported), after);
    }

    /// Sent in any number of requests, and sent again in part, entries end in the same round.
    #[test]
    fn what_is_sent_again_changes_nothing(
        drafts in prop::collection::vec(any_entry(), 1..30), cut in 0_usize..30, again in 0_usize..30,
    ) {
        // START comes first, so that no entry is refused for being early and tried again later.
        let mut seen = HashSet::new();
        let mut all = vec![draft(100, EntryType::Start, None)];
        let open = drafts.into_iter().filter(|draft| draft.kind.as_deref() != Some("START"));
        all.extend(open.filter(|draft| seen.insert(draft.id)));
        let entries = checked(&all);
        let (cut, again) = (cut.min(entries.len()), again.min(entries.len()));
        // A refused entry that is sent again may be refused for another reason.
        let accepted = |parts: &[&[Entry]]| {
            let (round, mut reports) = send(parts);
            reports.retain(|_, report| report.is_accepted());
            (round, reports)
        };
        let once = accepted(&[&entries]);
        let (first, rest) = entries.split_at(cut);
        prop_assert_eq!(&accepted(&[first, rest]), &once);
        prop_assert_eq!(&accepted(&[first, &entries[..again], &entries, &entries[again..]]), &once);
    }
}
