//! [`Reports`](patrol_domain::report::Reports).

use std::collections::{HashMap, HashSet};

use patrol_domain::{
    EditError, Existing, Limits, Refusal, Rules, Target,
    data_set::Record,
    event::{EventQuery, Origin},
    ids::{MediaId, ReportId},
    list::{Condition, Direction, Membership, Sort, Test},
    report::{
        Answer, Entry, EntryDraft, EntryOutcome, EntryType, LastAccepted, NewReports, Performed,
        PresenceRadius, RefusalCode, Report, ReportFilter, ReportList, ReportPositionDraft,
        ReportSort, ReportsDraft, Round, VerdictCode,
    },
    task_execution::{ActionType, State, TaskExecution},
};
use proptest::{collection::vec, sample::select, strategy::Strategy};

use crate::{
    Adapter, Ports, arbitrary,
    listing::{everything, meeting, read},
    records::found,
    sample::{
        by, execution, execution_id, exported, fill, id, import, time, user_id, whole_execution,
    },
};

fn entry_id(number: u128) -> ReportId {
    id(15, number)
}

/// An entry at this second after 1970.
fn entry(number: u128, kind: &str, second: i64) -> EntryDraft {
    EntryDraft {
        id: Some(entry_id(number)),
        kind: Some(kind.to_owned()),
        at: Some(time(second * 1_000)),
        ..EntryDraft::default()
    }
}

fn note(number: u128, second: i64) -> EntryDraft {
    EntryDraft { text_value: Some("Дождь".to_owned()), ..entry(number, "NOTE", second) }
}

/// An entry of this round in a data set: a note, or a START if it was refused. The users, the media and the
/// step do not exist.
pub(crate) fn of_report(round: u128, number: u128, outcome: EntryOutcome) -> Record {
    let draft = ReportsDraft(vec![match &outcome {
        EntryOutcome::Refused(_) => entry(number, "START", 9),
        EntryOutcome::Accepted { .. } => EntryDraft {
            position: Some(ReportPositionDraft {
                latitude: Some(59.93),
                longitude: Some(-0.5),
                accuracy: Some(3.5),
            }),
            step_id: Some(id(14, 99)),
            ..note(number, 3)
        },
    }]);
    let rules = Rules { limits: Limits::default(), is_email: |_| true };
    let mut entries = draft.check(&HashMap::new(), &Existing::default(), &rules).expect("entries");
    let mut entry = entries.remove(0);
    entry.performer_id = (entry.kind == EntryType::Start).then_some(user_id(99));
    entry.media_ids = vec![id(16, number), id(16, 1)];
    let (execution_id, user_id) = (execution_id(round), Some(user_id(98)));
    Report { execution_id, entry, user_id, received_at: time(7), outcome }.into()
}

/// Accepted without verdicts.
pub(crate) const ACCEPTED: EntryOutcome =
    EntryOutcome::Accepted { number: 0, verdicts: Vec::new() };

/// `records` without the numbers of accepted entries, which an import gives.
pub(crate) fn unnumbered(mut records: Vec<Record>) -> Vec<Record> {
    for record in &mut records {
        if let Record::Report(report) = record
            && let EntryOutcome::Accepted { number, .. } = &mut report.outcome
        {
            *number = 0;
        }
    }
    records
}

async fn filled<A: Adapter>(adapter: &A) -> Ports {
    let ports = adapter.fresh().await;
    fill(&ports, &[execution(1), execution(2)]).await;
    ports
}

/// A note in this round that names media.
pub(crate) async fn note_with(
    ports: &Ports,
    round: u128,
    number: u128,
    media: &[MediaId],
) -> Result<Performed, EditError> {
    report(ports, round, &[EntryDraft { media_ids: Some(media.to_vec()), ..note(number, 1) }]).await
}

