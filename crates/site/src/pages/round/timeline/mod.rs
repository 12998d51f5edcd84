//! The timeline of a round: its entries and the other events of its record, in the order in which they
//! arrived.

#[cfg(test)]
mod tests;

use patrol_domain::{
    Timestamp,
    event::{ChangeKind, Event, EventFilter, Resource},
    ids::{UserId, Uuid},
    list::{Comparison, Condition, Membership, Test},
    point::PointType,
    report::{Entry, EntryOutcome, EntryType, Report, ReportPosition},
    shared::text::fold,
    task_execution::{Action, Step, TaskExecution},
};
use serde_json::Value;

use super::{
    flags,
    media::{MediaView, Shown},
    words,
};
use crate::{
    office::table::Cell,
    pages::names::Names,
    texts::{Text, Texts},
    times::{Time, Times},
    view::yes_or_no,
};

/// Something that happened.
#[derive(Debug)]
pub(super) enum Happening<'a> {
    Entry(&'a Report),
    Event(&'a Event),
}

/// A line of the timeline.
pub(super) struct Line {
    /// The id of the entry or of the event.
    pub(super) id: Uuid,
    /// When it arrived.
    pub(super) at: Time,
    /// The time by the clock of the device, if it reads otherwise.
    pub(super) device: Option<Time>,
    pub(super) text: String,
    pub(super) who: String,
    /// Where the device was, and how accurate that is.
    pub(super) place: Option<String>,
    /// What was written, for a note.
    pub(super) note: Option<String>,
    pub(super) refused: Option<String>,
    pub(super) flags: Vec<String>,
    pub(super) media: Vec<MediaView>,
    pub(super) changes: Vec<Change>,
}

/// A member of the round before and after a change.
pub(super) struct Change {
    pub(super) label: String,
    pub(super) before: Cell,
    pub(super) after: Cell,
}

/// Selects the events of a page of the timeline that are not the entries themselves: those after the first
/// entry of the page, up to the first entry of the next page. The first page begins with the oldest event.
pub(super) fn events_on_page(
    first: Option<Timestamp>,
    next: Option<Timestamp>,
) -> Condition<EventFilter> {
    let reported = format!("{}.{}", Resource::TaskExecution.name(), ChangeKind::Reported.name());
    let is_other = Test::Text(Membership::None, vec![fold(&reported)]);
    let at = |comparison, at| Condition::Is(EventFilter::At, Test::Time(comparison, at));
    let bounds = [
        first.map(|first| at(Comparison::Greater, first)),
        next.map(|next| at(Comparison::LessOrEqual, next)),
    ];
    let mut conditions = vec![Condition::Is(EventFilter::Type, is_other)];
    conditions.extend(bounds.into_iter().flatten());
    Condition::All(conditions)
}

/// The kind of a change of an execution.
fn kind_of(kind: &str) -> Option<ChangeKind> {
    let name = kind.strip_prefix(Resource::TaskExecution.name())?.strip_prefix('.')?;
    let kinds = [ChangeKind::Created, ChangeKind::Updated, ChangeKind::Deleted];
    kinds.into_iter().find(|kind| kind.name() == name)
}

/// Entries and other events in one order. Both are in the order of their arrival; an event comes before the
/// entries of the same time, because an entry needs a round.
pub(super) fn in_order<'a>(entries: &'a [Report], events: &'a [Event]) -> Vec<Happening<'a>> {
    let mut all = Vec::with_capacity(entries.len().saturating_add(events.len()));
    let mut events = events.iter().peekable();
    for entry in entries {
        while let Some(event) = events.next_if(|event| event.at <= entry.received_at) {
            all.push(Happening::Event(event));
        }
        all.push(Happening::Entry(entry));
    }
    all.extend(events.map(Happening::Event));
    all
}

/// What the lines of a timeline are made with.
pub(super) struct Lines<'a> {
    pub(super) t: &'a Texts,
    pub(super) times: &'a Times<'a>,
    pub(super) round: &'a TaskExecution,
    pub(super) names: &'a Names,
    pub(super) media: &'a Shown,
}

