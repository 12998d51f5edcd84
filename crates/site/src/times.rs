//! Times and days as people read them: in their time zone and language.

use std::{fmt, sync::LazyLock};

use askama::filters::HtmlSafe;
use patrol_domain::{
    Timestamp,
    schedule::{LocalDate, LocalDateTime, Occurrence, TimeZone},
};

use crate::texts::{Text, Texts};

/// The IANA names of all time zones, in alphabetical order.
pub(crate) static ZONES: LazyLock<Vec<String>> = LazyLock::new(|| TimeZone::names().collect());

/// How a page shows times.
pub(crate) struct Times<'a> {
    zone: TimeZone,
    t: &'a Texts,
    now: Timestamp,
}

/// A time of a page. `Display` writes the HTML element `time`.
#[derive(Clone, Debug)]
pub(crate) struct Time {
    /// In UTC or with an offset, for programs.
    machine: String,
    /// For people. It has only letters of [`Texts`], digits, blanks and `,.:`.
    text: String,
}

impl fmt::Display for Time {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { machine, text } = self;
        write!(out, "<time datetime=\"{machine}\">{text}</time>")
    }
}

impl HtmlSafe for Time {}

impl Time {
    /// The text for people.
    pub(crate) fn as_text(&self) -> &str {
        &self.text
    }
}

impl<'a> Times<'a> {
    pub(crate) const fn new(zone: TimeZone, t: &'a Texts, now: Timestamp) -> Self {
        Self { zone, t, now }
    }

    /// The same in another time zone.
    pub(crate) fn in_zone(&self, zone: TimeZone) -> Self {
        Self { zone, ..*self }
    }

    /// The time zone.
    pub(crate) const fn zone(&self) -> &TimeZone {
        &self.zone
    }

    /// The time at which the page is made.
    pub(crate) const fn now(&self) -> Timestamp {
        self.now
    }

    /// The local day of an instant.
    pub(crate) fn day_of(&self, at: Timestamp) -> Option<LocalDate> {
        self.zone.local(at).map(LocalDateTime::date)
    }

    /// The local day at which the page is made.
    pub(crate) fn today(&self) -> Option<LocalDate> {
        self.day_of(self.now)
    }

    /// `Tue 1 Dec, 22:00`, with the year when it is not the present one.
    pub(crate) fn time(&self, at: Timestamp) -> Time {
        self.element(at, |local| self.local(local))
    }

    /// The local start of an occurrence, in the zone of its schedule.
    pub(crate) fn local_start(&self, occurrence: &Occurrence) -> Time {
        let Occurrence { local_start, utc_offset, .. } = occurrence;
        Time { machine: format!("{local_start}{utc_offset}"), text: self.local(*local_start) }
    }

    /// A local time of another zone.
    pub(crate) fn local_in(&self, zone: &TimeZone, local: LocalDateTime) -> Option<Time> {
        let at = zone.instant(local)?;
        Some(Time { machine: at.to_string(), text: self.local(local) })
    }

    /// `Tue 1 Dec, 22:00`, with the year when it is not the present one.
    pub(crate) fn local(&self, local: LocalDateTime) -> String {
        format!("{}, {}", self.date(local.date()), clock(local))
    }

    /// `22:00` on this day, `30 Nov, 22:00` in its year, else as [`Self::time`].
    pub(crate) fn time_on(&self, at: Timestamp, day: LocalDate) -> Time {
        match self.day_of(at) {
            Some(on) if on == day => self.element(at, clock),
            Some(on) if on.parts().0 == day.parts().0 => self.element(at, |local| {
                format!("{}, {}", self.day_and_month(local.date()), clock(local))
            }),
            _ => self.time(at),
        }
    }

    /// `22:00` on the day of the time that is shown before it, and less than 12 hours from it; else with
    /// its day.
    pub(crate) fn time_after(&self, at: Timestamp, before: Timestamp) -> Time {
        const HALF_A_DAY: u64 = 12 * 60 * 60 * 1_000;
        match self.day_of(before) {
            Some(day) if at.since(before).unsigned_abs() >= HALF_A_DAY => self.time_on(at, day),
            _ => self.element(at, clock),
        }
    }

    /// The time of an optional instant.
    pub(crate) fn optional(&self, at: Option<Timestamp>) -> Option<Time> {
        at.map(|at| self.time(at))
    }

    /// `Tue 1 Dec`, with the year when it is not the present one.
    pub(crate) fn date(&self, date: LocalDate) -> String {
        let weekday = name(&self.t.weekdays, date.weekday());
        let day = self.day_and_month(date);
        let (year, ..) = date.parts();
        if self.today().is_some_and(|today| today.parts().0 == year) {
            format!("{weekday} {day}")
        } else {
            format!("{weekday} {day} {year:04}")
        }
    }

    /// `1 Dec`.
    pub(crate) fn day_and_month(&self, date: LocalDate) -> String {
        let (_, month, day) = date.parts();
        let month = usize::try_from(month).unwrap_or_default().saturating_sub(1);
        format!("{day} {}", name(&self.t.months, month))
    }