async fn report(
    ports: &Ports,
    round: u128,
    entries: &[EntryDraft],
) -> Result<Performed, EditError> {
    let draft = ReportsDraft(entries.to_vec());
    let rules = Rules { limits: Limits::default(), is_email: |_| true };
    let new = NewReports::of(execution_id(round), draft, move |draft, round, existing| {
        let entries = draft.check(&round.known, existing, &rules)?;
        Ok(round.perform(&entries, PresenceRadius::default(), &by_guard()))
    });
    ports.reports.report(new, by_guard()).await
}

fn by_guard() -> Origin {
    Origin { actor: Some(user_id(1)), ..by() }
}

/// The rounds that random entries are sent to, and their entries.
const WALKS: usize = 25;

/// A PENDING round with steps and actions, without points.
fn planned(number: u128) -> TaskExecution {
    let mut round = execution(number);
    round.steps = whole_execution(number).steps;
    for step in &mut round.steps {
        (step.state, step.actual_order, step.point_id) = (State::Pending, None, None);
        step.actions.iter_mut().for_each(|action| action.outcome = None);
    }
    round
}

/// This round before any entry.
fn untouched(number: u128) -> Round {
    let (points, known) = (HashMap::new(), HashMap::new());
    Round { execution: planned(number), points, known, last: LastAccepted::default() }
}

/// An entry of any kind, of a step of this round by its index.
fn any_entry() -> impl Strategy<Value = (u128, &'static str, usize, usize)> {
    let kinds = select(vec!["START", "SCAN", "RESULT", "FINISH_STEP", "NOTE", "COMPLETE"]);
    (1_u128..15, kinds, 0_usize..2, 0_usize..5)
}

/// The entry for this round. Ids of a walk are its own.
fn drafted(
    round: &TaskExecution,
    walk: u128,
    (number, kind, step, action): (u128, &str, usize, usize),
) -> EntryDraft {
    let number = 100 * (walk + 1) + number;
    let second = i64::try_from(number).expect("a small number");
    let step = &round.steps[step % round.steps.len()];
    let action = &step.actions[action % step.actions.len()];
    let is_result = kind == "RESULT";
    let is_yes_or_no = matches!(action.kind, ActionType::Boolean | ActionType::Media);
    EntryDraft {
        step_id: (kind != "START" && kind != "COMPLETE").then_some(step.id),
        technology: (kind == "SCAN").then(|| "QR".to_owned()),
        action_id: is_result.then_some(action.id),
        // Of a wrong type for media.
        boolean_value: (is_result && is_yes_or_no).then_some(true),
        number_value: (is_result && action.kind == ActionType::Number).then_some(0.5),
        text_value: (kind == "NOTE" || (is_result && action.kind == ActionType::Text))
            .then(|| "dry".to_owned()),
        ..entry(number, kind, second)
    }
}

/// Random entries in random requests to two rounds, some of them again and with ids of the other round, are
/// answered as by a store that only keeps a map, and end in the same rounds.
pub async fn random_entries_end_as_a_model_says<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let numbers = 1..=u128::try_from(2 * WALKS).expect("a small number");
    fill(&ports, &numbers.map(planned).collect::<Vec<_>>()).await;
    let rules = Rules { limits: Limits::default(), is_email: |_| true };
    let requests = vec((0_usize..2, vec(any_entry(), 1..6)), 1..16);
    for (walk, requests) in (0_u128..).zip(arbitrary::some(WALKS, requests)) {
        let mut rounds = [2 * walk + 1, 2 * walk + 2].map(|number| (number, untouched(number)));
        for (of, entries) in requests {
            let (number, round) = &mut rounds[of];
            let drafts: Vec<_> =
                entries.into_iter().map(|entry| drafted(&round.execution, walk, entry)).collect();
            let checked = ReportsDraft(drafts.clone());
            let checked = checked.check(&round.known, &Existing::default(), &rules);
            let expected = round.clone().perform(
                &checked.expect("entries"),
                PresenceRadius::default(),
                &by_guard(),
            );
            let performed = report(&ports, *number, &drafts).await.expect("a report");
            assert_eq!(performed, expected);
            round.execution = expected.execution;
            let mut stored = Vec::new();
            for answer in expected.answers {
                let Answer::Stored(report) = answer else { continue };
                if let EntryOutcome::Accepted { number, .. } = report.outcome {
                    let at = Some(report.entry.at);
                    round.last = LastAccepted { number, at, position: None };
                }
                stored.push((report.entry.id, report));
            }
            for (_, round) in &mut rounds {
                round.known.extend(stored.clone());
            }
        }
        for (number, round) in rounds {
            let stored = ports.task_executions.get(execution_id(number)).await.unwrap().unwrap();
            assert_eq!(stored.record, round.execution);
            let mut kept: Vec<_> = round.known.into_values().collect();
            kept.retain(|report| report.execution_id == execution_id(number));
            let mut listed = listed(&ports, number).await;
            for reports in [&mut kept, &mut listed] {
                reports.sort_unstable_by_key(|report| report.entry.id);
            }
            assert_eq!(listed, kept);
        }
    }
}

