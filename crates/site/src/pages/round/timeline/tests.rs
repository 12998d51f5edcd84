//! Lines of timelines.

use patrol_domain::{
    ids::{LocationId, StepId, TaskExecutionId},
    report::{Verdict, VerdictCode},
    schedule::TimeZone,
    task_execution::State,
};

use super::*;
use crate::texts::Language;

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis).unwrap()
}

fn round() -> TaskExecution {
    let (id, location) = (TaskExecutionId(Uuid::from_u128(1)), LocationId(Uuid::from_u128(2)));
    let mut round = TaskExecution::new(id, None, location, "Round", [at(0), at(0)]);
    round.steps.push(Step {
        id: StepId(Uuid::from_u128(3)),
        series_id: None,
        point_id: None,
        name: "Gate".to_owned(),
        order: 0,
        actual_order: None,
        started_at: None,
        ended_at: None,
        state: State::Pending,
        actions: Vec::new(),
    });
    round
}

fn report(kind: EntryType, device: i64, received: i64) -> Report {
    Report {
        execution_id: round().id,
        entry: Entry {
            step_id: Some(StepId(Uuid::from_u128(3))),
            ..Entry::new(Uuid::from_u128(9).into(), kind, at(device))
        },
        user_id: Some(UserId(Uuid::from_u128(7))),
        received_at: at(received),
        outcome: EntryOutcome::Accepted { number: 1, verdicts: Vec::new() },
    }
}

fn event(kind: &str, millis: i64, changes: &str) -> Event {
    Event {
        position: millis,
        id: Uuid::from_u128(8),
        at: at(millis),
        kind: format!("taskExecution.{kind}"),
        resource: "taskExecution".to_owned(),
        resource_id: None,
        actor: None,
        token: None,
        request: None,
        changes: changes.to_owned(),
    }
}

fn lines<T>(check: impl FnOnce(&Lines<'_>) -> T) -> T {
    let t = &Language::usual().texts;
    let times = Times::new(TimeZone::UTC, t, at(0));
    let names = Names::of([(UserId(Uuid::from_u128(7)), "Eve Ash".to_owned())]);
    check(&Lines { t, times: &times, round: &round(), names: &names, media: &Shown::default() })
}

#[test]
fn entries_and_events_come_in_the_order_of_their_arrival() {
    let entries = [
        report(EntryType::Start, 500, 1_000),
        report(EntryType::Scan, 100, 2_000),
        report(EntryType::Complete, 3_000, 2_000),
    ];
    let events =
        [event("created", 10, "[]"), event("updated", 2_000, "[]"), event("updated", 9_000, "[]")];
    let order = in_order(&entries, &events);
    let short = order.iter().map(|happening| match happening {
        Happening::Entry(report) => format!("{:?}", report.entry.kind),
        Happening::Event(event) => event.at.millis().to_string(),
    });
    assert_eq!(short.collect::<Vec<_>>(), ["10", "Start", "2000", "Scan", "Complete", "9000"]);
}

#[test]
fn a_line_says_what_who_and_when_by_the_device() {
    let mut late = report(EntryType::Scan, 0, 3_600_000);
    late.outcome = EntryOutcome::Accepted {
        number: 1,
        verdicts: vec![Verdict::from(VerdictCode::CodeMismatch)],
    };
    late.entry.technology = Some(PointType::Nfc);
    late.entry.code = Some("secret".to_owned());
    let line = lines(|lines| lines.line(&Happening::Entry(&late)));
    assert_eq!((line.text.as_str(), line.who.as_str()), ("Gate: code read by NFC tag", "Eve Ash"));
    assert_eq!(line.at.as_text(), "Thu 1 Jan, 01:00");
    assert_eq!(line.device.as_ref().map(Time::as_text), Some("Thu 1 Jan, 00:00"));
    assert_eq!(line.flags, ["The code is not that of the point."]);
    let same = report(EntryType::FinishStep, 1_000, 2_000);
    let line = lines(|lines| lines.line(&Happening::Entry(&same)));
    assert!(line.text == "Gate: step finished" && line.device.is_none());
}

#[test]
fn a_refused_entry_says_why_and_an_unknown_step_is_said() {
    let mut refused = report(EntryType::Result, 0, 0);
    refused.outcome = EntryOutcome::Refused(patrol_domain::report::RefusalCode::Reference);
    refused.entry.step_id = None;
    refused.entry.number_value = Some(3.5);
    let line = lines(|lines| lines.line(&Happening::Entry(&refused)));
    assert_eq!(line.text, "A step that was removed, an action that was removed: 3.5");
    assert!(line.refused.is_some_and(|why| why.starts_with("Not taken:")));
}

#[test]
fn a_change_names_the_members_and_shows_the_short_ones() {
    let changes = r#"[{"member":"startAt","before":"1970-01-01T00:00:00.000Z","after":"1970-01-01T01:00:00.000Z"},
        {"member":"steps","before":[],"after":[{}]},{"member":"edited","before":false,"after":true}]"#;
    let changed = event("updated", 0, changes);
    let line = lines(|lines| lines.line(&Happening::Event(&changed)));
    assert_eq!((line.text.as_str(), line.who.as_str()), ("Changed: Start, Steps", "Patrol"));
    let [change] = line.changes.as_slice() else { panic!("{}", line.changes.len()) };
    assert!(change.after.to_string().contains(">Thu 1 Jan, 01:00<"), "{}", change.after);
    for (kind, said) in
        [("created", "Round made"), ("updated", "The round changed"), ("new", "The round changed")]
    {
        let other = event(kind, 0, "not JSON");
        assert_eq!(lines(|lines| lines.line(&Happening::Event(&other)).text), said);
    }
}
