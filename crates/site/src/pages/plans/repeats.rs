//! How a plan repeats, as the fields of its form say it: a part of the recurrence rules of RFC 5545. Any
//! other rule is entered by hand and stays as it is.

use std::fmt;

use patrol_domain::schedule::LocalDate;

/// The days of a week as RFC 5545 names them, from Monday.
pub(super) const WEEKDAYS: [&str; 7] = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

/// The time of UNTIL: the last second of the day, so that the day is included.
const END_OF_DAY: &str = "T235959";

/// A rule that the fields can express.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Repeats {
    pub(super) every: Every,
    /// The chosen days of the week, from 0 for Monday, ascending. Empty: the start decides. Only days and
    /// weeks have chosen days.
    pub(super) days: Vec<usize>,
    pub(super) ends: Ends,
}

/// What a rule repeats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Every {
    Day,
    Week,
    Month,
    Year,
}

/// When a rule ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ends {
    Never,
    /// At the end of this local day.
    On(LocalDate),
    /// After this many occurrences, the first one included; at least 1.
    After(u64),
}

impl Every {
    const ALL: [Self; 4] = [Self::Day, Self::Week, Self::Month, Self::Year];

    /// The value of FREQ.
    pub(super) const fn frequency(self) -> &'static str {
        match self {
            Self::Day => "DAILY",
            Self::Week => "WEEKLY",
            Self::Month => "MONTHLY",
            Self::Year => "YEARLY",
        }
    }

    /// What a value of FREQ repeats, in any case.
    pub(super) fn of(frequency: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|every| every.frequency().eq_ignore_ascii_case(frequency))
    }

    /// Whether days of the week can be chosen.
    pub(super) const fn has_days(self) -> bool {
        matches!(self, Self::Day | Self::Week)
    }
}

impl Repeats {
    /// The rule of a text; `None` when the fields cannot express it.
    pub(super) fn read(rule: &str) -> Option<Self> {
        let rule = rule.to_ascii_uppercase();
        let (mut every, mut interval, mut days, mut ends) = (None, None, None, None);
        for part in rule.split(';') {
            let (name, value) = part.split_once('=')?;
            let is_repeated = match name {
                "FREQ" => every.replace(Every::of(value)?).is_some(),
                "INTERVAL" => interval.replace(count(value)?).is_some(),
                "BYDAY" => days.replace(read_days(value)?).is_some(),
                "UNTIL" => ends.replace(Ends::On(read_until(value)?)).is_some(),
                "COUNT" => ends.replace(Ends::After(count(value)?)).is_some(),
                _ => return None,
            };
            if is_repeated {
                return None;
            }
        }
        let every = every?;
        let is_plain = interval.is_none_or(|interval| interval == 1);
        let has_days = days.is_none() || every.has_days();
        let (days, ends) = (days.unwrap_or_default(), ends.unwrap_or(Ends::Never));
        (is_plain && has_days).then_some(Self { every, days, ends })
    }
}

/// The rule as text.
impl fmt::Display for Repeats {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { every, days, ends } = self;
        write!(out, "FREQ={}", every.frequency())?;
        let names: Vec<_> = days.iter().filter_map(|day| WEEKDAYS.get(*day).copied()).collect();
        if !names.is_empty() {
            write!(out, ";BYDAY={}", names.join(","))?;
        }
        match ends {
            Ends::Never => Ok(()),
            Ends::On(date) => {
                write!(out, ";UNTIL={}{END_OF_DAY}", date.to_string().replace('-', ""))
            }
            Ends::After(count) => write!(out, ";COUNT={count}"),
        }
    }
}

/// A whole number from 1.
pub(super) fn count(text: &str) -> Option<u64> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|count| is_number && *count > 0)
}

fn read_days(text: &str) -> Option<Vec<usize>> {
    let day = |name: &str| WEEKDAYS.iter().position(|known| *known == name);
    let mut days = text.split(',').map(day).collect::<Option<Vec<_>>>()?;
    days.sort_unstable();
    days.dedup();
    Some(days)
}

fn read_until(text: &str) -> Option<LocalDate> {
    let date = text.strip_suffix(END_OF_DAY)?;
    let (year, rest) = date.split_at_checked(4)?;
    let (month, day) = rest.split_at_checked(2)?;
    LocalDate::parse(&format!("{year}-{month}-{day}"))
}

#[cfg(test)]
pub(super) mod tests {
    use patrol_domain::{
        Timestamp,
        schedule::{LocalDateTime, RecurrenceRule, Schedule, TimeZone},
    };
    use proptest::{collection::btree_set, prelude::*, sample::select};