/// Two devices send the entries of a walk at once, one its beginning and the other its end, in requests of any size,
/// and then both all of it: the round ends as if each accepted entry had been sent once, in the order of arrival, and
/// no entry is lost.
pub async fn parts_from_two_devices_end_as_each_entry_once<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let numbers = 1..=u128::try_from(WALKS).expect("a small number");
    fill(&ports, &numbers.map(planned).collect::<Vec<_>>()).await;
    let walks = (vec(any_entry(), 1..20), 0_usize..20, 0_usize..20, 1_usize..8);
    for (walk, (entries, cut, other, size)) in (0_u128..).zip(arbitrary::some(WALKS, walks)) {
        let number = walk + 1;
        let round = planned(number);
        let mut drafts = vec![drafted(&round, walk, (0, "START", 0, 0))];
        for (at, (_, kind, step, action)) in (1..).zip(entries) {
            drafts.push(drafted(&round, walk, (at, kind, step, action)));
        }
        let (cut, other) = (cut.min(drafts.len()), other.min(drafts.len()));
        let devices = [&drafts[..cut], &drafts[other..]].map(|part| {
            let parts: Vec<_> =
                part.chunks(size).chain(drafts.chunks(size)).map(<[_]>::to_vec).collect();
            let ports = ports.clone();
            tokio::spawn(async move {
                for part in parts {
                    report(&ports, number, &part).await.expect("a report");
                }
            })
        });
        for device in devices {
            device.await.expect("no panic");
        }
        let mut kept = listed(&ports, number).await;
        let ids: HashSet<_> = kept.iter().map(|report| report.entry.id).collect();
        assert_eq!(ids, drafts.iter().filter_map(|draft| draft.id).collect());
        assert_eq!(kept.len(), drafts.len());
        kept.retain(Report::is_accepted);
        kept.sort_unstable_by_key(Report::number);
        let entries: Vec<_> = kept.iter().map(|report| report.entry.clone()).collect();
        let once = untouched(number).perform(&entries, PresenceRadius::default(), &by_guard());
        let stored = found::<TaskExecution>(&ports, execution_id(number)).await;
        assert_eq!(stored, Some(once.execution));
        assert_eq!(kept.into_iter().map(Answer::Stored).collect::<Vec<_>>(), once.answers);
    }
}

fn in_round(round: u128) -> Condition<ReportFilter> {
    let here = Test::Ids(Membership::Any, vec![execution_id(round).0]);
    Condition::Is(ReportFilter::Execution, here)
}

async fn listed(ports: &Ports, round: u128) -> Vec<Report> {
    let (reports, total) = read(ports.reports.list(meeting::<ReportList>(in_round(round)))).await;
    assert_eq!(total, u64::try_from(reports.len()).expect("a few"));
    reports
}

fn numbers(reports: &[Report]) -> Vec<Option<i64>> {
    let number = |report: &Report| match report.outcome {
        EntryOutcome::Accepted { number, .. } => Some(number),
        EntryOutcome::Refused(_) => None,
    };
    reports.iter().map(number).collect()
}

