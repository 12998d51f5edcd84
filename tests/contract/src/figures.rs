//! Figures: compared with the rules, round by round.

use std::collections::BTreeMap;

use patrol_domain::{
    Timestamp,
    figures::{CountedRound, Figures, FiguresKey, FiguresQuery, FiguresRow, Grouping, MAX_GROUPS},
    ids::Uuid,
    schedule::{LocalDate, TimeZone},
    task_execution::{ExecutionSummary, Punctuality, TaskExecution},
};
use proptest::{option::weighted, prelude::*, sample::select};

use crate::{
    Adapter, arbitrary,
    sample::{
        MANY, execution, execution_id, fill, import, location, location_id, of_execution, task,
        task_id, time, user, user_id,
    },
};

/// The number of queries.
const QUERIES: usize = 300;

/// The number of rounds.
const ROUNDS: usize = 120;

const ZONES: [&str; 4] = ["UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Apia"];

/// Times around changes of the offsets of [`ZONES`] and the ends of years, and the first and the last time.
fn times() -> impl Strategy<Value = Timestamp> {
    let times = [
        "0001-01-01T00:00:00Z",
        "1969-12-31T23:59:59.999Z",
        "2006-10-29T02:30:59.999Z",
        "2006-10-29T02:31:00Z",
        "2011-12-30T09:59:59.999Z",
        "2011-12-30T10:00:00Z",
        "2024-12-29T22:59:59.999Z",
        "2024-12-31T23:00:00Z",
        "2025-03-29T23:00:00Z",
        "2025-03-30T00:59:59.999Z",
        "2025-03-30T21:59:59.999Z",
        "2025-10-25T22:00:00Z",
        "2025-10-26T22:59:59.999Z",
        "2025-10-26T23:00:00Z",
        "9999-12-31T23:59:59.999Z",
    ];
    select(times.map(|text| Timestamp::parse(text).expect("a time")).to_vec())
}

/// Rounds of [`arbitrary::execution`] whose plans are moved to [`times`].
fn round() -> impl Strategy<Value = TaskExecution> {
    (arbitrary::execution(), times(), times(), any::<bool>()).prop_map(
        |(round, one, other, is_moved)| {
            if is_moved {
                TaskExecution { start_at: one.min(other), end_at: one.max(other), ..round }
            } else {
                round
            }
        },
    )
}

fn query() -> impl Strategy<Value = FiguresQuery> {
    let number = || weighted(0.2, 1..=MANY + 1);
    let bound = || prop_oneof![times(), (0..8_i64).prop_map(|second| time(second * 1_000))];
    let grouping = prop_oneof![Just(None), select(GROUPINGS.to_vec()).prop_map(Some)];
    let punctuality = (0..4_u64, 0..9_i64);
    let only = (number(), number(), number());
    (bound(), bound(), grouping, select(&ZONES[..]), only, punctuality).prop_map(
        |(one, other, grouping, zone, (location, performer, task), (late_after, now))| {
            let late_after = std::time::Duration::from_secs(late_after);
            FiguresQuery {
                from: one.min(other),
                to: one.max(other),
                grouping,
                time_zone: TimeZone::named(zone).expect("a zone"),
                location_id: location.map(location_id),
                performer_id: performer.map(user_id),
                scheduled_task_id: task.map(task_id),
                moment: Punctuality { late_after }.at(time(now * 1_000)),
            }
        },
    )
}

const GROUPINGS: [Grouping; 6] = [
    Grouping::Day,
    Grouping::Week,
    Grouping::Month,
    Grouping::Location,
    Grouping::Performer,
    Grouping::ScheduledTask,
];

/// The answer, found in the simplest way.
fn expected(rounds: &[TaskExecution], query: &FiguresQuery) -> Vec<FiguresRow> {
    let mut groups: BTreeMap<_, FiguresRow> = BTreeMap::new();
    for round in rounds.iter().filter(|round| is_counted(round, query)) {
        let (key, name) = group_of(round, query);
        let order = (key.is_none(), key.map(|key| key.to_string()));
        let row = groups.entry(order);
        let row = row.or_insert(FiguresRow { key, name, figures: Figures::default() });
        row.figures.add(Figures::of(counted(round), query.moment));
    }
    groups.into_values().collect()
}