    use super::*;

    /// Any rule that the fields can express.
    fn repeats() -> impl Strategy<Value = Repeats> {
        let date = (0..2_000_000_i64)
            .prop_map(|days| LocalDate::parse("2000-01-01").unwrap().plus_days(days).unwrap());
        let ends = prop_oneof![
            Just(Ends::Never),
            date.prop_map(Ends::On),
            (1..=u64::MAX).prop_map(Ends::After),
        ];
        (select(&Every::ALL[..]), btree_set(0..7_usize, 0..=7), ends).prop_map(
            |(every, days, ends)| {
                let days = if every.has_days() { days.into_iter().collect() } else { Vec::new() };
                Repeats { every, days, ends }
            },
        )
    }

    /// Texts of rules, with parts that the fields have and parts that they do not have, in any order.
    pub(crate) fn rule() -> impl Strategy<Value = String> {
        let parts = prop_oneof![
            Just("INTERVAL=1"),
            Just("INTERVAL=2"),
            Just("interval=01"),
            Just("BYDAY=WE,MO"),
            Just("byday=tu"),
            Just("BYDAY=1MO"),
            Just("BYDAY=MO,MO"),
            Just("COUNT=7"),
            Just("COUNT=007"),
            Just("UNTIL=20301224T235959"),
            Just("UNTIL=20301224T235959Z"),
            Just("UNTIL=20301224T120000"),
            Just("BYMONTHDAY=31"),
            Just("BYMONTH=2"),
            Just("BYHOUR=8,20"),
            Just("WKST=SU"),
            Just("BYSETPOS=-1"),
            Just("BYWEEKNO=53"),
        ];
        let frequency = select(
            &["FREQ=DAILY", "FREQ=WEEKLY", "freq=monthly", "FREQ=YEARLY", "FREQ=HOURLY"][..],
        );
        let parts = (frequency, btree_set(parts, 0..4));
        parts
            .prop_flat_map(|(frequency, parts)| {
                Just(std::iter::once(frequency).chain(parts).collect::<Vec<_>>()).prop_shuffle()
            })
            .prop_map(|parts| parts.join(";"))
    }

    fn first(rule: &str) -> Vec<Timestamp> {
        let schedule = Schedule {
            time_zone: TimeZone::named("Europe/Berlin").unwrap(),
            start: LocalDateTime::parse("2028-02-29T02:30:00").unwrap(),
            duration_minutes: 60,
            rule: Some(RecurrenceRule::parse(rule).unwrap()),
            exdates: Vec::new(),
            rdates: Vec::new(),
            pauses: Vec::new(),
        };
        let from = Timestamp::parse("2000-01-01T00:00:00Z").unwrap();
        schedule.occurrences(from).take(30).map(|occurrence| occurrence.start_at).collect()
    }

    proptest! {
        #[test]
        fn what_is_written_is_a_rule_and_is_read_as_the_same_fields(repeats in repeats()) {
            let rule = repeats.to_string();
            prop_assert!(RecurrenceRule::parse(&rule).is_ok(), "{rule}");
            prop_assert_eq!(Repeats::read(&rule), Some(repeats));
        }

        #[test]
        fn a_rule_that_the_fields_express_means_the_same_when_it_is_written(rule in rule()) {
            if let (Ok(_), Some(repeats)) = (RecurrenceRule::parse(&rule), Repeats::read(&rule)) {
                prop_assert_eq!(first(&rule), first(&repeats.to_string()), "{} {}", rule, repeats);
            }
        }

        #[test]
        fn any_text_is_read(text in ".{0,60}") {
            let _ = Repeats::read(&text);
        }
    }

    #[test]
    fn other_rules_are_entered_by_hand() {
        for rule in [
            "",
            "FREQ=HOURLY",
            "FREQ=DAILY;FREQ=DAILY",
            "FREQ=WEEKLY;INTERVAL=2",
            "FREQ=MONTHLY;BYDAY=MO",
            "FREQ=MONTHLY;BYMONTHDAY=-1",
            "FREQ=DAILY;COUNT=0",
            "FREQ=DAILY;COUNT=+1",
            "FREQ=DAILY;COUNT=3;UNTIL=20301224T235959",
            "FREQ=DAILY;UNTIL=20301224T235959Z",
            "FREQ=DAILY;UNTIL=20301324T235959",
            "FREQ=DAILY;UNTIL=ü0301224T235959",
            "FREQ=WEEKLY;BYDAY=",
            "FREQ=WEEKLY;BYDAY=MO;WKST=SU",
        ] {
            assert_eq!(Repeats::read(rule), None, "{rule}");
        }
    }
}
