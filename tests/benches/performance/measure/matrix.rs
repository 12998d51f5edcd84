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

pub(crate) const MONTH: &str = "startAt=gt:2026-06-01T00:00:00Z&endAt=lt:2026-07-01T00:00:00Z";
const LAST_MONTH: &str = "startAt=gt:2026-12-01T00:00:00Z&endAt=lt:2027-01-01T00:00:00Z";
const DAY: &str = "startAt=gte:2026-06-03T00:00:00Z&endAt=lte:2026-06-04T00:00:00Z\
    &withDateIntersection=true";

/// The path of a page, before its query.
pub(crate) const PAGE: &str = "/v1/task-executions/info?limit=50&";

/// The pages of a store, in the same order for each size.
pub(crate) struct Matrix {
    kind: &'static str,
    title: &'static str,
    executions: u32,
    pages: Vec<Page>,
}

/// The measured times of a page, in milliseconds.
struct Page {
    query: String,
    count: u64,
    warm: f64,
    first: f64,
}

/// The path of a page of the list with this query.
pub(crate) fn path(query: &str) -> String {
    format!("{PAGE}{query}")
}

/// Measures all pages.
pub(crate) fn measure(subject: &Subject<'_>, server: &Process) -> Matrix {
    let executions = subject.store.executions();
    let api = subject.api(server);
    let mut writes = Writes::of(subject, "the matrix");
    let mut pages = Vec::new();
    for query in queries(executions) {
        let path = path(&query);
        // The first request with a filter at all is a figure of its own.
        ask(&api, &path);
        let times = (0..TIMES).map(|_| {
            writes.next(&api);
            (ask(&api, &path), ask(&api, &path))
        });
        let (first, warm): (Vec<_>, Vec<_>) = times.unzip();
        let count = api.outside(&path).ok()["meta"]["count"].as_u64().expect("a count");
        pages.push(Page { query, count, warm: median(warm), first: median(first) });
    }
    let (kind, title) = (subject.kind.name(), subject.kind.title());
    Matrix { kind, title, executions, pages }
}

impl Matrix {
    /// The numbers of the slowest warm pages.
    fn slowest(&self) -> Vec<usize> {
        let mut all: Vec<_> = (0..self.pages.len()).collect();
        all.sort_by(|one, other| self.pages[*other].warm.total_cmp(&self.pages[*one].warm));
        all.truncate(SLOWEST);
        all
    }

    /// The queries of the slowest warm pages.
    pub(crate) fn slowest_queries(&self) -> Vec<String> {
        self.slowest().into_iter().map(|at| self.pages[at].query.clone()).collect()
    }

    /// The slowest pages with their times at all sizes, and how many pages miss the goals.
    pub(crate) fn table(&self, sizes: &[Self]) -> Table {
        let goal = WARM[usize::from(self.executions > 200_000)];
        let slow = self.pages.iter().filter(|page| page.warm > goal).count();
        let late = self.pages.iter().filter(|page| page.first > FIRST).count();
        let title = format!(
            "{}, {} executions, {} pages: {slow} take more than {goal} ms warm, {late} more than {FIRST} ms after a write",
            self.title,
            grouped(self.executions.into()),
            self.pages.len(),
        );
        eprintln!("{title}");
        let millis = |time: f64| format!("{time:.1} ms");
        let bar = |at: &usize| {
            let Page { query, warm, .. } = &self.pages[*at];
            Bar { label: query.clone(), value: *warm, text: millis(*warm) }
        };
        let line = |at: &usize| {
            let Page { query, count, first, .. } = &self.pages[*at];
            let growth = sizes.iter().map(|size| millis(size.pages[*at].warm));
            [format!("`{query}`"), count.to_string()]
                .into_iter()
                .chain(growth)
                .chain([millis(*first)])
                .collect()
        };
        let growth = sizes.iter().map(|size| format!("warm, {}", grouped(size.executions.into())));
        let slowest = self.slowest();
        Table {
            name: format!("matrix-{}-{}", self.kind, self.executions),
            head: ["the slowest pages of 50", "matches"]
                .map(str::to_owned)
                .into_iter()
                .chain(growth)
                .chain(["first after a write".to_owned()])
                .collect(),
            lines: slowest.iter().map(line).collect(),
            picture: svg::bars(&title, "ms", &slowest.iter().map(bar).collect::<Vec<_>>()),
            title,
        }
    }
}

/// Queries that are slow at most sizes, for a run that does not measure the matrix.
pub(crate) fn usually_slow() -> Vec<String> {
    [
        "tags=season&state=COMPLETED&sort=startAt,desc".to_owned(),
        "tags=season&state=in:IN_PROGRESS,PENDING&sort=startAt,desc".to_owned(),
        "tags=season&sort=startAt,desc".to_owned(),
        "tags=night&state=COMPLETED&sort=startAt,desc".to_owned(),
        format!("tags=night&{DAY}&sort=name"),
        format!("{DAY}&sort=startAt,desc"),
        format!("state=in:IN_PROGRESS,PENDING&{LAST_MONTH}&sort=startAt"),
        format!("status=in:WARNING,ERROR&{LAST_MONTH}&sort=startAt"),
        format!("{MONTH}&includeOpenTasks=true&sort=name"),
        format!("q={}&sort=name", escaped("об")),
    ]
    .into()
}

/// Every filter, and pairs of filters, in each order.
pub(crate) fn queries(executions: u32) -> impl Iterator<Item = String> {
    let filters = filters(executions).into_iter();
    filters.flat_map(|filter| ORDERS.map(|order| format!("{filter}&{order}")))
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
