//! The content of a schedule in requests and in the data set.

use super::{LocalDate, LocalDateTime, Pause, RecurrenceRule, Schedule, TimeZone};
use crate::shared::{
    check,
    fault::{Faults, Path, Rule},
};

/// The longest duration of an occurrence, in minutes: a week.
pub const MAX_DURATION_MINUTES: i64 = 10_080;

/// The maximum number of excluded occurrences, of additional occurrences, and of pauses.
pub const MAX_EXTRA: usize = 1_000;

/// The maximum number of characters of a recurrence rule: enough for all values of all parts.
pub const MAX_RULE: usize = 10_000;

/// A schedule: the JSON types are checked, the field rules are not.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs)] // named as in docs/api
pub struct ScheduleDraft {
    pub time_zone: Option<String>,
    pub start: Option<LocalDateTime>,
    pub duration_minutes: Option<i64>,
    pub rrule: Option<String>,
    pub exdates: Vec<LocalDateTime>,
    pub rdates: Vec<LocalDateTime>,
    pub pauses: Vec<PauseDraft>,
}

/// A pause of a [`ScheduleDraft`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs)] // named as in docs/api
pub struct PauseDraft {
    pub from: Option<LocalDate>,
    pub to: Option<LocalDate>,
}

impl ScheduleDraft {
    /// The schedule at `path`, for example `schedule`; `None` when a member breaks its rule. Faults come
    /// in the order of the members.
    pub fn check(&self, faults: &mut Faults, path: &Path<'_>) -> Option<Schedule> {
        let at = |name| path.field(name);
        let time_zone = check::required(faults, &at("timeZone"), self.time_zone.as_deref())
            .and_then(|name| check_zone(faults, &at("timeZone"), name));
        let start = check::required(faults, &at("start"), self.start);
        let duration = check::required(faults, &at("durationMinutes"), self.duration_minutes)
            .and_then(|minutes| check_duration(faults, &at("durationMinutes"), minutes));
        let rule = match self.rrule.as_deref() {
            Some(text) => check_rule(faults, &at("rrule"), text).map(Some),
            None => Some(None),
        };
        let exdates = check_extra(faults, &at("exdates"), &self.exdates, None);
        let rdates = check_extra(faults, &at("rdates"), &self.rdates, start);
        let pauses = check_pauses(faults, &at("pauses"), &self.pauses);
        Some(Schedule {
            time_zone: time_zone?,
            start: start?,
            duration_minutes: duration?,
            rule: rule?,
            exdates: exdates?,
            rdates: rdates?,
            pauses: pauses?,
        })
    }
}

impl PauseDraft {
    fn check(&self, faults: &mut Faults, path: &Path<'_>) -> Option<Pause> {
        let from = check::required(faults, &path.field("from"), self.from);
        let to = check::required(faults, &path.field("to"), self.to);
        let (from, to) = (from?, to?);
        if to < from {
            faults.push(&path.field("to"), Rule::Period);
            return None;
        }
        Some(Pause { from, to })
    }
}

fn check_zone(faults: &mut Faults, path: &Path<'_>, name: &str) -> Option<TimeZone> {
    let zone = TimeZone::named(name);
    if zone.is_none() {
        // Hundreds of names are allowed; a list of them would not help the client.
        faults.push(path, Rule::Enum(&[]));
    }
    zone
}

fn check_duration(faults: &mut Faults, path: &Path<'_>, minutes: i64) -> Option<u16> {
    let is_allowed = (1..=MAX_DURATION_MINUTES).contains(&minutes);
    if !is_allowed {
        faults.push(path, Rule::Range { min: 1, max: MAX_DURATION_MINUTES });
    }
    u16::try_from(minutes).ok().filter(|_| is_allowed)
}

fn check_rule(faults: &mut Faults, path: &Path<'_>, text: &str) -> Option<RecurrenceRule> {
    if text.chars().nth(MAX_RULE).is_some() {
        faults.push(path, Rule::Length { min: 1, max: MAX_RULE });
        return None;
    }
    let rule = RecurrenceRule::parse(text);
    rule.map_err(|fault| faults.push(path, Rule::Recurrence(fault))).ok()
}

fn check_pauses(faults: &mut Faults, path: &Path<'_>, pauses: &[PauseDraft]) -> Option<Vec<Pause>> {
    check::list_length(faults, path, pauses.len(), MAX_EXTRA);
    let all = pauses.iter().enumerate().take(MAX_EXTRA);
    let checked: Vec<_> =
        all.map(|(index, pause)| pause.check(faults, &path.index(index))).collect();
    checked.into_iter().collect::<Option<Vec<_>>>().filter(|checked| checked.len() == pauses.len())
}

/// The times without duplicates, in the same order. A time before `first` is a fault.
fn check_extra(
    faults: &mut Faults,
    path: &Path<'_>,
    times: &[LocalDateTime],
    first: Option<LocalDateTime>,
) -> Option<Vec<LocalDateTime>> {
    let mut is_valid = times.len() <= MAX_EXTRA;
    check::list_length(faults, path, times.len(), MAX_EXTRA);
    for (index, time) in times.iter().enumerate().take(MAX_EXTRA) {
        if first.is_some_and(|first| *time < first) {
            faults.push(&path.index(index), Rule::Period);
            is_valid = false;
        }
    }
    is_valid.then(|| check::distinct(times))
}
