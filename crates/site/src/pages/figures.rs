//! Figures: how many rounds of a period were done, on time, late and missed.

use actix_web::{
    HttpResponse,
    http::{
        StatusCode,
        header::{CONTENT_DISPOSITION, CONTENT_TYPE},
    },
};
use askama::Template;
use patrol_application::{Failure, FiguresRequest, PeriodBound};
use patrol_domain::{
    Fault, Named, Refusal,
    figures::{Figures, FiguresKey, FiguresReport, FiguresRow, Grouping},
    ids::{LocationId, UserId, parse},
    schedule::LocalDate,
};
use patrol_http::{PageError, figures_csv};
use serde_json::json;

use super::{
    HandlerResult,
    board::{Select, places_and_people},
};
use crate::{
    office::{
        chart::{Chart, Group, MAX_GROUPS},
        faults::FormFault,
        form::{FormView, Kind, Label, Part, Sources},
        list::Address,
        table::{Cell, Column, Table},
    },
    texts::{Text, Texts},
    times::Times,
    view::{self, Frame},
    visit::Planner,
};

/// The days of the period when the address names none.
const USUAL_DAYS: i64 = 7;

#[derive(Template)]
#[template(path = "figures.html")]
struct Page<'a> {
    frame: Frame<'a>,
    /// The fields of [`FORM`].
    fields: String,
    choices: Vec<Select<'a>>,
    /// The address of the same figures as CSV.
    csv: Option<String>,
    shown: Option<Shown<'a>>,
}

/// The fields of the period.
const FORM: &[Part] = &[
    Part::field("from", |t| &t.from, Kind::Date),
    Part::field("to", |t| &t.to, Kind::Date),
    Part::field("group", |t| &t.group_by, Kind::Choice(GROUPS)),
];

/// How figures are grouped: the names of the API, and one for a single row.
const GROUPS: &[(&str, Label)] = &[
    (ALL, |t| &t.group_none),
    ("day", |t| &t.group_day),
    ("week", |t| &t.group_week),
    ("month", |t| &t.group_month),
    ("location", |t| &t.location),
    ("performer", |t| &t.person),
    ("scheduledTask", |t| &t.plan),
];
const ALL: &str = "all";

struct Shown<'a> {
    /// The period and its zone, for print.
    period: String,
    chart: Option<Chart<'a>>,
    /// Whether the table has more rows than a chart can show.
    has_too_many: bool,
    table: Table<'a>,
}

/// What the address asks for.
struct Wanted {
    from: Option<LocalDate>,
    /// The last day.
    to: Option<LocalDate>,
    grouping: Option<Grouping>,
    location: Option<LocationId>,
    person: Option<UserId>,
}

impl Wanted {
    /// Reads the address. Without a period it is the last [`USUAL_DAYS`].
    ///
    /// # Errors
    /// 400 when a choice is none of the offered ones.
    fn of(address: &Address, times: &Times<'_>) -> Result<Self, PageError> {
        let bad = || PageError::new(StatusCode::BAD_REQUEST);
        let day = |name, usual: Option<LocalDate>| match address.value(name) {
            "" => usual,
            text => LocalDate::parse(text),
        };
        let today = times.today();
        let id = |name| match address.value(name) {
            "" => Ok(None),
            text => parse(text).map(Some).ok_or_else(bad),
        };
        let grouping = match address.value("group") {
            "" => Some(Grouping::Day),
            ALL => None,
            name => Some(Grouping::from_name(name).ok_or_else(bad)?),
        };
        Ok(Self {
            from: day("from", today.and_then(|today| today.plus_days(1 - USUAL_DAYS))),
            // The period ends with the begin of the next day.
            to: day("to", today).filter(|day| day.plus_days(1).is_some()),
            grouping,
            location: id("location")?.map(LocationId),
            person: id("person")?.map(UserId),
        })
    }

    /// The request for figures; `None` when a bound is not a day.
    fn request(&self, times: &Times<'_>) -> Option<FiguresRequest> {
        Some(FiguresRequest {
            from: PeriodBound::Day(self.from?),
            to: PeriodBound::Day(self.to?.plus_days(1)?),
            grouping: self.grouping,
            time_zone: Some(times.zone().clone()),
            location_id: self.location,
            performer_id: self.person,
            scheduled_task_id: None,
        })
    }
}