impl Lines<'_> {
    pub(super) fn line(&self, happening: &Happening<'_>) -> Line {
        match happening {
            Happening::Entry(report) => self.entry(report),
            Happening::Event(event) => self.event(event),
        }
    }

    fn entry(&self, report: &Report) -> Line {
        let Report { execution_id, entry, user_id, received_at, outcome } = report;
        let (t, at) = (self.t, self.times.time(*received_at));
        let device = self.times.time(entry.at);
        let differs = device.as_text() != at.as_text();
        let note = match entry.kind {
            EntryType::Note => entry.text_value.clone(),
            _ => None,
        };
        let refused = match outcome {
            EntryOutcome::Refused(code) => Some(flags::refusal(t, *code).to_string()),
            EntryOutcome::Accepted { .. } => None,
        };
        Line {
            id: entry.id.0,
            device: differs.then_some(device),
            text: self.entry_text(entry, *user_id),
            who: self.who(*user_id),
            place: entry.position.map(|position| place(t, position)),
            note,
            refused,
            flags: report.verdicts().iter().map(|verdict| flags::flag(t, verdict)).collect(),
            media: self.media.views(t, *execution_id, &entry.media_ids, Some(entry.id)),
            changes: Vec::new(),
            at,
        }
    }

    /// `user`: who sent the entry.
    fn entry_text(&self, entry: &Entry, user: Option<UserId>) -> String {
        let t = self.t;
        let step = self.step_of(entry);
        let step_name =
            || step.map_or_else(|| t.round_step_unknown.to_string(), |step| step.name.clone());
        match entry.kind {
            EntryType::Start => match entry.performer_id.filter(|one| Some(*one) != user) {
                Some(performer) => t.round_entry_start_by.with(&self.names.person(t, performer)),
                None => t.round_entry_start.to_string(),
            },
            EntryType::Scan if entry.code.is_none() => t.round_entry_no_code.with(&step_name()),
            EntryType::Scan => {
                let how = entry.technology.map(|how| technology(t, how).to_string());
                t.round_entry_scan.with_each(&[step_name(), how.unwrap_or_default()])
            }
            EntryType::Result => {
                let action = self.action_of(entry);
                let name = action.map_or_else(
                    || t.round_action_unknown.to_string(),
                    |action| action.name.clone(),
                );
                t.round_entry_result.with_each(&[step_name(), name, self.value_of(entry)])
            }
            EntryType::FinishStep => t.round_entry_finish.with(&step_name()),
            EntryType::Note if entry.step_id.is_some() => t.round_entry_note_at.with(&step_name()),
            EntryType::Note => t.round_entry_note.to_string(),
            EntryType::Complete => t.round_entry_complete.to_string(),
        }
    }

    fn step_of(&self, entry: &Entry) -> Option<&Step> {
        self.round.steps.iter().find(|step| Some(step.id) == entry.step_id)
    }

    fn action_of(&self, entry: &Entry) -> Option<&Action> {
        let mut actions = self.step_of(entry)?.actions.iter();
        actions.find(|action| Some(action.id) == entry.action_id)
    }

    fn value_of(&self, entry: &Entry) -> String {
        match entry {
            Entry { boolean_value: Some(yes), .. } => yes_or_no(self.t, *yes).to_string(),
            Entry { number_value: Some(number), .. } => number.to_string(),
            Entry { text_value: Some(text), .. } => text.clone(),
            Entry { media_ids, .. } if !media_ids.is_empty() => self.t.action_media.to_string(),
            _ => self.t.round_no_result.to_string(),
        }
    }

    fn who(&self, user: Option<UserId>) -> String {
        match user {
            Some(user) => self.names.person(self.t, user),
            None => self.t.round_program.to_string(),
        }
    }

    fn event(&self, event: &Event) -> Line {
        let t = self.t;
        let (text, changes) = match kind_of(&event.kind) {
            Some(ChangeKind::Created) => (t.round_event_created.to_string(), Vec::new()),
            Some(ChangeKind::Updated) => self.changed(&event.changes),
            _ => (t.round_event_other.to_string(), Vec::new()),
        };
        Line {
            id: event.id,
            at: self.times.time(event.at),
            device: None,
            text,
            who: self.who(event.actor),
            place: None,
            note: None,
            refused: None,
            flags: Vec::new(),
            media: Vec::new(),
            changes,
        }
    }

    /// What an update changed: the members by name, and the short ones before and after.
    fn changed(&self, changes: &str) -> (String, Vec<Change>) {
        let changes: Vec<Value> = serde_json::from_str(changes).unwrap_or_default();
        let labels = changes.iter().filter_map(|change| self.label(member(change)?));
        let labels: Vec<_> = labels.map(ToString::to_string).collect();
        if labels.is_empty() {
            return (self.t.round_event_other.to_string(), Vec::new());
        }
        let details = changes.iter().filter_map(|change| {
            let name = member(change)?;
            Some(Change {
                label: self.label(name)?.to_string(),
                before: self.cell(name, &change["before"])?,
                after: self.cell(name, &change["after"])?,
            })
        });
        (self.t.round_event_updated.with(&labels.join(", ")), details.collect())
    }

    fn label(&self, member: &str) -> Option<&Text> {
        let t = self.t;
        Some(match member {
            "name" => &t.name,
            "description" => &t.description,
            "locationId" => &t.location,
            "performerId" => &t.round_performer,
            "assigneeIds" => &t.people,
            "startAt" => &t.round_start,
            "endAt" => &t.round_end,
            "priority" => &t.priority,
            "published" => &t.round_published,
            "tags" => &t.tags,
            "steps" => &t.steps,
            "seriesId" => &t.round_series,
            "orderStepsRequired" | "strictTimeRequired" | "deadlined" => &t.round_rules,
            "state" => &t.state,
            _ => return None,
        })
    }

    /// A short value of a member; `None` when only its name is said.
    fn cell(&self, member: &str, value: &Value) -> Option<Cell> {
        let text = value.as_str();
        Some(match (member, value) {
            (_, Value::Null) => Cell::Empty,
            ("name", _) => Cell::text(text?),
            ("startAt" | "endAt", _) => self.times.time(Timestamp::parse(text?)?).into(),
            ("priority", _) => Cell::text(words::priority(self.t, text?)?),
            ("published", Value::Bool(yes)) => Cell::text(yes_or_no(self.t, *yes)),
            ("tags", Value::Array(tags)) => {
                Cell::joined(&tags.iter().filter_map(Value::as_str).collect::<Vec<_>>())
            }
            _ => return None,
        })
    }
}

/// A position of a device, to about a metre.
fn place(t: &Texts, ReportPosition { position, accuracy }: ReportPosition) -> String {
    let accuracy = t.round_metres.with(&format!("{accuracy:.0}"));
    format!("{:.5}, {:.5} ± {accuracy}", position.latitude, position.longitude)
}

fn member(change: &Value) -> Option<&str> {
    change["member"].as_str()
}

/// How a code was read.
const fn technology(t: &Texts, how: PointType) -> &Text {
    match how {
        PointType::Qr => &t.qr_code,
        PointType::Rfid => &t.round_by_rfid,
        PointType::Nfc => &t.round_by_nfc,
        PointType::Ble => &t.round_by_ble,
        PointType::Virtual => &t.round_by_virtual,
    }
}
