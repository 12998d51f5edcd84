//! The board: the rounds of one day, as they are now.

use std::{collections::HashMap, iter};

use actix_web::{Error, http::StatusCode};
use askama::{Template, filters::HtmlSafe};
use patrol_domain::{
    Named, Timestamp,
    ids::{LocationId, UserId, parse},
    list::{Comparison, Condition, Membership, Query, Test},
    location::{LocationFilter, LocationSort},
    schedule::{LocalDate, TimeZone},
    task_execution::{
        ExecutionFilter, ExecutionList, ExecutionSort, ExecutionSummary, Moment, State,
    },
    user::UserSort,
};

use super::{HandlerResult, choices::by_ids, listed, names::Names};
use crate::{
    office::{
        list::{self, Address},
        state::{Mark, StateLabel},
        table::{Cell, Column, Table},
    },
    texts::{Text, Texts},
    times::Times,
    view::{self, Frame},
    visit::SignedIn,
};

/// The most names of people that a row shows, so that it stays one line high.
const MAX_NAMES: usize = 1;

/// The most locations and people to choose from.
const MAX_CHOICES: u32 = 1_000;

/// The header of a request for the part of the page that changes.
const PART: &str = "patrol-part";

const SORTS: [(&str, ExecutionSort); 7] = [
    ("start", ExecutionSort::StartAt),
    ("name", ExecutionSort::Name),
    ("started", ExecutionSort::StartedAt),
    ("ended", ExecutionSort::EndedAt),
    ("steps", ExecutionSort::ExecutedStepCount),
    ("state", ExecutionSort::State),
    ("flags", ExecutionSort::FlagCount),
];

/// A value of the field "State", or a number of the day: its name in the address, its icon, and its
/// rounds.
struct Choice {
    name: &'static str,
    mark: Mark,
    condition: Condition<ExecutionFilter>,
}

/// The values of the field "State".
fn states(moment: Moment) -> Vec<Choice> {
    let of = |state: State| Choice {
        name: state.name(),
        mark: state.into(),
        condition: Condition::Is(
            ExecutionFilter::State,
            Test::Codes(Membership::Any, vec![state.code()]),
        ),
    };
    let late = Choice { name: "LATE", mark: Mark::Late, condition: moment.late(true) };
    let missed = Choice { name: "MISSED", mark: Mark::Missed, condition: moment.missed(true) };
    State::ALL.iter().copied().map(of).chain([late, missed]).collect()
}

fn flagged() -> Condition<ExecutionFilter> {
    Condition::Is(ExecutionFilter::Flagged, Test::Flag(true))
}

/// A day of a time zone, 23 to 25 hours long.
struct Day {
    date: LocalDate,
    from: Timestamp,
    /// The beginning of the next day.
    until: Timestamp,
}

impl Day {
    /// `None` at the end of the calendar.
    fn of(zone: &TimeZone, date: LocalDate) -> Option<Self> {
        let from = zone.instant(date.midnight())?;
        let until = zone.instant(date.plus_days(1)?.midnight())?;
        Some(Self { date, from, until })
    }

    /// The rounds of the day: planned to start before its end, and to end after its start, or ended after
    /// it, or under way after it.
    fn condition(&self, now: Timestamp) -> Condition<ExecutionFilter> {
        let is = |filter, comparison, time| Condition::Is(filter, Test::Time(comparison, time));
        let mut ends = vec![
            is(ExecutionFilter::EndAt, Comparison::Greater, self.from),
            is(ExecutionFilter::EndedAt, Comparison::Greater, self.from),
        ];
        if now > self.from {
            let under_way = Test::Codes(Membership::Any, vec![State::InProgress.code()]);
            ends.push(Condition::Is(ExecutionFilter::State, under_way));
        }
        Condition::All(vec![
            is(ExecutionFilter::StartAt, Comparison::Less, self.until),
            Condition::Any(ends),
        ])
    }
}

#[derive(Template)]
#[template(path = "board.html")]
struct BoardPage<'a> {
    frame: Frame<'a>,
    date: String,
    previous: Option<String>,
    today: String,
    next: Option<String>,
    address: &'a Address,
    choices: Vec<Select<'a>>,
    only_flagged: bool,
    part: BoardPart<'a>,
}