/// GET /figures
pub(crate) async fn show(Planner(signed_in): Planner) -> HandlerResult {
    let visit = &signed_in.visit;
    let (t, times) = (&visit.language().texts, visit.times());
    let address = Address::of(visit);
    let wanted = Wanted::of(&address, &times)?;
    let choices = places_and_people(&signed_in, &address).await?;
    let group = wanted.grouping.map_or(ALL, Named::name);
    let typed = |name, day: Option<LocalDate>| {
        day.map_or_else(|| address.value(name).to_owned(), |day| day.to_string())
    };
    let entered = json!({
        "from": typed("from", wanted.from), "to": typed("to", wanted.to), "group": group,
    });
    let bounds = [("from", wanted.from), ("to", wanted.to)].into_iter();
    let no_days = bounds.filter(|(_, day)| day.is_none());
    let mut faults: Vec<_> = no_days.map(|(name, _)| FormFault::new(name, &t.fault_date)).collect();
    let first = wanted.from.and_then(|day| times.zone().instant(day.midnight()));
    let frame = Frame::of_user(&signed_in, &t.figures);
    let frame = match first {
        Some(first) => frame.with_zone_at(first),
        None => frame,
    };
    let heading = wanted.grouping.and_then(|_| GROUPS.iter().find(|(name, _)| *name == group));
    let heading = heading.map(|(_, text)| text(t));
    let _permit = visit.page.begin_figures(signed_in.session.user.id).await?;
    let report = match wanted.request(&times) {
        None => None,
        Some(request) => match visit.site.api.figures.report(signed_in.actor, request).await {
            Ok(report) => Some(report),
            Err(Failure::Refused(Refusal::Invalid(refused))) => {
                let of_field = |refused: &Fault| match refused.identifier.as_str() {
                    day @ ("from" | "to") => FormFault::new(day, &t.figures_period_refused),
                    _ => FormFault::new("group", &t.figures_too_many_groups),
                };
                faults.extend(refused.iter().map(of_field));
                None
            }
            Err(failure) => return Err(PageError::of(failure)),
        },
    };
    let (status, frame, shown) = match report {
        Some(report) => {
            let days = [wanted.from, wanted.to].map(|day| day.map(|day| times.date(day)));
            let [first, last] = days.map(Option::unwrap_or_default);
            let period = t.figures_period.with_each(&[&first, &last, &frame.zone_label()]);
            let is_grouped = wanted.grouping.is_some();
            let shown = Shown {
                has_too_many: report.rows.len() > MAX_GROUPS,
                chart: chart(t, &times, &period, &report, is_grouped),
                table: table(t, &times, &report, heading, |row| page_of(&address, &wanted, row)),
                period,
            };
            (StatusCode::OK, frame, Some(shown))
        }
        None => (StatusCode::UNPROCESSABLE_ENTITY, frame.refused(&t.figures_refused), None),
    };
    let csv = shown.is_some().then(|| address.at("/figures/csv"));
    let view = FormView {
        t,
        times: &times,
        sources: &Sources::default(),
        faults: &faults,
        changed: None,
        answer: None,
    };
    let fields = view.html(FORM, &entered);
    let fields = fields.map_err(PageError::internal)?;
    let page = Page { frame, fields, choices, csv, shown };
    view::page(visit, status, &page)
}

/// GET /figures/csv: the same figures as a file.
pub(crate) async fn csv(Planner(signed_in): Planner) -> HandlerResult {
    let visit = &signed_in.visit;
    let times = visit.times();
    let wanted = Wanted::of(&Address::of(visit), &times)?;
    let bad = || PageError::new(StatusCode::BAD_REQUEST);
    let (Some(from), Some(to)) = (wanted.from, wanted.to) else { return Err(bad().into()) };
    let request = wanted.request(&times).ok_or_else(bad)?;
    let _permit = visit.page.begin_figures(signed_in.session.user.id).await?;
    let report = visit.site.api.figures.report(signed_in.actor, request).await;
    let body = figures_csv(&report.map_err(PageError::of)?).map_err(PageError::of)?;
    let mut answer = HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "text/csv; charset=utf-8"))
        .insert_header((
            CONTENT_DISPOSITION,
            format!("attachment; filename=\"figures-{from}-{to}.csv\""),
        ))
        .body(body);
    view::finish(&mut answer, &visit.site.settings.public_url, &visit.cookies.borrow());
    Ok(answer)
}

