//! What a dispatcher asks for: figures of a year, what is late or missed, lists as CSV, the pages.

use std::{
    io::{BufRead as _, BufReader},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use patrol_tests::{
    Api, SiteClient,
    bench::{
        company,
        load::{self, median},
        process::Process,
        rate::Latencies,
        report::{Goals, Row, rate},
    },
    execution_id,
};

use super::{
    counts::{Writes, ask},
    whole_list::Over,
};
use crate::subject::Subject;

/// All rounds of the data set.
const FIGURES: &str = "/v1/figures?from=2026-01-01&to=2027-01-01";

/// The pages that are open at once.
const BOARDS: usize = 100;

/// How often each page is asked for.
const PAGES: usize = 100;

const PASSWORD: &str = "correct horse battery";

pub(crate) fn measure(subject: &Subject<'_>, goals: &mut Goals) {
    let server = subject.serve();
    figures(subject, &server, goals);
    let mut browser = signed_in(subject, &server);
    pages(&mut browser, goals);
    boards(subject, &server, &browser, goals);
    // What the lists keep in memory is made by the first one.
    let server = subject.serve();
    late_and_missed(subject, &server, goals);
    csv(subject, &server, goals);
}

fn figures(subject: &Subject<'_>, server: &Process, goals: &mut Goals) {
    let api = subject.api(server);
    let groups = ["", "day", "week", "month", "location", "performer", "scheduledTask"];
    for by in groups {
        let (group, what) = match by {
            "" => (String::new(), "one row".to_owned()),
            by => (format!("&groupBy={by}"), format!("by {by}")),
        };
        let path = format!("{FIGURES}{group}");
        let first = ask(&api, &path);
        let again = median((0..subject.plan.rounds).map(|_| ask(&api, &path)));
        goals.add(
            Row::new(format!("figures of all rounds, {what}"), format!("{again:.0} ms"))
                .beside(format!("the first time {first:.0} ms"))
                .at_most(again, 1_000.0, "ms"),
        );
    }
    let (is_over, path) = (AtomicBool::new(false), format!("{FIGURES}&groupBy=performer"));
    let answered = thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                ask(&api, &path);
            }
        });
        let _over = Over(&is_over);
        load::settle();
        (0..subject.plan.rounds).map(|_| subject.reads(server)).collect::<Vec<_>>()
    });
    let of = |figure: fn(&load::Answered) -> f64| median(answered.iter().map(figure));
    let p99 = of(|it| it.p99);
    goals.add(
        Row::new("read by id beside one client with figures, p99", format!("{p99:.1} ms"))
            .beside(rate(of(|it| it.rate)))
            .at_most(p99, 50.0, "ms"),
    );
}

fn late_and_missed(subject: &Subject<'_>, server: &Process, goals: &mut Goals) {
    let api = subject.api(server);
    let mut writes = Writes::of(subject, "what is late");
    for filter in ["late=true", "missed=true", "state=PENDING"] {
        let path = format!("/v1/task-executions/info?{filter}&sort=startAt,desc&limit=50");
        let first = ask(&api, &path);
        let again = median((0..30).map(|_| {
            writes.next(&api);
            ask(&api, &path)
        }));
        let row =
            Row::new(format!("list with {filter}, first after a write"), format!("{again:.1} ms"));
        goals.add(row.beside(format!("first after the start {first:.0} ms")));
    }
}

fn csv(subject: &Subject<'_>, server: &Process, goals: &mut Goals) {
    let list = |api: &Api| {
        let start = Instant::now();
        let mut answer = api.open("GET", "/v1/task-executions/info", None);
        assert_eq!(answer.status().as_u16(), 200);
        std::io::copy(&mut answer, &mut std::io::sink()).expect("the list is whole");
        start.elapsed().as_secs_f64()
    };
    let json = subject.api(server);
    let csv = json.with("Accept", "text/csv");
    let (csv, json): (Vec<_>, Vec<_>) =
        (0..subject.plan.rounds).map(|_| (list(&csv), list(&json))).unzip();
    let (csv, json) = (median(csv), median(json));
    goals.add(
        Row::new("whole list as CSV", format!("{csv:.2} s"))
            .against(format!("as JSON {json:.2} s"), csv / json),
    );
}