/// A field with values to choose from.
pub(super) struct Select<'a> {
    pub(super) name: &'static str,
    pub(super) label: &'a Text,
    pub(super) chosen: &'a str,
    pub(super) values: Vec<(String, String)>,
}

/// The part of the page that changes with the rounds.
#[derive(Template)]
#[template(path = "board_part.html")]
struct BoardPart<'a> {
    t: &'a Texts,
    date: String,
    zone: String,
    numbers: Vec<Number>,
    table: Table<'a>,
}

impl HtmlSafe for BoardPart<'_> {}

/// A number of the day.
struct Number {
    mark: Mark,
    count: u64,
    href: String,
    is_chosen: bool,
}

/// GET /rounds
pub(crate) async fn show(signed_in: SignedIn) -> HandlerResult {
    let visit = &signed_in.visit;
    let t = &visit.language().texts;
    let address = Address::of(visit);
    let times = visit.times();
    let day_of = |date| Day::of(times.zone(), date);
    let named = LocalDate::parse(address.value("date")).and_then(day_of);
    let is_unknown = named.is_none() && !address.value("date").is_empty();
    let day = named.or_else(|| times.today().and_then(day_of));
    let day = day.ok_or_else(|| patrol_http::PageError::new(StatusCode::NOT_FOUND))?;
    let moment = visit.site.api.punctuality.at(times.now());
    let states = states(moment);
    let board = Board { signed_in: &signed_in, t, address: &address, day, moment, states };
    let part = board.part().await?;
    if visit.request.headers().contains_key(PART) {
        return view::page(visit, StatusCode::OK, &part);
    }
    let Day { date, from, .. } = board.day;
    let beside = |days| date.plus_days(days).map(|day| address.with("date", &day.to_string()));
    let frame = Frame::of_user(&signed_in, &t.rounds).with_zone_at(from);
    let page = BoardPage {
        frame: if is_unknown { frame.refused(&t.board_no_day) } else { frame },
        date: date.to_string(),
        previous: beside(-1),
        today: address.with("date", ""),
        next: beside(1),
        address: &address,
        choices: board.selects().await?,
        only_flagged: board.is_only_flagged(),
        part,
    };
    view::page(visit, StatusCode::OK, &page)
}

/// The fields of the form of filters.
const FIELDS: &[&str] = &["date", "search", "location", "person", "state", "flagged"];

/// What a request for the board is about.
struct Board<'a> {
    signed_in: &'a SignedIn,
    t: &'a Texts,
    address: &'a Address,
    day: Day,
    moment: Moment,
    states: Vec<Choice>,
}

impl<'a> Board<'a> {
    const fn now(&self) -> Timestamp {
        self.moment.now
    }

    fn is_only_flagged(&self) -> bool {
        self.address.value("flagged") == "true"
    }

    /// The conditions that the form of filters names.
    fn filters(&self) -> Vec<Condition<ExecutionFilter>> {
        let id = |name, filter| {
            let id = parse(self.address.value(name))?;
            Some(Condition::Is(filter, Test::Ids(Membership::Any, vec![id])))
        };
        let state = self.address.value("state");
        let state = self.states.iter().find(|choice| choice.name == state);
        let state = state.map(|choice| choice.condition.clone());
        let flagged = self.is_only_flagged().then(flagged);
        let ids = [("location", ExecutionFilter::Location), ("person", ExecutionFilter::User)];
        ids.into_iter()
            .filter_map(|(name, filter)| id(name, filter))
            .chain(state)
            .chain(flagged)
            .collect()
    }