async fn events(ports: &Ports) -> Vec<String> {
    let query = EventQuery { after: 0, limit: 1_000, condition: Condition::All(Vec::new()) };
    let page = ports.events.page(query).await.expect("a page");
    page.events.into_iter().map(|event| event.kind).filter(|kind| kind.contains("taskEx")).collect()
}

/// Entries are stored in the order of their arrival, with one event for each accepted entry, and the round
/// under its next version. What is refused as a whole stores nothing.
pub async fn entries_are_stored_with_the_round_and_their_events<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    let before = ports.task_executions.get(execution_id(1)).await.unwrap().unwrap();
    let sent = [entry(1, "COMPLETE", 1), entry(2, "START", 2), note(3, 3)];
    let performed = report(&ports, 1, &sent).await.expect("a report");
    let after = ports.task_executions.get(execution_id(1)).await.unwrap().unwrap();
    assert_eq!(after.record, performed.execution);
    assert_eq!(after.record.progress.state(), State::InProgress);
    assert!(after.version > before.version);
    assert_eq!(events(&ports).await, ["taskExecution.reported", "taskExecution.reported"]);
    let stored = listed(&ports, 1).await;
    assert_eq!(numbers(&stored), [None, Some(1), Some(2)]);
    assert_eq!(stored[0].outcome, EntryOutcome::Refused(RefusalCode::State));
    assert_eq!(stored[2].entry.text_value.as_deref(), Some("Дождь"));
    let answers: Vec<_> = stored.into_iter().map(Answer::Stored).collect();
    assert_eq!(performed.answers, answers);

    let invalid = report(&ports, 1, &[note(4, 4), EntryDraft::default()]).await;
    assert!(matches!(invalid, Err(EditError::Refused(Refusal::Invalid(_)))), "{invalid:?}");
    assert_eq!(report(&ports, 9, &[note(4, 4)]).await, Err(EditError::Missing));
    assert_eq!(listed(&ports, 1).await.len(), 3);
    assert_eq!(listed(&ports, 2).await, []);
}

/// A refused entry that is sent again keeps its place, and one that was accepted changes nothing.
pub async fn an_entry_that_is_sent_again_keeps_its_place<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    let sent = [entry(1, "COMPLETE", 9), entry(2, "START", 2)];
    report(&ports, 1, &sent).await.expect("a report");
    let again = report(&ports, 1, &sent).await.expect("a report");
    assert!(matches!(again.answers[..], [Answer::Stored(_), Answer::Duplicate(_)]));
    assert_eq!(numbers(&listed(&ports, 1).await), [Some(2), Some(1)]);
    let version = ports.task_executions.get(execution_id(1)).await.unwrap().unwrap().version;
    let same = report(&ports, 1, &sent).await.expect("a report");
    assert!(same.answers.iter().all(|answer| matches!(answer, Answer::Duplicate(_))));
    let last = ports.task_executions.get(execution_id(1)).await.unwrap().unwrap().version;
    assert_eq!(last, version);
    assert_eq!(events(&ports).await.len(), 2);
}

/// A speed is measured from the last accepted entry with a place, also when entries without one followed.
pub async fn a_speed_is_measured_from_the_last_place<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    let at = |latitude| {
        let (longitude, accuracy) = (Some(0.0), Some(1.0));
        Some(ReportPositionDraft { latitude: Some(latitude), longitude, accuracy })
    };
    report(&ports, 1, &[EntryDraft { position: at(0.0), ..note(1, 1) }]).await.expect("a report");
    report(&ports, 1, &[note(2, 2)]).await.expect("a report");
    report(&ports, 1, &[EntryDraft { position: at(1.0), ..note(3, 3) }]).await.expect("a report");
    let verdicts: Vec<Vec<_>> = listed(&ports, 1)
        .await
        .iter()
        .map(|report| match &report.outcome {
            EntryOutcome::Accepted { verdicts, .. } => {
                verdicts.iter().map(|verdict| verdict.code).collect()
            }
            EntryOutcome::Refused(code) => panic!("{code:?}"),
        })
        .collect();
    let is_fast = verdicts.iter().map(|codes| codes.contains(&VerdictCode::Speed));
    assert_eq!(is_fast.collect::<Vec<_>>(), [false, false, true], "{verdicts:?}");
}

