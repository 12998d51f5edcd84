//! Reads a recurrence rule.

use std::ops::RangeInclusive;

use super::RuleFault;
use crate::{
    local::{LocalDate, LocalDateTime, number},
    timestamp::Timestamp,
};

/// The longest interval; longer ones become this one. Even in hours, it is more than 9,999 years,
/// so a second interval is never reached.
const MAX_INTERVAL: i64 = 100_000_000;

/// The unit that a rule repeats.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Frequency {
    Hourly,
    Daily,
    Weekly,
    Monthly,
    Yearly,
}

/// When a rule ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    Never,
    /// After this number of occurrences, the start included.
    Count(u64),
    /// At this local time, which is included.
    Local(LocalDateTime),
    /// At this instant, which is included.
    Utc(Timestamp),
}

/// Numbers from 1 to 63, and numbers counted from the end: bit 1 of `from_end` is -1.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Numbers {
    from_start: u64,
    from_end: u64,
}

impl Numbers {
    pub(super) fn of(numbers: &[i64]) -> Self {
        let bits = |wanted: fn(&i64) -> bool| {
            numbers.iter().copied().filter(wanted).fold(0, |bits, number| bits | 1 << number.abs())
        };
        Self { from_start: bits(|number| *number > 0), from_end: bits(|number| *number < 0) }
    }

    pub(super) const fn is_empty(self) -> bool {
        self.from_start == 0 && self.from_end == 0
    }

    /// Whether it has number `at` of `len`, counted from either end; `at` is from 1.
    pub(super) const fn has(self, at: i64, len: i64) -> bool {
        self.has_from_start(at) || self.from_end >> (len - at + 1) & 1 == 1
    }

    /// The numbers; those from the end are negative.
    pub(super) fn list(self) -> Vec<i64> {
        let bits = |bits: u64| (1..64_i64).filter(move |number| bits >> number & 1 == 1);
        bits(self.from_start).chain(bits(self.from_end).map(|number| -number)).collect()
    }

    /// Whether it has number `at`, from 1.
    pub(super) const fn has_from_start(self, at: i64) -> bool {
        self.from_start >> at & 1 == 1
    }
}

/// The parts of a rule. Lists are sorted and without duplicates; an empty list is an absent part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Parts {
    pub(super) frequency: Frequency,
    /// From 1.
    pub(super) interval: i64,
    pub(super) end: End,
    pub(super) seconds: Vec<i64>,
    pub(super) minutes: Vec<i64>,
    pub(super) hours: Vec<i64>,
    /// Weekdays without a number: bit 0 is Monday.
    pub(super) weekdays: u8,
    /// Weekdays with a number: (number, weekday).
    pub(super) numbered_weekdays: Vec<(i64, i64)>,
    pub(super) month_days: Numbers,
    pub(super) year_days: Vec<i64>,
    pub(super) weeks: Numbers,
    pub(super) months: Numbers,
    pub(super) positions: Vec<i64>,
    /// The first day of a week: 0 is Monday.
    pub(super) week_start: i64,
}

/// The texts of the parts of a rule, by their index in [`NAMES`].
type Texts<'a> = [Option<&'a str>; NAMES.len()];

const NAMES: [&str; 14] = [
    "FREQ",
    "UNTIL",
    "COUNT",
    "INTERVAL",
    "BYSECOND",
    "BYMINUTE",
    "BYHOUR",
    "BYDAY",
    "BYMONTHDAY",
    "BYYEARDAY",
    "BYWEEKNO",
    "BYMONTH",
    "BYSETPOS",
    "WKST",
];

pub(super) const WEEKDAYS: [&str; 7] = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

impl Parts {
    /// Whether a part chooses days. Otherwise the start chooses them: the weekday with FREQ=WEEKLY, the day
    /// of the month with FREQ=MONTHLY, also the month with FREQ=YEARLY.
    pub(super) fn chooses_days(&self) -> bool {
        !self.month_days.is_empty() || self.chooses_other_days()
    }

    /// Whether a part other than BYMONTHDAY chooses days.
    pub(super) fn chooses_other_days(&self) -> bool {
        self.weekdays != 0
            || !self.numbered_weekdays.is_empty()
            || !self.year_days.is_empty()
            || !self.weeks.is_empty()
    }