    async fn part(&self) -> Result<BoardPart<'a>, Error> {
        let visit = &self.signed_in.visit;
        let executions = &visit.site.api.executions;
        let filters = self.filters();
        let is_filtered = !filters.is_empty() || !self.address.value("search").is_empty();
        let conditions = iter::once(self.day.condition(self.now())).chain(filters).collect();
        let query = list::query::<ExecutionList>(visit, self.address, &SORTS, conditions);
        let (rounds, total) = listed(executions.list(self.signed_in.actor, query)).await?;
        let empty = if is_filtered { &self.t.no_rounds_found } else { &self.t.no_rounds };
        let rows = self.rows(&rounds).await?;
        let table = Table::new(self.t, [&self.t.rounds, empty], self.columns(), rows);
        Ok(BoardPart {
            t: self.t,
            date: self.day.date.to_string(),
            zone: visit.zone().name().to_owned(),
            numbers: self.numbers().await?,
            table: table.page_of(self.address, total),
        })
    }

    /// The numbers of the day, whatever the filters are.
    async fn numbers(&self) -> Result<Vec<Number>, Error> {
        let executions = &self.signed_in.visit.site.api.executions;
        let day = self.address.only(&["date"]);
        let (state, only_flagged) = (self.address.value("state"), self.is_only_flagged());
        let of_state = |choice: &Choice| {
            let (name, mark) = (choice.name, choice.mark);
            let condition = Some(choice.condition.clone());
            (mark, condition, day.with("state", name), !only_flagged && state == name)
        };
        // All rounds of the day are planned, so no number counts those that are PENDING.
        let is_all = state.is_empty() && !only_flagged;
        let all = (Mark::Planned, None, day.with("state", ""), is_all);
        let flags = (Mark::Flagged, Some(flagged()), day.with("flagged", "true"), only_flagged);
        let of_states = self.states.iter().filter(|choice| choice.mark != Mark::Planned);
        let numbers = iter::once(all).chain(of_states.map(of_state)).chain([flags]);
        let counted = numbers.map(async |(mark, condition, href, is_chosen)| {
            let day = self.day.condition(self.now());
            let condition = Condition::All(iter::once(day).chain(condition).collect());
            let query = list::first(self.signed_in, condition, None, 0);
            let query = Query { now: self.now(), ..query };
            let (_, count) = listed(executions.list(self.signed_in.actor, query)).await?;
            Ok(Number { mark, count, href, is_chosen })
        });
        futures_util::future::try_join_all(counted).await
    }

    fn columns(&self) -> Vec<Column> {
        let t = self.t;
        let sorted = |label, name| Column::new(label).sorted_by(self.address, name);
        vec![
            sorted(&t.round, "name"),
            Column::new(&t.location),
            sorted(&t.planned_start, "start"),
            sorted(&t.started, "started"),
            sorted(&t.ended, "ended"),
            sorted(&t.steps, "steps"),
            Column::new(&t.people),
            sorted(&t.state, "state"),
            sorted(&t.flags, "flags"),
        ]
    }

    async fn rows(&self, rounds: &[ExecutionSummary]) -> Result<Vec<Vec<Cell>>, Error> {
        let Self { signed_in, .. } = *self;
        let (api, actor) = (&signed_in.visit.site.api, signed_in.actor);
        let list = |query| api.locations.list(actor, query);
        let ids = rounds.iter().map(|round| round.location_id);
        let locations = by_ids(signed_in, LocationFilter::Id, ids, list).await?;
        let locations = locations.into_iter().map(|one| (one.id, one.name)).collect();
        let people = rounds.iter().flat_map(|round| people(round).take(MAX_NAMES));
        let people = Names::read(signed_in, people).await?;
        let times = signed_in.visit.times();
        Ok(rounds.iter().map(|round| self.row(round, &times, &locations, &people)).collect())
    }

    fn row(
        &self,
        round: &ExecutionSummary,
        times: &Times<'_>,
        locations: &HashMap<LocationId, String>,
        names: &Names,
    ) -> Vec<Cell> {
        let t = self.t;
        let start = Cell::from(times.time_on(round.start_at, self.day.date));
        let time = |at, before| Cell::from(times.time_after(at, before));
        let started_at = round.progress.started_at();
        let ended_at = round.progress.ended_at();
        let ended = ended_at.map(|at| time(at, started_at.unwrap_or(at)));
        let [done, all] = [round.executed_step_count, round.step_count]
            .map(|count| u64::try_from(count).unwrap_or_default());
        let text = format!("{done} {}", t.of_total.with(&all));
        let flags = u64::try_from(round.flag_count).unwrap_or_default();
        let states = StateLabel::of_round(t, round.timing(), self.moment);
        vec![
            Cell::link(format!("/rounds/{}", round.id.0), &round.name),
            locations.get(&round.location_id).cloned().into(),
            Cell::Several(vec![start, Cell::text("–"), time(round.end_at, round.start_at)]),
            started_at.map(|at| time(at, round.start_at)).into(),
            ended.into(),
            Cell::Progress { done, all, text },
            Cell::text(people_of(round, names, t)),
            Cell::Several(states.map(Into::into).collect()),
            (flags > 0).then(|| StateLabel::flags_of_column(flags)).into(),
        ]
    }

    /// The fields with values to choose from.
    async fn selects(&self) -> Result<Vec<Select<'a>>, Error> {
        let Self { signed_in, t, address, .. } = *self;
        let mut selects = places_and_people(signed_in, address).await?;
        let states = self.states.iter();
        let values = states.map(|choice| (choice.name.to_owned(), choice.mark.text(t).to_string()));
        let (values, chosen) = (values.collect(), address.value("state"));
        selects.push(Select { name: "state", label: &t.state, chosen, values });
        Ok(selects)
    }
}

