//! Time zones, from a database inside the program.

use std::{fmt, sync::LazyLock};

use jiff::{
    civil::DateTime,
    tz::{self, AmbiguousOffset, TimeZoneDatabase},
};

use super::{
    calendar,
    local::{DAY, LocalDateTime},
};
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

    /// The zone with this IANA name, in its exact case; `None` when there is none.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let zone = DATABASE.get(name).ok()?;
        (zone.iana_name() == Some(name)).then_some(Self(zone))
    }

    /// UTC.
    #[must_use]
    pub const fn utc() -> Self {
        Self(tz::TimeZone::UTC)
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
        let at = jiff::Timestamp::from_millisecond(at.millis()).unwrap_or_default();
        let info = self.0.to_offset_info(at);
        match info.abbreviation() {
            name if name.starts_with(|first: char| first.is_ascii_alphabetic()) => name.to_owned(),
            _ => format!("UTC{}", UtcOffset(info.offset().seconds())),
        }
    }

    /// The local time at an instant, to the second.
    #[must_use]
    pub fn local(&self, at: Timestamp) -> Option<LocalDateTime> {
        let seconds = at.millis().div_euclid(1_000);
        let offset = self.0.to_offset(jiff::Timestamp::from_second(seconds).ok()?);
        LocalDateTime::from_seconds(seconds + i64::from(offset.seconds()))
    }
}

fn date_time(local: i64) -> Option<DateTime> {
    let (year, month, day) = calendar::civil(local.div_euclid(DAY));
    let second = local.rem_euclid(DAY);
    let small = |number: i64| i8::try_from(number).ok();
    DateTime::new(
        i16::try_from(year).ok()?,
        small(month)?,
        small(day)?,
        small(second / 3_600)?,
        small(second / 60 % 60)?,
        small(second % 60)?,
        0,
    )
    .ok()
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