    /// Reads the parts and checks what RFC 5545 says about them. Names and values may be in any case.
    pub(super) fn parse(text: &str) -> Result<Self, RuleFault> {
        let text = text.to_ascii_uppercase();
        let texts = split(&text)?;
        let [
            freq,
            until,
            count,
            interval,
            seconds,
            minutes,
            hours,
            weekdays,
            month_days,
            year_days,
            weeks,
            months,
            positions,
            week_start,
        ] = texts;
        let (plain, numbered) = read_weekdays(weekdays)?;
        let parts = Self {
            frequency: frequency(freq)?,
            interval: interval.map_or(Ok(1), |text| positive("INTERVAL", text))?.min(MAX_INTERVAL),
            end: end(until, count)?,
            // A rule may name a leap second, 60. The clocks here have none, so it becomes 59.
            seconds: capped(list("BYSECOND", seconds, 2, 0..=60)?, 59),
            minutes: list("BYMINUTE", minutes, 2, 0..=59)?,
            hours: list("BYHOUR", hours, 2, 0..=23)?,
            weekdays: plain,
            numbered_weekdays: numbered,
            month_days: Numbers::of(&signed_list("BYMONTHDAY", month_days, 2, 31)?),
            year_days: signed_list("BYYEARDAY", year_days, 3, 366)?,
            weeks: Numbers::of(&signed_list("BYWEEKNO", weeks, 2, 53)?),
            months: Numbers::of(&list("BYMONTH", months, 2, 1..=12)?),
            positions: signed_list("BYSETPOS", positions, 3, 366)?,
            week_start: week_start.map_or(Ok(0), |text| weekday("WKST", text))?,
        };
        parts.check(&texts)?;
        Ok(parts)
    }

    /// Refuses the combinations that RFC 5545 forbids.
    fn check(&self, texts: &Texts<'_>) -> Result<(), RuleFault> {
        use Frequency::{Daily, Monthly, Weekly, Yearly};
        let frequency = self.frequency;
        let refuse = |text: &str| Err(RuleFault::new(text));
        if !self.numbered_weekdays.is_empty() {
            if !matches!(frequency, Monthly | Yearly) {
                return refuse("BYDAY has numbers only with FREQ=MONTHLY and FREQ=YEARLY");
            }
            if !self.weeks.is_empty() {
                return refuse("BYDAY has no numbers with BYWEEKNO");
            }
        }
        if !self.month_days.is_empty() && frequency == Weekly {
            return refuse("BYMONTHDAY is not allowed with FREQ=WEEKLY");
        }
        if !self.year_days.is_empty() && matches!(frequency, Daily | Weekly | Monthly) {
            return refuse("BYYEARDAY is not allowed with FREQ=DAILY, WEEKLY and MONTHLY");
        }
        if !self.weeks.is_empty() && frequency != Yearly {
            return refuse("BYWEEKNO is allowed only with FREQ=YEARLY");
        }
        let is_by = |name: &str| name.starts_with("BY") && name != "BYSETPOS";
        let has_other = NAMES.iter().zip(texts).any(|(name, text)| is_by(name) && text.is_some());
        if !self.positions.is_empty() && !has_other {
            return refuse("BYSETPOS needs another part that begins with BY");
        }
        Ok(())
    }

    pub(super) fn heap_bytes(&self) -> usize {
        let lists = [&self.seconds, &self.minutes, &self.hours, &self.year_days, &self.positions];
        lists.iter().map(|list| size_of_val(list.as_slice())).sum::<usize>()
            + size_of_val(self.numbered_weekdays.as_slice())
    }
}

/// The texts of the parts. A part that is given twice is refused.
fn split(text: &str) -> Result<Texts<'_>, RuleFault> {
    let mut texts: Texts<'_> = [None; NAMES.len()];
    for part in text.split(';') {
        let known = part.split_once('=').and_then(|(name, value)| {
            let at = NAMES.iter().position(|known| *known == name)?;
            Some((name, texts.get_mut(at)?, value))
        });
        let Some((name, slot, value)) = known else {
            return Err(RuleFault::new(format!("not a part of a rule: {}", shown(part))));
        };
        if slot.replace(value).is_some() {
            return Err(RuleFault::new(format!("{name} is given twice")));
        }
    }
    Ok(texts)
}

/// The first 40 characters of a client's text, for an error message.
fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}

fn wrong(name: &str, value: &str) -> RuleFault {
    RuleFault::new(format!("wrong {name}: {}", shown(value)))
}

fn frequency(text: Option<&str>) -> Result<Frequency, RuleFault> {
    match text {
        None => Err(RuleFault::new("FREQ is missing")),
        Some("HOURLY") => Ok(Frequency::Hourly),
        Some("DAILY") => Ok(Frequency::Daily),
        Some("WEEKLY") => Ok(Frequency::Weekly),
        Some("MONTHLY") => Ok(Frequency::Monthly),
        Some("YEARLY") => Ok(Frequency::Yearly),
        Some(text @ ("SECONDLY" | "MINUTELY")) => {
            Err(RuleFault::new(format!("FREQ={text} is not allowed")))
        }
        Some(text) => Err(wrong("FREQ", text)),
    }
}

