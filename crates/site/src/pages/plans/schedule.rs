//! The schedule of a plan as the fields of its form show it, and as the API writes it.

use patrol_domain::schedule::{LocalDate, LocalDateTime};
use serde_json::{Value, json};

use super::repeats::{Ends, Every, Repeats, WEEKDAYS, count};
use crate::{
    office::{faults::FormFault, form::elements},
    texts::Texts,
    times::short,
};

/// The value of the field "Repeats" for a single occurrence, and of "Ends" for a rule without an end.
const NEVER: &str = "never";

/// The value of the field "Repeats" for a rule that is entered as text.
const BY_HAND: &str = "rule";

/// The minutes that a new schedule proposes.
const DURATION: u64 = 60;

/// The fields of a schedule of the API, which may be null. `zone`: what is proposed to a plan without a
/// schedule.
pub(super) fn to_form(schedule: &Value, zone: &str) -> Value {
    if schedule.is_null() {
        return json!({
            "timeZone": zone, "durationMinutes": DURATION, "repeats": NEVER, "ends": NEVER,
        });
    }
    let rule = schedule["rrule"].as_str();
    let known = rule.and_then(Repeats::read);
    let repeats = match (&rule, &known) {
        (None, _) => NEVER.to_owned(),
        (Some(_), None) => BY_HAND.to_owned(),
        (Some(_), Some(repeats)) => repeats.every.frequency().to_ascii_lowercase(),
    };
    let by_hand = rule.filter(|_| known.is_none());
    let Repeats { days, ends, .. } =
        known.unwrap_or(Repeats { every: Every::Day, days: Vec::new(), ends: Ends::Never });
    let (ends, until, count) = match ends {
        Ends::Never => (NEVER, None, None),
        Ends::On(date) => ("on", Some(date.to_string()), None),
        Ends::After(count) => ("after", None, Some(count)),
    };
    let days: Value = days.into_iter().filter_map(|day| WEEKDAYS.get(day).copied()).collect();
    let time = |time: &Value| time.as_str().map(|time| short(time).replacen('T', " ", 1)).into();
    let pause = |pause: &Value| {
        let date = |name: &str| pause[name].as_str().unwrap_or_default();
        format!("{} – {}", date("from"), date("to")).into()
    };
    json!({
        "timeZone": schedule["timeZone"],
        "start": schedule["start"],
        "durationMinutes": schedule["durationMinutes"],
        "repeats": repeats,
        "days": days,
        "rrule": by_hand,
        "ends": ends,
        "until": until,
        "count": count,
        "exdates": each(&schedule["exdates"], time),
        "rdates": each(&schedule["rdates"], time),
        "pauses": each(&schedule["pauses"], pause),
    })
}

/// The schedule of the API that these fields say, null when they plan nothing, and what is wrong with
/// fields that the API does not have. `before`: the schedule of the API that the fields were made from.
/// Its rule stays as it is when the fields still say the same.
pub(super) fn from_form(t: &Texts, form: &Value, before: &Value) -> (Value, Option<FormFault>) {
    let is_empty = |name: &&str| elements(&form[name]).is_empty();
    let has_times = !["exdates", "rdates", "pauses"].iter().all(is_empty);
    if form["start"].is_null() && form["repeats"] == NEVER && !has_times {
        return (Value::Null, None);
    }
    let (rule, fault) = match rule(t, form, before["rrule"].as_str()) {
        Ok(rule) => (rule, None),
        Err(fault) => (None, Some(fault)),
    };
    let time = |time: &Value| time.as_str().map(entered_time).into();
    let schedule = json!({
        "timeZone": form["timeZone"],
        "start": form["start"],
        "durationMinutes": form["durationMinutes"],
        "rrule": rule,
        "exdates": each(&form["exdates"], time),
        "rdates": each(&form["rdates"], time),
        "pauses": each(&form["pauses"], |line| entered_pause(line.as_str().unwrap_or_default())),
    });
    (schedule, fault)
}