/// The browser of the administrator, who was invited.
pub(super) fn signed_in(subject: &Subject<'_>, server: &Process) -> SiteClient {
    let invited = subject.store.patrol(&["user", "invite", "E0"]).output();
    let link = String::from_utf8(invited.expect("the program starts").stdout).expect("a link");
    let path = format!("/invitation/{}", link.trim().rsplit('/').next().expect("a code"));
    let mut browser = SiteClient::new(server.address());
    let form = browser.open(&path);
    let set = browser.submit(&form, &path, &[("new", PASSWORD), ("repeated", PASSWORD)]);
    assert_eq!(set.status, 303, "{}", set.text);
    browser
}

/// Open boards: what they cost while nothing changes, and when the last one is told of a change.
fn boards(subject: &Subject<'_>, server: &Process, browser: &SiteClient, goals: &mut Goals) {
    let session = browser.cookie("patrol_session").expect("a session");
    let api = Api::new(server.address()).with("Cookie", &format!("patrol_session={session}"));
    let mut boards: Vec<_> = (0..BOARDS)
        .map(|_| BufReader::new(api.open("GET", "/rounds/live", None)).lines())
        .collect();
    let mut wait_for = |wanted: &str| {
        for board in &mut boards {
            let mut lines = board.by_ref().map_while(Result::ok);
            assert!(lines.any(|line| line == wanted), "a board waits for {wanted}");
        }
    };
    wait_for("event: beat");
    load::settle();
    let (begun, before) = (Instant::now(), server.processor_time());
    thread::sleep(Duration::from_secs(if subject.plan.quick { 1 } else { 20 }));
    let load = (server.processor_time() - before).as_secs_f64() / begun.elapsed().as_secs_f64();
    goals.add(
        Row::new(
            format!("{BOARDS} open boards at rest"),
            format!("{:.1} % of a core", load * 100.0),
        )
        .at_most(load * 100.0, 10.0, "%"),
    );
    let mut writes = Writes::of(subject, "what boards show");
    let changed = Instant::now();
    writes.next(&subject.api(server));
    wait_for("event: change");
    let seconds = changed.elapsed().as_secs_f64();
    goals.add(
        Row::new(
            format!("the last of {BOARDS} boards is told of a change"),
            format!("{seconds:.2} s"),
        )
        .at_most(seconds, 2.0, "s"),
    );
}

fn pages(browser: &mut SiteClient, goals: &mut Goals) {
    let round = format!("/rounds/{}", execution_id(company::COMPLETED));
    let plan = format!("/plans/{}", company::task_id(1));
    let location = format!("/locations/{}", company::location_id(1));
    let point = format!("/points/{}", company::point_id(1, 1));
    let person = format!("/people/{}", company::user_id(1));
    let form = |of: &str| format!("{of}/edit");
    for (what, path) in [
        ("board of a day", "/rounds?date=2026-06-15"),
        ("board, late ones of a day", "/rounds?date=2026-06-15&state=LATE"),
        ("a round", &round),
        ("form of a round", &form(&round)),
        ("form of a new round", "/rounds/new"),
        ("people", "/people"),
        ("a person", &person),
        ("form of a person", &form(&person)),
        ("locations", "/locations"),
        ("a location", &location),
        ("form of a location", &form(&location)),
        ("a point", &point),
        ("form of a point", &form(&point)),
        ("plans", "/plans"),
        ("a plan", &plan),
        ("form of a plan", &form(&plan)),
        ("form of a new plan", "/plans/new"),
        ("check-lists", "/check-lists"),
        ("form of a check-list", "/check-lists/new"),
        ("figures of a week", "/figures?from=2026-06-15&to=2026-06-21"),
    ] {
        let times = (0..=PAGES)
            .map(|_| {
                let start = Instant::now();
                let _ = browser.open(path);
                start.elapsed().as_secs_f64() * 1e3
            })
            .skip(1);
        let Latencies { p50, p99, .. } = Latencies::of(times.collect());
        goals.add(
            Row::new(format!("page: {what}, p99"), format!("{p99:.1} ms"))
                .beside(format!("half of them within {p50:.1} ms"))
                .at_most(p99, 50.0, "ms"),
        );
    }
}
