//! Time zones, from a database inside the program.

use std::{fmt, sync::LazyLock};

use jiff::{
    SignedDuration,
    civil::DateTime,
    tz::{self, AmbiguousOffset, TimeZoneDatabase},
};

use super::local::{DAY, LocalDate, LocalDateTime};
use crate::timestamp::Timestamp;

/// A time zone of the IANA database.
#[derive(Clone)]
pub struct TimeZone(tz::TimeZone);

/// Local time minus UTC, in seconds. `Display` writes it as `+01:00`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UtcOffset(pub i32);

/// The database is compiled into the program, so that all nodes know the same zones, whatever their
/// machines have installed.
static DATABASE: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

/// A local time placed in a zone. All values are in seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    /// Since 1970-01-01T00:00:00Z.
    pub(super) at: i64,
    /// The local time, after moving it out of a gap.
    pub(super) local: i64,
    /// Local time minus UTC.
    pub(super) offset: i32,
    /// Whether the local time does not exist and was moved.
    pub(super) moved: bool,
    /// A lower bound of `at` for all later local times.
    pub(super) floor: i64,
}

impl TimeZone {
    /// Local time differs from UTC by less than this in every zone; in seconds.
    pub(super) const WIDEST_OFFSET: i64 = DAY;

    /// UTC.
    pub const UTC: Self = Self(tz::TimeZone::UTC);

    /// The zone with this IANA name, in its exact case; `None` when there is none.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let zone = DATABASE.get(name).ok()?;
        (zone.iana_name() == Some(name)).then_some(Self(zone))
    }

    /// The IANA name, for example `Europe/Berlin`.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.iana_name().unwrap_or_default()
    }

    /// The instant of a local time. A local time that does not exist is moved forward by the length
    /// of the gap; of a local time that occurs twice, the first instant counts (RFC 5545, 3.3.5).
    /// `None` outside the years 0001 to 9999.
    pub(super) fn place(&self, local: i64) -> Option<Placed> {
        let time = date_time(local)?;
        let (before, after, moved) = match self.0.to_ambiguous_timestamp(time).offset() {
            AmbiguousOffset::Unambiguous { offset } => (offset, offset, false),
            AmbiguousOffset::Gap { before, after } => (before, after, true),
            AmbiguousOffset::Fold { before, .. } => (before, before, false),
        };
        let at = local - i64::from(before.seconds());
        let offset = after.seconds();
        let after = i64::from(offset);
        Some(Placed { at, local: at + after, offset, moved, floor: local - after })
    }

    /// The IANA names of all zones, in alphabetical order.
    pub fn names() -> impl Iterator<Item = String> {
        DATABASE.available().map(|name| name.to_string())
    }

    /// The first instant of a local time; `None` outside the years 0001 to 9999. A local time that does not
    /// exist is moved forward by the length of the gap.
    #[must_use]
    pub fn instant(&self, local: LocalDateTime) -> Option<Timestamp> {
        Timestamp::from_millis(self.place(local.seconds())?.at.checked_mul(1_000)?)
    }

    /// The abbreviation of the zone at an instant, for example `CET`; the offset, for example `UTC+05:45`,
    /// where the zone has none.
    #[must_use]
    pub fn abbreviation(&self, at: Timestamp) -> String {
        let info = self.0.to_offset_info(in_jiff(at));
        match info.abbreviation() {
            name if name.starts_with(|first: char| first.is_ascii_alphabetic()) => name.to_owned(),
            _ => format!("UTC{}", UtcOffset(info.offset().seconds())),
        }
    }

    /// The local time at an instant, to the second.
    #[must_use]
    pub fn local(&self, at: Timestamp) -> Option<LocalDateTime> {
        let seconds = at.millis().div_euclid(1_000);
        let offset = self.0.to_offset(in_jiff(at));
        LocalDateTime::from_seconds(seconds + i64::from(offset.seconds()))
    }

    /// The first instant of a day, which is later than midnight when the clock skips midnight; `None`
    /// when it is outside the years 0001 to 9999 in UTC.
    #[must_use]
    pub fn start_of(&self, day: LocalDate) -> Option<Timestamp> {
        self.instant(day.midnight())
    }

    /// The offsets from UTC between two times.
    #[must_use]
    pub fn offsets(&self, from: Timestamp, to: Timestamp) -> Offsets {
        let (first, end) = (in_jiff(from), in_jiff(to));
        let later = self.0.following(first).take_while(|change| change.timestamp() < end);
        let change = |change: tz::TimeZoneTransition<'_>| {
            let at = Timestamp::from_millis(change.timestamp().as_millisecond())?;
            Some((at, UtcOffset(change.offset().seconds())))
        };
        let first = UtcOffset(self.0.to_offset(first).seconds());
        Offsets { first, later: later.filter_map(change).collect() }
    }
}