/// Requests for the same round run one after another: no entry is lost or taken twice. An id that is
/// sent for two rounds at once belongs to one of them.
pub async fn requests_of_one_round_wait_for_each_other<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    let mut all = Vec::new();
    for number in 0..12 {
        let ports = ports.clone();
        let sent = vec![note(number / 2, 1), note(100 + number, 2)];
        all.push(tokio::spawn(async move { report(&ports, 1, &sent).await.expect("a report") }));
    }
    for one in all {
        one.await.expect("no panic");
    }
    let mut numbers = numbers(&listed(&ports, 1).await);
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=18).map(Some).collect::<Vec<_>>());

    let both = [1, 2].map(|round| {
        let ports = ports.clone();
        tokio::spawn(async move { report(&ports, round, &[note(50, 3)]).await.expect("a report") })
    });
    let mut kept = 0;
    for one in both {
        let answers = one.await.expect("no panic").answers;
        kept += usize::from(matches!(answers[..], [Answer::Stored(_)]));
    }
    assert_eq!(kept, 1);
}

/// The reports of a deleted round are gone, and its ids are free again.
pub async fn a_deleted_round_takes_its_reports_with_it<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    report(&ports, 1, &[note(1, 1)]).await.expect("a report");
    assert_eq!(listed(&ports, 1).await.len(), 1);
    let at = Target::<TaskExecution>::any_version(execution_id(1));
    assert_eq!(ports.task_executions.delete(at, by()).await, Ok(()));
    assert_eq!(listed(&ports, 1).await, []);
    let performed = report(&ports, 2, &[note(1, 1)]).await.expect("a report");
    assert!(matches!(performed.answers[..], [Answer::Stored(_)]));
    assert_eq!(found::<TaskExecution>(&ports, execution_id(1)).await, None);
}

/// Reports are filtered and sorted as the documentation of the list says.
pub async fn reports_are_listed_by_their_properties<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    let sent = [note(3, 30), entry(2, "COMPLETE", 20), entry(1, "START", 40)];
    report(&ports, 1, &sent).await.expect("a report");
    report(&ports, 2, &[note(9, 1)]).await.expect("a report");
    let all = listed(&ports, 1).await;
    let ids = |reports: &[Report]| reports.iter().map(|report| report.entry.id).collect::<Vec<_>>();
    for (filter, test, expected) in [
        (ReportFilter::Id, Test::Ids(Membership::Any, vec![entry_id(2).0]), vec![2]),
        (ReportFilter::Type, code(EntryType::Note), vec![3]),
        (ReportFilter::Step, Test::Ids(Membership::None, vec![entry_id(1).0]), vec![3, 2, 1]),
        (ReportFilter::Outcome, Test::Codes(Membership::Any, vec![1]), vec![2]),
        (ReportFilter::Outcome, Test::Codes(Membership::Any, vec![0]), vec![3, 1]),
        (ReportFilter::Flagged, Test::Flag(true), flagged(&all)),
        (ReportFilter::Flagged, Test::Flag(false), unflagged(&all)),
    ] {
        let here = Condition::All(vec![in_round(1), Condition::Is(filter, test)]);
        let (found, _) = read(ports.reports.list(meeting::<ReportList>(here))).await;
        let expected: Vec<_> = expected.into_iter().map(entry_id).collect();
        assert_eq!(ids(&found), expected, "{filter:?}");
    }
    for (property, expected) in [
        (ReportSort::Id, [3, 2, 1]),
        (ReportSort::At, [1, 3, 2]),
        (ReportSort::ReceivedAt, [3, 2, 1]),
    ] {
        let mut query = meeting::<ReportList>(in_round(1));
        query.sort = vec![Sort { property, direction: Direction::Descending }];
        let (found, _) = read(ports.reports.list(query)).await;
        assert_eq!(ids(&found), expected.map(entry_id), "{property:?}");
    }
    assert_eq!(read(ports.reports.list(everything::<ReportList>())).await.1, 4);
}