/// What a group is called.
fn name_of(t: &Texts, times: &Times<'_>, row: &FiguresRow, is_grouped: bool) -> String {
    match (row.key, &row.name) {
        (_, Some(name)) => name.clone(),
        (Some(FiguresKey::Day(day)), None) => times.date(day),
        (Some(FiguresKey::Id(_)), None) => t.figures_deleted.to_string(),
        (Some(key), None) => key.to_string(),
        (None, None) if is_grouped => t.figures_without.to_string(),
        (None, None) => t.group_all.to_string(),
    }
}

/// The page that says more about a group: the board of its day, or that of its record.
fn page_of(address: &Address, wanted: &Wanted, row: &FiguresRow) -> Option<String> {
    let folder = match (wanted.grouping?, row.key?) {
        (_, FiguresKey::Day(day)) => {
            let board = Address::new("/rounds", address.only(&["location", "person"]).parameters());
            return Some(board.with("date", &day.to_string()));
        }
        (Grouping::Location, _) => "locations",
        (Grouping::Performer, _) => "people",
        (Grouping::ScheduledTask, _) => "plans",
        _ => return None,
    };
    row.name.as_ref().and(row.key).map(|id| format!("/{folder}/{id}"))
}

fn count(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

fn chart<'a>(
    t: &'a Texts,
    times: &Times<'_>,
    period: &str,
    report: &FiguresReport,
    is_grouped: bool,
) -> Option<Chart<'a>> {
    let group = |row: &FiguresRow| Group {
        label: name_of(t, times, row, is_grouped),
        completed: count(row.figures.completed),
        late: count(row.figures.late),
        missed: count(row.figures.missed),
    };
    Chart::new(t, t.figures_chart.with(period), report.rows.iter().map(group).collect())
}

fn table<'a>(
    t: &'a Texts,
    times: &Times<'_>,
    report: &FiguresReport,
    heading: Option<&Text>,
    page_of: impl Fn(&FiguresRow) -> Option<String>,
) -> Table<'a> {
    let is_grouped = heading.is_some();
    let numbers = [
        &t.state_planned,
        &t.state_completed,
        &t.on_time,
        &t.state_late,
        &t.state_missed,
        &t.state_in_progress,
        &t.steps,
        &t.steps_done,
        &t.errors,
        &t.warnings,
        &t.flags,
        &t.minutes_on_average,
    ];
    let columns = numbers.into_iter().map(Column::of_numbers);
    let cells = |name: Cell, figures: &Figures| {
        let counts = [
            figures.planned,
            figures.completed,
            figures.on_time,
            figures.late,
            figures.missed,
            figures.in_progress,
            figures.steps,
            figures.executed_steps,
            figures.error_count,
            figures.warning_count,
            figures.flag_count,
        ];
        let counts = counts.into_iter().map(|number| Cell::Number(count(number)));
        let average = figures.average_minutes().map(|minutes| format!("{minutes:.1}"));
        let name = std::iter::once(name);
        name.chain(counts).chain([average.into()]).collect::<Vec<_>>()
    };
    let row = |row: &FiguresRow| {
        let name = name_of(t, times, row, is_grouped);
        let name = match page_of(row) {
            Some(page) => Cell::link(page, name),
            None => Cell::text(name),
        };
        cells(name, &row.figures)
    };
    let mut rows: Vec<_> = report.rows.iter().map(row).collect();
    if rows.len() > 1 {
        rows.push(cells(Cell::text(&t.figures_total), &report.total));
    }
    let columns = std::iter::once(Column::new(heading.unwrap_or(&t.rounds))).chain(columns);
    Table::new(t, [&t.figures, &t.none_found], columns, rows)
}