/// The fields "Location" and "Person" of filters.
///
/// # Errors
/// When their values cannot be read.
pub(super) async fn places_and_people<'a>(
    signed_in: &'a SignedIn,
    address: &'a Address,
) -> Result<Vec<Select<'a>>, Error> {
    let (t, api) = (&signed_in.visit.language().texts, &signed_in.visit.site.api);
    let all = Condition::All(Vec::new());
    let locations = list::first(signed_in, all, Some(LocationSort::Name), MAX_CHOICES);
    let locations = listed(api.locations.list(signed_in.actor, locations)).await?.0;
    let all = Condition::All(Vec::new());
    let people = list::first(signed_in, all, Some(UserSort::FirstName), MAX_CHOICES);
    let people = listed(api.users.list(signed_in.actor, people)).await?.0;
    let of = |name, label, mut values: Vec<(String, String)>| {
        let chosen = address.value(name);
        // A link may name one that is not among the first.
        if parse(chosen).is_some() && !values.iter().any(|(id, _)| id == chosen) {
            values.push((chosen.to_owned(), t.not_offered.to_string()));
        }
        Select { name, label, chosen, values }
    };
    let locations = locations.into_iter().map(|one| (one.id.to_string(), one.name));
    let people = people.into_iter().map(|one| (one.id.to_string(), one.full_name()));
    Ok(vec![
        of("location", &t.location, locations.collect()),
        of("person", &t.person, people.collect()),
    ])
}

/// The performer of a round, then those who may perform it.
fn people(round: &ExecutionSummary) -> impl Iterator<Item = UserId> {
    let others = round.assignee_ids.iter().copied();
    let performer = round.performer_id;
    performer.into_iter().chain(others.filter(move |id| Some(*id) != performer))
}

/// The names of the first people of a round, and the number of the others.
fn people_of(round: &ExecutionSummary, names: &Names, t: &Texts) -> String {
    let shown = people(round).take(MAX_NAMES).filter_map(|id| names.get(id));
    let shown = shown.collect::<Vec<_>>().join(", ");
    match people(round).count().saturating_sub(MAX_NAMES) {
        0 => shown,
        more => format!("{shown} {}", t.more_people.with(&more)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length(zone: &str, date: &str) -> i64 {
        let zone = TimeZone::named(zone).unwrap();
        let day = Day::of(&zone, LocalDate::parse(date).unwrap()).unwrap();
        day.until.since(day.from) / 3_600_000
    }

    #[test]
    fn a_day_is_as_long_as_it_is_in_its_zone() {
        assert_eq!(length("UTC", "2026-03-29"), 24);
        assert_eq!(length("Europe/Berlin", "2026-03-29"), 23);
        assert_eq!(length("Europe/Berlin", "2026-10-25"), 25);
        // Midnight does not exist on this day.
        assert_eq!(length("America/Sao_Paulo", "2018-11-04"), 23);
    }
}
