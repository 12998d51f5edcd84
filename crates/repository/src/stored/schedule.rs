//! Schedules: a JSON object. Local times and the rule are texts, as in the API.

use patrol_domain::schedule::{
    LocalDate, LocalDateTime, Pause, RecurrenceRule, Schedule, TimeZone,
};
use serde::{Deserialize, Serialize};

use crate::stored::Error;

#[derive(Serialize, Deserialize)]
struct Stored {
    zone: String,
    start: String,
    minutes: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    exdates: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rdates: Vec<String>,
    /// The first and the last day of each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pauses: Vec<(String, String)>,
}

/// The stored form of a schedule.
///
/// # Errors
/// Never: any schedule can be written. The serializer's interface requires a result.
pub fn write(schedule: &Schedule) -> Result<String, Error> {
    let Schedule { time_zone, start, duration_minutes, rule, exdates, rdates, pauses } = schedule;
    let texts = |times: &[LocalDateTime]| times.iter().map(ToString::to_string).collect();
    let pause = |Pause { from, to }: &Pause| (from.to_string(), to.to_string());
    Ok(serde_json::to_string(&Stored {
        zone: time_zone.name().to_owned(),
        start: start.to_string(),
        minutes: *duration_minutes,
        rule: rule.as_ref().map(|rule| rule.text().to_owned()),
        exdates: texts(exdates),
        rdates: texts(rdates),
        pauses: pauses.iter().map(pause).collect(),
    })?)
}

/// The schedule in `stored`.
///
/// # Errors
/// When it does not have the form that [`write`] produces, or the program no longer knows its time
/// zone.
pub fn read(stored: &str) -> Result<Schedule, Error> {
    let Stored { zone, start, minutes, rule, exdates, rdates, pauses } =
        serde_json::from_str(stored)?;
    let rule = rule.map(|rule| RecurrenceRule::parse(&rule)).transpose();
    let pause = |(from, to): (String, String)| Ok(Pause { from: date(&from)?, to: date(&to)? });
    Ok(Schedule {
        time_zone: TimeZone::named(&zone).ok_or(Error::Schedule("time zone"))?,
        start: time(&start)?,
        duration_minutes: minutes,
        rule: rule.map_err(|_| Error::Schedule("rule"))?,
        exdates: exdates.iter().map(|text| time(text)).collect::<Result<_, _>>()?,
        rdates: rdates.iter().map(|text| time(text)).collect::<Result<_, _>>()?,
        pauses: pauses.into_iter().map(pause).collect::<Result<_, Error>>()?,
    })
}

fn time(text: &str) -> Result<LocalDateTime, Error> {
    LocalDateTime::parse(text).ok_or(Error::Schedule("local time"))
}

fn date(text: &str) -> Result<LocalDate, Error> {
    LocalDate::parse(text).ok_or(Error::Schedule("local date"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_comes_back_as_it_was() {
        let date = |text| LocalDate::parse(text).unwrap();
        let time = |text| LocalDateTime::parse(text).unwrap();
        let once = Schedule {
            time_zone: TimeZone::named("Europe/Berlin").unwrap(),
            start: time("2026-12-01T22:00:00"),
            duration_minutes: 90,
            rule: None,
            exdates: Vec::new(),
            rdates: Vec::new(),
            pauses: Vec::new(),
        };
        let all = Schedule {
            rule: Some(RecurrenceRule::parse("FREQ=WEEKLY;BYDAY=MO,WE;COUNT=20").unwrap()),
            exdates: vec![time("2026-12-07T22:00:00")],
            rdates: vec![time("2026-12-08T01:30:00"), time("2026-12-02T22:00:00")],
            pauses: vec![Pause { from: date("2026-12-24"), to: date("2026-12-26") }],
            ..once.clone()
        };
        for schedule in [once, all] {
            assert_eq!(read(&write(&schedule).unwrap()), Ok(schedule));
        }
    }

    #[test]
    fn what_is_no_schedule_is_an_error() {
        let with = |zone: &str, start: &str, rule: &str| {
            read(&format!(r#"{{"zone":"{zone}","start":"{start}","minutes":1,"rule":"{rule}"}}"#))
        };
        let start = "2026-12-01T22:00:00";
        assert!(with("Europe/Berlin", start, "FREQ=DAILY").is_ok());
        assert_eq!(with("Mars/Base", start, "FREQ=DAILY"), Err(Error::Schedule("time zone")));
        assert_eq!(with("UTC", "x", "FREQ=DAILY"), Err(Error::Schedule("local time")));
        assert_eq!(with("UTC", start, "FREQ=NEVER"), Err(Error::Schedule("rule")));
        assert!(matches!(read("{}"), Err(Error::Json { .. })));
    }
}