fn rule(t: &Texts, form: &Value, before: Option<&str>) -> Result<Option<String>, FormFault> {
    let fault = |path: &str, text| FormFault::new(format!("schedule.{path}"), text);
    let every = match form["repeats"].as_str() {
        None | Some(NEVER) => return Ok(None),
        Some(BY_HAND) => {
            let rule = form["rrule"].as_str().map(str::to_owned);
            return rule.map(Some).ok_or_else(|| fault("rrule", &t.fault_required));
        }
        Some(name) => Every::of(name).ok_or_else(|| fault("repeats", &t.fault_choice))?,
    };
    let chosen = |(day, name): (usize, &&str)| {
        elements(&form["days"]).iter().any(|day| day == name).then_some(day)
    };
    let days = WEEKDAYS.iter().enumerate().filter_map(chosen).filter(|_| every.has_days());
    let ends = match form["ends"].as_str() {
        None | Some(NEVER) => Ends::Never,
        Some("on") => {
            let date = form["until"].as_str().and_then(LocalDate::parse);
            Ends::On(date.ok_or_else(|| fault("until", &t.fault_date))?)
        }
        Some("after") => {
            let number = form["count"].to_string();
            Ends::After(count(&number).ok_or_else(|| fault("count", &t.plan_count_fault))?)
        }
        Some(_) => return Err(fault("ends", &t.fault_choice)),
    };
    let repeats = Repeats { every, days: days.collect(), ends };
    let same = before.filter(|before| Repeats::read(before).as_ref() == Some(&repeats));
    let start = form["start"].as_str().and_then(LocalDateTime::parse).map(LocalDateTime::date);
    if let (Ends::On(end), Some(start), None) = (&repeats.ends, start, same)
        && *end < start
    {
        return Err(fault("until", &t.fault_period));
    }
    Ok(Some(same.map_or_else(|| repeats.to_string(), str::to_owned)))
}

fn each(list: &Value, change: impl Fn(&Value) -> Value) -> Value {
    elements(list).iter().map(change).collect()
}

/// `2026-12-24T22:00:00` for a time that was entered; a text of another form stays.
fn entered_time(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join("T");
    if text.len() == 16 { text + ":00" } else { text }
}

