//! Pages of every filter and of the usual pairs of filters, in the usual orders: warm, and first
//! after a write.

use patrol_tests::{
    bench::{
        company::{location_id, point_id, task_id, user_id},
        load::median,
        process::Process,
        report::{Table, grouped},
        svg::{self, Bar},
    },
    escaped, execution_id, series_of,
};

use super::counts::{Writes, ask};
use crate::subject::Subject;

/// A page that is not counted yet is asked for this often after a write, a warm page after each.
const TIMES: usize = 3;

/// The number of pages in the table.
const SLOWEST: usize = 10;

/// The goals in milliseconds: of a warm page with up to 200,000 executions, and with more, and of the
/// first page after a write.
const WARM: [f64; 2] = [10.0, 20.0];
const FIRST: f64 = 50.0;

const ORDERS: [&str; 4] = ["", "sort=startAt", "sort=startAt,desc", "sort=name"];

const MONTH: &str = "startAt=gt:2026-06-01T00:00:00Z&endAt=lt:2026-07-01T00:00:00Z";
const LAST_MONTH: &str = "startAt=gt:2026-12-01T00:00:00Z&endAt=lt:2027-01-01T00:00:00Z";
const DAY: &str = "startAt=gte:2026-06-03T00:00:00Z&endAt=lte:2026-06-04T00:00:00Z\
    &withDateIntersection=true";

/// The measured times of a page, in milliseconds.
struct Page {
    filter: String,
    order: &'static str,
    count: u64,
    warm: f64,
    first: f64,
}

/// The slowest pages, and how many miss the goals.
pub(crate) fn measure(subject: &Subject<'_>, server: &Process) -> Table {
    let executions = subject.store.executions();
    let api = subject.api(server);
    let mut writes = Writes::of(subject, "the matrix");
    let mut pages = Vec::new();
    for filter in filters(executions) {
        for order in ORDERS {
            let path = format!("/v1/task-executions/info?limit=50&{filter}&{order}");
            // The first request with a filter at all is no part of the figures.
            ask(&api, &path);
            let times = (0..TIMES).map(|_| {
                writes.next(&api);
                (ask(&api, &path), ask(&api, &path))
            });
            let (first, warm): (Vec<_>, Vec<_>) = times.unzip();
            let count = api.outside(&path).ok()["meta"]["count"].as_u64().expect("a count");
            let (warm, first) = (median(warm), median(first));
            pages.push(Page { filter: filter.clone(), order, count, warm, first });
        }
    }
    table(subject, executions, pages)
}

fn table(subject: &Subject<'_>, executions: u32, mut pages: Vec<Page>) -> Table {
    let goal = WARM[usize::from(executions > 200_000)];
    let slow = pages.iter().filter(|page| page.warm > goal).count();
    let late = pages.iter().filter(|page| page.first > FIRST).count();
    pages.sort_by(|one, other| other.warm.total_cmp(&one.warm));
    let title = format!(
        "{}, {} executions, {} pages: {slow} take more than {goal} ms warm, {late} more than {FIRST} ms after a write",
        subject.kind.title(),
        grouped(executions.into()),
        pages.len(),
    );
    eprintln!("{title}");
    pages.truncate(SLOWEST);
    let name = |page: &Page| format!("{} {}", page.filter, page.order);
    let bars: Vec<_> = pages
        .iter()
        .map(|page| Bar {
            label: name(page),
            value: page.warm,
            text: format!("{:.1} ms", page.warm),
        })
        .collect();
    let line = |page: &Page| {
        let [warm, first] = [page.warm, page.first].map(|time| format!("{time:.1} ms"));
        vec![format!("`{}`", name(page)), page.count.to_string(), warm, first]
    };
    Table {
        name: format!("matrix-{}-{executions}", subject.kind.name()),
        head: ["the slowest pages of 50", "matches", "warm", "first after a write"]
            .map(str::to_owned)
            .into(),
        lines: pages.iter().map(line).collect(),
        picture: svg::bars(&title, "ms", &bars),
        title,
    }
}

/// Every filter, and pairs of filters.
fn filters(executions: u32) -> Vec<String> {
    let location = format!("locationId={}", location_id(1));
    let user = format!("userId={}", user_id(7));
    let word = |parameter: &str, word: &str| format!("{parameter}={}", escaped(word));
    let singles = [
        String::new(),
        format!("id=in:{},{}", execution_id(5), execution_id(900)),
        format!("scheduledTaskId={}", task_id(4)),
        format!("seriesId={}", series_of(5)),
        format!("performerId={}", user_id(5)),
        format!("pointId={}", point_id(1, 0)),
        location.clone(),
        user.clone(),
        format!("userId=ne:{}", user_id(7)),
        "priority=MAJOR".to_owned(),
        "state=ne:COMPLETED".to_owned(),
        "published=true".to_owned(),
        "tags=rare".to_owned(),
        "tags=in:audit,rare".to_owned(),
        "tags=nin:audit".to_owned(),
        "startAt=gt:2026-10-01T00:00:00Z".to_owned(),
        "endAt=lt:2026-03-01T00:00:00Z".to_owned(),
        MONTH.to_owned(),
        LAST_MONTH.to_owned(),
        DAY.to_owned(),
        format!("{MONTH}&includeOpenTasks=true"),
        word("name", "об"),
        word("name", "обход 12"),
        word("q", "об"),
        word("q", "обход"),
    ];
    let usual = [
        location.as_str(),
        &user,
        "tags=night",
        "tags=audit",
        "tags=season",
        "state=COMPLETED",
        "state=IN_PROGRESS",
        "state=in:IN_PROGRESS,PENDING",
        "status=WARNING",
        "status=in:WARNING,ERROR",
        "published=false",
    ];
    let mut filters = Vec::from(singles);
    for filter in usual {
        filters.push(filter.to_owned());
        filters.extend([MONTH, LAST_MONTH, DAY].map(|time| format!("{filter}&{time}")));
    }
    for state in ["state=COMPLETED", "state=in:IN_PROGRESS,PENDING"] {
        for filter in ["tags=night", "tags=audit", "tags=season", &location, &user] {
            filters.push(format!("{filter}&{state}"));
        }
        filters.push(format!("{}&{state}", word("q", "обход")));
    }
    filters.push(format!("{location}&tags=night"));
    filters.push(format!("{user}&tags=audit"));
    assert!(executions > 900, "the ids exist");
    filters
}