    /// The value of a field for a local date and time: `2026-12-01T22:00`.
    pub(crate) fn entered(&self, at: Timestamp) -> String {
        let local = self.zone.local(at).map(|local| local.to_string()).unwrap_or_default();
        short(&local).to_owned()
    }

    /// The instant of such a value; `None` when it could not be shown again, after the year 9999.
    pub(crate) fn instant(&self, entered: &str) -> Option<Timestamp> {
        let at = self.zone.instant(local_time(entered)?)?;
        self.zone.local(at).map(|_| at)
    }

    fn element(&self, at: Timestamp, text: impl Fn(LocalDateTime) -> String) -> Time {
        let text = self.zone.local(at).map(text).unwrap_or_default();
        Time { machine: at.to_string(), text }
    }
}

/// The local date and time that a field has: `2026-12-01T22:00`, or with seconds.
pub(crate) fn local_time(entered: &str) -> Option<LocalDateTime> {
    LocalDateTime::parse(entered).or_else(|| LocalDateTime::parse(&format!("{entered}:00")))
}

/// A local date and time without its seconds, unless there are any: `2026-12-01T22:00`. Other texts stay.
pub(crate) fn short(local: &str) -> &str {
    local.strip_suffix(":00").filter(|short| short.len() == 16).unwrap_or(local)
}

/// One of the names of days or months, from 0.
pub(crate) fn name(names: &Text, at: usize) -> String {
    names.to_string().split(' ').nth(at).unwrap_or_default().to_owned()
}

/// `22:00`.
fn clock(local: LocalDateTime) -> String {
    local.to_string().get(11..16).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texts::Language;

    fn shown(zone: &str, language: &str, at: &str) -> String {
        let now = Timestamp::parse("2026-06-01T00:00:00Z").unwrap();
        let texts = &Language::named(language).unwrap().texts;
        let times = Times::new(TimeZone::named(zone).unwrap(), texts, now);
        times.time(Timestamp::parse(at).unwrap()).text
    }

    #[test]
    fn a_time_is_shown_in_the_zone_and_language_of_the_reader() {
        let at = "2026-12-01T22:30:00Z";
        assert_eq!(shown("UTC", "en", at), "Tue 1 Dec, 22:30");
        assert_eq!(shown("Asia/Kolkata", "en", at), "Wed 2 Dec, 04:00");
        assert_eq!(shown("UTC", "ru", at), "вт 1 дек, 22:30");
        assert_eq!(shown("UTC", "en", "2025-12-31T23:59:59.999Z"), "Wed 31 Dec 2025, 23:59");
    }

    #[test]
    fn a_day_is_named_where_a_time_would_be_ambiguous() {
        let at = |text: &str| Timestamp::parse(text).unwrap();
        let texts = &Language::usual().texts;
        let times = Times::new(
            TimeZone::named("Europe/Berlin").unwrap(),
            texts,
            at("2026-06-01T00:00:00Z"),
        );
        let on = |text: &str| times.time_on(at(text), LocalDate::parse("2026-03-29").unwrap()).text;
        // The day has 23 hours.
        assert_eq!([on("2026-03-28T23:00:00Z"), on("2026-03-29T21:59:59Z")], ["00:00", "23:59"]);
        assert_eq!(
            [on("2026-03-28T22:59:59Z"), on("2026-03-29T22:00:00Z")],
            ["28 Mar, 23:59", "30 Mar, 00:00"]
        );
        assert_eq!(on("2025-03-29T12:00:00Z"), "Sat 29 Mar 2025, 13:00");
        let after = |text: &str| times.time_after(at(text), at("2026-03-28T21:00:00Z")).text;
        assert_eq!(
            [after("2026-03-28T20:50:00Z"), after("2026-03-29T08:59:59Z")],
            ["21:50", "10:59"]
        );
        assert_eq!(
            [after("2026-03-29T09:00:00Z"), after("2026-03-28T01:00:00Z")],
            ["29 Mar, 11:00", "02:00"]
        );
    }

    #[test]
    fn what_was_entered_is_the_first_instant_of_the_local_time() {
        let texts = &Language::usual().texts;
        let now = Timestamp::parse("2026-06-01T00:00:00Z").unwrap();
        let times = Times::new(TimeZone::named("Europe/Berlin").unwrap(), texts, now);
        let instant = |text: &str| times.instant(text).map(|at| at.to_string());
        assert_eq!(instant("2026-12-01T22:00").as_deref(), Some("2026-12-01T21:00:00.000Z"));
        // In the gap, and in the hour that occurs twice.
        assert_eq!(instant("2026-03-29T02:30").as_deref(), Some("2026-03-29T01:30:00.000Z"));
        assert_eq!(instant("2026-10-25T02:30:15").as_deref(), Some("2026-10-25T00:30:15.000Z"));
        assert_eq!(instant("yesterday"), None);
        let at = Timestamp::parse("2026-12-01T21:00:00Z").unwrap();
        assert_eq!(times.entered(at), "2026-12-01T22:00");
    }
}