/// Entries are exported round by round in the order of their arrival, and imported with what follows from
/// them. A round goes on after the import, with the next numbers.
pub async fn reports_are_exported_and_imported<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let mut step = whole_execution(1).steps.remove(0);
    (step.state, step.actual_order) = (State::Pending, None);
    step.actions.truncate(1);
    step.actions[0].outcome = None;
    let (step_id, action_id) = (step.id, step.actions[0].id);
    let planned = TaskExecution { steps: vec![step], ..execution(1) };
    fill(&ports, &[planned, execution(2)]).await;
    let of_step = |number, kind: &str, second| EntryDraft {
        step_id: Some(step_id),
        action_id: Some(action_id),
        technology: Some("QR".to_owned()),
        ..entry(number, kind, second)
    };
    let result = EntryDraft { boolean_value: Some(true), ..of_step(5, "RESULT", 30) };
    // The clock goes back once, the COMPLETE is refused first, and the SCAN in the end.
    let sent = [
        entry(9, "COMPLETE", 50),
        entry(7, "START", 10),
        of_step(6, "SCAN", 20),
        result,
        note(3, 25),
        of_step(4, "FINISH_STEP", 40),
        entry(9, "COMPLETE", 50),
        of_step(2, "SCAN", 60),
    ];
    report(&ports, 2, &[note(8, 1)]).await.expect("a report");
    report(&ports, 1, &sent).await.expect("a report");
    let walked = found::<TaskExecution>(&ports, execution_id(1)).await.expect("the round");
    let first = &walked.steps[0];
    assert!(first.started_at.is_some() && first.ended_at.is_some() && walked.flag_count > 0);

    let exported = self::exported(&ports).await;
    let other = adapter.fresh().await;
    import(&other, exported.clone()).await.expect("an import");
    assert_eq!(unnumbered(self::exported(&other).await), unnumbered(exported));
    assert_eq!(found::<TaskExecution>(&other, execution_id(1)).await, Some(walked));
    let entries = |reports: Vec<Report>| reports.into_iter().map(|report| report.entry.id);
    let order = entries(listed(&other, 1).await);
    assert!(order.eq([9, 7, 6, 5, 3, 4, 2].map(entry_id)));

    // Another import adds entries to the round that exists.
    let before = other.task_executions.get(execution_id(1)).await.unwrap().unwrap();
    let late = EntryOutcome::Accepted { number: 0, verdicts: vec![VerdictCode::LateUpload.into()] };
    import(&other, vec![of_report(1, 20, late)]).await.expect("an import");
    let after = other.task_executions.get(execution_id(1)).await.unwrap().unwrap();
    assert_eq!(after.record.flag_count, before.record.flag_count + 1);
    assert_eq!(after.record.steps, before.record.steps);
    assert!(after.version > before.version);
    let performed = report(&other, 1, &[note(21, 2)]).await.expect("a report");
    let [Answer::Stored(last)] = performed.answers.as_slice() else { panic!("{performed:?}") };
    assert_eq!(numbers(std::slice::from_ref(last)), [Some(8)]);
    assert_eq!(last.verdicts(), [VerdictCode::Backwards.into()]);
}

fn code(kind: EntryType) -> Test {
    Test::Codes(Membership::Any, vec![patrol_domain::Named::code(kind)])
}

fn flagged(all: &[Report]) -> Vec<u128> {
    let flagged = all.iter().filter(|report| !report.verdicts().is_empty());
    flagged.map(|report| number(&report.entry)).collect()
}

fn unflagged(all: &[Report]) -> Vec<u128> {
    let unflagged = all.iter().filter(|report| report.verdicts().is_empty());
    unflagged.map(|report| number(&report.entry)).collect()
}

fn number(entry: &Entry) -> u128 {
    (1..=9).find(|number| entry_id(*number) == entry.id).expect("an entry of the test")
}
