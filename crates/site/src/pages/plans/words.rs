//! Schedules in words.

use patrol_domain::schedule::{LocalDateTime, Pause, Schedule};

use super::repeats::{Ends, Every, Repeats};
use crate::{
    office::{content::Facts, table::Cell},
    texts::Texts,
    times::{Times, name},
};

/// The schedule as labels and values.
pub(super) fn facts<'a>(t: &'a Texts, times: &Times<'_>, schedule: &Schedule) -> Facts<'a> {
    let Schedule { time_zone, start, duration_minutes, rule, exdates, rdates, pauses } = schedule;
    let rule = rule.as_ref().map(|rule| rule.text());
    let known = rule.and_then(Repeats::read);
    let repeats = match (rule, &known) {
        (None, _) => t.plan_once.to_string(),
        (Some(rule), None) => t.plan_by_rule.with(rule),
        (Some(_), Some(repeats)) => every(t, times, repeats, *start),
    };
    // A local time without an instant is far outside of any plan.
    let each = |list: &[LocalDateTime]| {
        let all = list.iter().filter_map(|local| times.local_in(time_zone, *local));
        Cell::Html(all.map(|time| time.to_string()).collect::<Vec<_>>().join(", "))
    };
    let mut facts = vec![
        (&t.plan_repeats, Cell::text(repeats)),
        (&t.plan_first_start, each(&[*start])),
        (&t.time_zone, Cell::text(time_zone.name())),
        (&t.plan_duration, Cell::text(t.minutes.with(duration_minutes))),
    ];
    let ends = match known.map(|repeats| repeats.ends) {
        None | Some(Ends::Never) => None,
        Some(Ends::On(date)) => Some(t.plan_ends_on.with(&times.date(date))),
        Some(Ends::After(count)) => Some(t.plan_ends_after.with(&count)),
    };
    facts.extend(ends.map(|ends| (&t.plan_ends, Cell::text(ends))));
    let pause = |Pause { from, to }: &Pause| {
        let (from, to) = (times.date(*from), times.date(*to));
        if from == to { from } else { format!("{from} – {to}") }
    };
    let pauses: Vec<_> = pauses.iter().map(pause).collect();
    let lists = [
        (&t.plan_exceptions, each(exdates), exdates.is_empty()),
        (&t.plan_additions, each(rdates), rdates.is_empty()),
        (&t.plan_pauses, Cell::joined(&pauses), pauses.is_empty()),
    ];
    let lists = lists.into_iter().filter(|(_, _, is_empty)| !is_empty);
    facts.extend(lists.map(|(label, cell, _)| (label, cell)));
    Facts(facts)
}

/// `Every week: Mon, Wed`.
fn every(t: &Texts, times: &Times<'_>, repeats: &Repeats, start: LocalDateTime) -> String {
    let name = |day| name(&t.weekdays, day);
    let on = |days: &[usize]| days.iter().map(|day| name(*day)).collect::<Vec<_>>().join(", ");
    let date = start.date();
    match repeats.every {
        Every::Day if repeats.days.is_empty() => t.plan_every_day.to_string(),
        Every::Week if repeats.days.is_empty() => t.plan_every_week.with(&name(date.weekday())),
        Every::Day | Every::Week => t.plan_every_week.with(&on(&repeats.days)),
        Every::Month => t.plan_every_month.with(&date.parts().2),
        Every::Year => t.plan_every_year.with(&times.day_and_month(date)),
    }
}

#[cfg(test)]
mod tests {
    use patrol_domain::{
        Timestamp,
        schedule::{RecurrenceRule, TimeZone},
    };

    use super::*;
    use crate::texts::Language;

    fn words(language: &str, rule: Option<&str>) -> String {
        let t = &Language::named(language).unwrap().texts;
        let now = Timestamp::parse("2026-06-01T00:00:00Z").unwrap();
        let schedule = Schedule {
            time_zone: TimeZone::named("Europe/Berlin").unwrap(),
            start: LocalDateTime::parse("2026-12-01T22:00:00").unwrap(),
            duration_minutes: 90,
            rule: rule.map(|rule| RecurrenceRule::parse(rule).unwrap()),
            exdates: Vec::new(),
            rdates: Vec::new(),
            pauses: Vec::new(),
        };
        let Facts(facts) = facts(t, &Times::new(TimeZone::UTC, t, now), &schedule);
        let text = |(label, cell): &(&crate::texts::Text, Cell)| format!("{label}={cell}");
        facts.iter().map(text).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn a_schedule_is_said_in_both_languages() {
        let start = |text| format!("<time datetime=\"2026-12-01T21:00:00.000Z\">{text}</time>");
        let first = start("Tue 1 Dec, 22:00");
        let rest = format!("First start={first}; Time zone=Europe/Berlin; Duration=90 min");
        for (rule, repeats, ends) in [
            (None, "Once", ""),
            (Some("FREQ=DAILY"), "Every day", ""),
            (Some("FREQ=WEEKLY"), "Every week: Tue", ""),
            (Some("FREQ=WEEKLY;BYDAY=WE,MO;COUNT=20"), "Every week: Mon, Wed", "Rounds in all: 20"),
            (Some("FREQ=MONTHLY;UNTIL=20270131T235959"), "Every month: day 1", "Sun 31 Jan 2027"),
            (Some("FREQ=YEARLY"), "Every year: 1 Dec", ""),
            (Some("FREQ=DAILY;INTERVAL=2"), "By the rule FREQ=DAILY;INTERVAL=2", ""),
        ] {
            let said = words("en", rule);
            let first = format!("Repeats={repeats}; {rest}");
            assert!(said.starts_with(&first) && said.ends_with(ends), "{said}");
        }
        let russian = words("ru", Some("FREQ=WEEKLY;BYDAY=WE,MO;COUNT=20"));
        let first = start("вт 1 дек, 22:00");
        assert_eq!(
            russian,
            format!(
                "Повторение=Каждую неделю: пн, ср; Первое начало={first}; \
                 Часовой пояс=Europe/Berlin; Длительность=90 мин; Окончание=Всего обходов: 20"
            )
        );
    }
}