/// The pause of a line: its first and its last day, with anything but digits between them; one day is
/// both.
fn entered_pause(line: &str) -> Value {
    let words = line.split(|character: char| !character.is_ascii_digit() && character != '-');
    let dates: Vec<_> =
        words.filter(|word| word.bytes().any(|byte| byte.is_ascii_digit())).collect();
    match dates[..] {
        [day] => json!({ "from": day, "to": day }),
        [from, to] => json!({ "from": from, "to": to }),
        _ => json!({ "from": line, "to": line }),
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, option, prelude::*};

    use super::{super::repeats::tests::rule, *};
    use crate::texts::Language;

    fn back(form: &Value, before: &Value) -> Result<Value, String> {
        let (schedule, fault) = from_form(&Language::usual().texts, form, before);
        fault.map_or(Ok(schedule), |fault| Err(fault.path))
    }

    fn time() -> impl Strategy<Value = String> {
        (1_i64..9_000, 1..=12, 1..=28, 0..24, 0..60, prop_oneof![Just(0), 0..60]).prop_map(
            |(year, month, day, hour, minute, second)| {
                format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
            },
        )
    }

    proptest! {
        #[test]
        fn a_schedule_that_is_saved_without_a_change_stays_as_it_is(
            start in time(),
            rule in option::of(rule()),
            exdates in vec(time(), 0..4),
            rdates in vec(time(), 0..4),
            pauses in vec((time(), time()), 0..4),
        ) {
            let pause = |(from, to): &(String, String)| json!({ "from": from[..10], "to": to[..10] });
            let schedule = json!({
                "timeZone": "Europe/Berlin", "start": start, "durationMinutes": 90, "rrule": rule,
                "exdates": exdates, "rdates": rdates,
                "pauses": pauses.iter().map(pause).collect::<Value>(),
            });
            prop_assert_eq!(back(&to_form(&schedule, "UTC"), &schedule), Ok(schedule));
        }
    }

    #[test]
    fn a_plan_without_a_first_start_has_no_schedule() {
        let mut form = to_form(&Value::Null, "Asia/Tokyo");
        assert_eq!(form["timeZone"], "Asia/Tokyo");
        assert_eq!(back(&form, &Value::Null), Ok(Value::Null));
        // Somebody who chooses how it repeats has forgotten the start, which the rules of records say.
        for times in ["exdates", "rdates", "pauses"] {
            let mut form = form.clone();
            form[times] = json!(["2026-12-24"]);
            assert_eq!(back(&form, &Value::Null).unwrap()["start"], Value::Null, "{times}");
            assert!(back(&form, &Value::Null).unwrap().is_object(), "{times}");
        }
        form["repeats"] = "daily".into();
        let schedule = back(&form, &Value::Null).unwrap();
        assert_eq!((&schedule["start"], &schedule["rrule"]), (&Value::Null, &"FREQ=DAILY".into()));
    }

    #[test]
    fn the_fields_become_a_rule() {
        let rule = |fields: Value| {
            let mut form = to_form(&Value::Null, "UTC");
            form["start"] = "2026-12-01T22:00:00".into();
            for (name, value) in fields.as_object().unwrap() {
                form[name] = value.clone();
            }
            back(&form, &Value::Null).map(|schedule| schedule["rrule"].clone())
        };
        let days = json!(["WE", "MO"]);
        for (fields, expected) in [
            (json!({ "days": days }), Value::Null),
            (json!({ "repeats": "weekly", "days": days }), "FREQ=WEEKLY;BYDAY=MO,WE".into()),
            // Fields that do not belong to what was chosen do not count.
            (json!({ "repeats": "yearly", "days": days, "count": 3 }), "FREQ=YEARLY".into()),
            (
                json!({ "repeats": "daily", "ends": "after", "count": 3 }),
                "FREQ=DAILY;COUNT=3".into(),
            ),
            (
                json!({ "repeats": "monthly", "ends": "on", "until": "2027-01-31" }),
                "FREQ=MONTHLY;UNTIL=20270131T235959".into(),
            ),
            (json!({ "repeats": "rule", "rrule": "FREQ=DAILY;X" }), "FREQ=DAILY;X".into()),
        ] {
            assert_eq!(rule(fields.clone()), Ok(expected), "{fields}");
        }
        for (fields, path) in [
            (json!({ "repeats": "hourly" }), "repeats"),
            (json!({ "repeats": "rule" }), "rrule"),
            (json!({ "repeats": "daily", "ends": "x" }), "ends"),
            (json!({ "repeats": "daily", "ends": "on", "until": "2027-02-31" }), "until"),
            (json!({ "repeats": "daily", "ends": "on", "until": "2026-11-30" }), "until"),
            (json!({ "repeats": "daily", "ends": "after" }), "count"),
            (json!({ "repeats": "daily", "ends": "after", "count": 0 }), "count"),
            (json!({ "repeats": "daily", "ends": "after", "count": "3" }), "count"),
        ] {
            assert_eq!(rule(fields.clone()), Err(format!("schedule.{path}")), "{fields}");
        }
    }

    #[test]
    fn times_and_pauses_are_entered_as_people_write_them() {
        for (text, expected) in [
            ("2026-12-24 22:00", "2026-12-24T22:00:00"),
            ("2026-12-24  22:00:30", "2026-12-24T22:00:30"),
            ("2026-12-24T22:00", "2026-12-24T22:00:00"),
            ("Christmas", "Christmas"),
        ] {
            assert_eq!(entered_time(text), expected);
        }
        let pause = |from: &str, to: &str| json!({ "from": from, "to": to });
        for (line, expected) in [
            ("2026-12-24 – 2027-01-02", pause("2026-12-24", "2027-01-02")),
            ("2026-12-24 - 2027-01-02", pause("2026-12-24", "2027-01-02")),
            ("2026-12-24 to 2027-01-02", pause("2026-12-24", "2027-01-02")),
            ("2026-12-24", pause("2026-12-24", "2026-12-24")),
            ("Christmas", pause("Christmas", "Christmas")),
        ] {
            assert_eq!(entered_pause(line), expected, "{line}");
        }
    }
}