fn end(until: Option<&str>, count: Option<&str>) -> Result<End, RuleFault> {
    match (until, count) {
        (Some(_), Some(_)) => Err(RuleFault::new("UNTIL and COUNT exclude each other")),
        (None, Some(count)) => {
            let count = positive("COUNT", count)?;
            Ok(End::Count(count.try_into().unwrap_or(u64::MAX)))
        }
        (Some(text), None) => read_until(text).ok_or_else(|| wrong("UNTIL", text)),
        (None, None) => Ok(End::Never),
    }
}

/// `20261224T000000Z` or `20261224T000000`. A date alone is not allowed, because the start has a time
/// (RFC 5545, 3.3.10).
fn read_until(text: &str) -> Option<End> {
    let (local, is_utc) = match text.strip_suffix('Z') {
        Some(local) => (local, true),
        None => (text, false),
    };
    let (date, time) = local.split_once('T')?;
    let (date, time) = (date.as_bytes(), time.as_bytes());
    if date.len() != 8 || time.len() != 6 {
        return None;
    }
    let part = |text: &[u8], at: RangeInclusive<usize>| text.get(at).and_then(number);
    let date = LocalDate::new(part(date, 0..=3)?, part(date, 4..=5)?, part(date, 6..=7)?)?;
    let second = part(time, 4..=5).filter(|second| *second <= 60)?.min(59);
    let local = LocalDateTime::new(date, part(time, 0..=1)?, part(time, 2..=3)?, second)?;
    if is_utc {
        Timestamp::from_millis(local.seconds() * 1_000).map(End::Utc)
    } else {
        Some(End::Local(local))
    }
}

/// A whole number from 1. A number that is too large for 64 bits becomes `i64::MAX`.
fn positive(name: &str, text: &str) -> Result<i64, RuleFault> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let value = number(text.as_bytes()).unwrap_or(i64::MAX);
    if is_number && value > 0 { Ok(value) } else { Err(wrong(name, text)) }
}

/// A list of numbers without a sign, each of at most `digits` digits.
fn list(
    name: &str,
    text: Option<&str>,
    digits: usize,
    range: RangeInclusive<i64>,
) -> Result<Vec<i64>, RuleFault> {
    read_list(name, text, |item| unsigned(item, digits).filter(|value| range.contains(value)))
}

/// A list of numbers from 1 to `max`, each with an optional sign.
fn signed_list(
    name: &str,
    text: Option<&str>,
    digits: usize,
    max: i64,
) -> Result<Vec<i64>, RuleFault> {
    read_list(name, text, |item| signed(item, digits, max))
}

fn read_list<T: Ord>(
    name: &str,
    text: Option<&str>,
    read: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, RuleFault> {
    let Some(text) = text else { return Ok(Vec::new()) };
    let items = text.split(',').map(|item| read(item).ok_or_else(|| wrong(name, item)));
    let mut values = items.collect::<Result<Vec<_>, _>>()?;
    values.sort_unstable();
    values.dedup();
    values.shrink_to_fit();
    Ok(values)
}

fn unsigned(text: &str, digits: usize) -> Option<i64> {
    (1..=digits).contains(&text.len()).then(|| number(text.as_bytes())).flatten()
}

fn signed(text: &str, digits: usize, max: i64) -> Option<i64> {
    let (sign, number) = match text.strip_prefix('-') {
        Some(number) => (-1, number),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let number = unsigned(number, digits)?;
    (1..=max).contains(&number).then_some(sign * number)
}

/// The values, each at most `max`.
fn capped(mut values: Vec<i64>, max: i64) -> Vec<i64> {
    values.iter_mut().for_each(|value| *value = (*value).min(max));
    values.dedup();
    values
}

/// The weekdays without and with a number.
fn read_weekdays(text: Option<&str>) -> Result<(u8, Vec<(i64, i64)>), RuleFault> {
    let days = read_list("BYDAY", text, |item| {
        let (number, day) = item.split_at_checked(item.len().checked_sub(2)?)?;
        let day = weekday("BYDAY", day).ok()?;
        let number = if number.is_empty() { None } else { Some(signed(number, 2, 53)?) };
        Some((number, day))
    })?;
    let plain = days.iter().filter(|(number, _)| number.is_none());
    let plain = plain.fold(0, |bits, (_, day)| bits | 1 << day);
    let numbered = days.iter().filter_map(|(number, day)| Some(((*number)?, *day)));
    Ok((plain, numbered.collect()))
}

fn weekday(name: &str, text: &str) -> Result<i64, RuleFault> {
    let known = (0..).zip(WEEKDAYS).find(|(_, known)| *known == text);
    known.map(|(day, _)| day).ok_or_else(|| wrong(name, text))
}