/// The offsets from UTC of a period.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Offsets {
    /// At the beginning.
    pub first: UtcOffset,
    /// The times of the changes, in order, with the offsets from then on.
    pub later: Vec<(Timestamp, UtcOffset)>,
}

impl Offsets {
    /// The local date of a time of the period, or the nearest one in the years 0001 to 9999.
    #[must_use]
    pub fn date(&self, at: Timestamp) -> LocalDate {
        let past = self.later.partition_point(|(change, _)| *change <= at);
        let (_, offset) = past
            .checked_sub(1)
            .and_then(|last| self.later.get(last))
            .copied()
            .unwrap_or((at, self.first));
        let seconds = at.millis().div_euclid(1_000) + i64::from(offset.0);
        LocalDate::from_days(seconds.div_euclid(DAY))
    }
}

/// The instant in jiff, which ends a day earlier than the year 9999: no clock changes in that day.
fn in_jiff(at: Timestamp) -> jiff::Timestamp {
    jiff::Timestamp::from_millisecond(at.millis()).unwrap_or(jiff::Timestamp::MAX)
}

/// The local time with this number of seconds since 1970; `None` outside the years that jiff has.
fn date_time(local: i64) -> Option<DateTime> {
    const FIRST: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);
    FIRST.checked_add(SignedDuration::from_secs(local)).ok()
}

/// Seconds are written only if they are not 0.
impl fmt::Display for UtcOffset {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { '-' } else { '+' };
        let seconds = self.0.unsigned_abs();
        write!(out, "{sign}{:02}:{:02}", seconds / 3_600, seconds / 60 % 60)?;
        if seconds.is_multiple_of(60) { Ok(()) } else { write!(out, ":{:02}", seconds % 60) }
    }
}

impl PartialEq for TimeZone {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for TimeZone {}

impl fmt::Debug for TimeZone {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("TimeZone").field(&self.name()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn zone(name: &str) -> TimeZone {
        TimeZone::named(name).unwrap()
    }

    #[test]
    fn a_day_begins_at_its_first_instant() {
        for (name, day, first) in [
            ("UTC", "2026-03-29", "2026-03-29T00:00:00Z"),
            ("Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00Z"),
            ("Europe/Berlin", "2026-03-30", "2026-03-29T22:00:00Z"),
            // Midnight is skipped.
            ("America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z"),
            // Midnight occurs twice.
            ("America/Havana", "2025-11-02", "2025-11-02T04:00:00Z"),
            // The day does not exist.
            ("Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z"),
            ("Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00Z"),
        ] {
            let day = LocalDate::parse(day).unwrap();
            assert_eq!(zone(name).start_of(day), Some(time(first)), "{name} {day}");
        }
        let first = LocalDate::parse("0001-01-01").unwrap();
        assert_eq!(zone("Asia/Tokyo").start_of(first), None);
    }

    #[test]
    fn the_date_of_a_time_is_that_of_its_zone() {
        let (from, to) = (time("2010-01-01T00:00:00Z"), time("2027-01-01T00:00:00Z"));
        for name in
            ["UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Apia", "Africa/Casablanca"]
        {
            let offsets = zone(name).offsets(from, to);
            let changes = offsets.later.iter().flat_map(|(at, _)| {
                [-86_400_000, -3_600_000, -1, 0, 59_999, 60_000, 3_600_000, 86_399_999]
                    .map(|millis| at.shifted(millis).unwrap())
            });
            for at in changes.chain([from, to.shifted(-1).unwrap()]) {
                let expected = zone(name).local(at).map(LocalDateTime::date);
                assert_eq!(Some(offsets.date(at)), expected, "{name} {at}");
            }
        }
        assert_eq!(zone("UTC"), TimeZone::UTC);
        assert_eq!(TimeZone::UTC.offsets(from, to).later, []);
        assert_eq!(zone("Europe/Berlin").offsets(from, to).later.len(), 34);
        let all = zone("Europe/Berlin").offsets(from, Timestamp::LAST);
        assert_eq!(all.date(time("2025-06-30T22:00:00Z")).to_string(), "2025-07-01");
    }
}