fn is_counted(round: &TaskExecution, query: &FiguresQuery) -> bool {
    round.published
        && query.from <= round.start_at
        && round.start_at < query.to
        && query.location_id.is_none_or(|id| id == round.location_id)
        && query.performer_id.is_none_or(|id| Some(id) == round.performer_id)
        && query.scheduled_task_id.is_none_or(|id| Some(id) == round.scheduled_task_id)
}

fn counted(round: &TaskExecution) -> CountedRound {
    let ExecutionSummary { step_count, executed_step_count, error_count, warning_count, .. } =
        round.summary();
    CountedRound {
        timing: round.timing(),
        steps: step_count,
        executed_steps: executed_step_count,
        error_count,
        warning_count,
        flag_count: round.flag_count,
    }
}

fn group_of(round: &TaskExecution, query: &FiguresQuery) -> (Option<FiguresKey>, Option<String>) {
    let day = || {
        let local = query.time_zone.local(round.start_at);
        // The year 0 and the year 10000 of a zone count as the first and the last day.
        let last = if round.start_at.millis() > 0 { "9999-12-31" } else { "0001-01-01" };
        let outside = LocalDate::parse(last).expect("a date");
        local.map_or(outside, |local| local.date())
    };
    let named = |id: Option<Uuid>, name: &dyn Fn(u128) -> (Uuid, String)| {
        let known = (1..=MANY).map(name).find(|(known, _)| Some(*known) == id);
        (id.map(FiguresKey::Id), known.map(|(_, name)| name))
    };
    match query.grouping {
        None => (None, None),
        Some(Grouping::Day) => (Some(FiguresKey::Day(day())), None),
        Some(Grouping::Week) => (Some(FiguresKey::Week(day().week_start())), None),
        Some(Grouping::Month) => (Some(FiguresKey::Month(day().month_start())), None),
        Some(Grouping::Location) => named(Some(round.location_id.0), &|number| {
            (location_id(number).0, location(number).name)
        }),
        Some(Grouping::Performer) => named(round.performer_id.map(Uuid::from), &|number| {
            (user_id(number).0, user(number).full_name())
        }),
        Some(Grouping::ScheduledTask) => {
            named(round.scheduled_task_id.map(Uuid::from), &|number| {
                (task_id(number).0, task(number).name)
            })
        }
    }
}

/// The groups are those that the rules give for each round, in the order of their keys, with the names of
/// their records.
pub async fn figures_are_those_of_each_round<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let mut rounds = arbitrary::some(ROUNDS, round());
    for (round, number) in rounds.iter_mut().zip(1..) {
        round.id = execution_id(number);
    }
    fill(&ports, &rounds).await;
    for query in arbitrary::some(QUERIES, query()) {
        let found = ports.figures.figures(query.clone()).await.expect("figures");
        assert_eq!(found, Some(expected(&rounds, &query)), "{query:?}");
    }
}

/// No more groups are answered than [`MAX_GROUPS`].
pub async fn too_many_groups_are_refused<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    fill(&ports, &[]).await;
    let several = u128::try_from(MAX_GROUPS).expect("a number") + 1;
    let made = |number: u128| {
        let day = i64::try_from(number).expect("a day") * 86_400_000;
        let round = TaskExecution { published: true, start_at: time(day), ..execution(number) };
        of_execution(TaskExecution { end_at: time(day), ..round })
    };
    import(&ports, (1..=several).map(made).collect()).await.expect("an import");
    let of_days = |days: i64| FiguresQuery {
        from: time(0),
        to: time(days * 86_400_000),
        grouping: Some(Grouping::Day),
        time_zone: TimeZone::UTC,
        location_id: None,
        performer_id: None,
        scheduled_task_id: None,
        moment: Punctuality::default().at(time(0)),
    };
    let most = i64::try_from(MAX_GROUPS).expect("a number") + 1;
    let found = ports.figures.figures(of_days(most)).await.expect("figures");
    assert_eq!(found.map(|rows| rows.len()), Some(MAX_GROUPS));
    assert_eq!(ports.figures.figures(of_days(most + 1)).await, Ok(None));
    let by_month = FiguresQuery { grouping: Some(Grouping::Month), ..of_days(most + 1) };
    assert!(ports.figures.figures(by_month).await.expect("figures").is_some());
}
