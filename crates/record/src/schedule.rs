//! Schedules and their occurrences.

use patrol_domain::schedule::{Occurrence, Pause, PauseDraft, Schedule, ScheduleDraft};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    json::fields::Fields,
    value::{LocalDate, LocalDateTime, Time, UtcOffset},
};

/// When the rounds of a scheduled task take place.
#[derive(Serialize, ToSchema, Debug)]
#[serde(rename_all = "camelCase")]
#[schema(as = Schedule)]
pub struct ScheduleRecord<'a> {
    /// The IANA name.
    time_zone: &'a str,
    /// The first occurrence.
    start: LocalDateTime,
    duration_minutes: u16,
    /// The recurrence rule as sent; null for a single occurrence.
    rrule: Option<&'a str>,
    /// Excluded occurrences.
    exdates: Vec<LocalDateTime>,
    /// Additional occurrences.
    rdates: Vec<LocalDateTime>,
    /// Days without occurrences.
    pauses: Vec<PauseRecord>,
}

/// Days without occurrences.
#[derive(Serialize, ToSchema, Debug)]
#[schema(as = Pause)]
pub struct PauseRecord {
    /// The first day.
    from: LocalDate,
    /// The last day.
    to: LocalDate,
}

impl<'a> ScheduleRecord<'a> {
    /// The record of a schedule.
    #[must_use]
    pub fn new(schedule: &'a Schedule) -> Self {
        let Schedule { time_zone, start, duration_minutes, rule, exdates, rdates, pauses } =
            schedule;
        Self {
            time_zone: time_zone.name(),
            start: LocalDateTime(*start),
            duration_minutes: *duration_minutes,
            rrule: rule.as_ref().map(|rule| rule.text()),
            exdates: exdates.iter().copied().map(LocalDateTime).collect(),
            rdates: rdates.iter().copied().map(LocalDateTime).collect(),
            pauses: pauses.iter().map(PauseRecord::new).collect(),
        }
    }
}

impl PauseRecord {
    const fn new(pause: &Pause) -> Self {
        let Pause { from, to } = *pause;
        Self { from: LocalDate(from), to: LocalDate(to) }
    }
}

/// Reads the members of a schedule.
pub fn read_schedule(fields: &mut Fields<'_>) -> ScheduleDraft {
    ScheduleDraft {
        time_zone: fields.text("timeZone"),
        start: fields.local_date_time("start"),
        duration_minutes: fields.integer("durationMinutes"),
        rrule: fields.text("rrule"),
        exdates: fields.local_date_times("exdates").unwrap_or_default(),
        rdates: fields.local_date_times("rdates").unwrap_or_default(),
        pauses: fields.list("pauses", read_pause).unwrap_or_default(),
    }
}

fn read_pause(fields: &mut Fields<'_>) -> PauseDraft {
    PauseDraft { from: fields.local_date("from"), to: fields.local_date("to") }
}

/// An occurrence of a schedule.
#[derive(Serialize, ToSchema, Debug)]
#[serde(rename_all = "camelCase")]
#[schema(as = Occurrence)]
pub struct OccurrenceRecord {
    start_at: Time,
    end_at: Time,
    /// The local start, after moving it out of a gap of daylight saving.
    local_start: LocalDateTime,
    utc_offset: UtcOffset,
}

impl OccurrenceRecord {
    /// The record of an occurrence.
    #[must_use]
    pub const fn new(occurrence: &Occurrence) -> Self {
        let Occurrence { start: _, local_start, start_at, end_at, utc_offset } = *occurrence;
        Self {
            start_at: Time(start_at),
            end_at: Time(end_at),
            local_start: LocalDateTime(local_start),
            utc_offset: UtcOffset(utc_offset),
        }
    }
}
