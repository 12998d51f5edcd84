//! The query languages of the servers: each gives the path of a list, or `None` if it cannot
//! express it.

use patrol_tests::{bench::company::location_id, escaped};

use crate::lists::{Filter, List, Order};

/// The path of a list.
pub(crate) type Language = fn(&List) -> Option<String>;

/// Patrol's own, which Fastify and FastAPI share.
pub(crate) fn patrol(list: &List) -> Option<String> {
    let filters = list.filters.iter().flat_map(|filter| match *filter {
        Filter::Location(n) => vec![("locationId", location_id(n))],
        Filter::State(state) => vec![("state", state.to_owned())],
        Filter::Priority(priority) => vec![("priority", priority.to_owned())],
        Filter::Published(published) => vec![("published", published.to_string())],
        Filter::Tag(tag) => vec![("tags", tag.to_owned())],
        Filter::Name(text) => vec![("name", text.to_owned())],
        Filter::Within(from, to) => {
            vec![("startAt", format!("gt:{from}")), ("endAt", format!("lt:{to}"))]
        }
    });
    let sort = match list.order {
        Order::Id => "id",
        Order::Name => "name",
        Order::EarliestFirst => "startAt",
        Order::LatestFirst => "startAt,desc",
    };
    let rest = [("sort", sort.to_owned()), ("limit", "50".to_owned())];
    Some(path("/v1/task-executions/info", filters.chain(rest)))
}

/// TrailBase searches the text of the list of tags.
pub(crate) fn trailbase(list: &List) -> Option<String> {
    let is = |column: &str, value: String| vec![(format!("filter[{column}]"), value)];
    let like =
        |column: &str, text: &str| vec![(format!("filter[{column}][$like]"), format!("%{text}%"))];
    let filters = list.filters.iter().flat_map(|filter| match *filter {
        Filter::Location(n) => is("locationId", base64(&location_id(n))),
        Filter::State(state) => is("state", state.to_owned()),
        Filter::Priority(priority) => is("priority", priority.to_owned()),
        Filter::Published(published) => is("published", u8::from(published).to_string()),
        Filter::Tag(tag) => like("tags", &format!("\"{tag}\"")),
        Filter::Name(text) => like("name", text),
        Filter::Within(from, to) => vec![
            ("filter[startAt][$gt]".to_owned(), from.to_owned()),
            ("filter[endAt][$lt]".to_owned(), to.to_owned()),
        ],
    });
    let rest = [("order", columns(list.order, ["name", "startAt"])), ("limit", "50".to_owned())];
    let rest = rest.into_iter().chain([("count", "true".to_owned())]);
    let rest = rest.map(|(name, value)| (name.to_owned(), value));
    Some(path("/api/records/v1/summaries", filters.chain(rest)))
}

/// PocketBase searches the text of the list of tags, too.
pub(crate) fn pocketbase(list: &List) -> Option<String> {
    let time = |time: &str| time.replace('T', " ");
    let filters = list.filters.iter().map(|filter| match *filter {
        Filter::Location(n) => format!("locationId='{}'", location_id(n)),
        Filter::State(state) => format!("state='{state}'"),
        Filter::Priority(priority) => format!("priority='{priority}'"),
        Filter::Published(published) => format!("published={published}"),
        Filter::Tag(tag) => format!("tags~'\"{tag}\"'"),
        Filter::Name(text) => format!("name~'{text}'"),
        Filter::Within(from, to) => {
            format!("startAt>'{}'&&endAt<'{}'", time(from), time(to))
        }
    });
    let filter = filters.collect::<Vec<_>>().join("&&");
    let sort = columns(list.order, ["name", "startAt"]);
    let pairs = [("filter", filter), ("sort", sort), ("perPage", "50".to_owned())];
    let given = pairs.into_iter().filter(|(_, value)| !value.is_empty());
    Some(path("/api/collections/summaries/records", given))
}

/// Directus has no filter for PostgreSQL's arrays, as the tags are. It filters by stored codes.
pub(crate) fn directus(list: &List) -> Option<String> {
    const FIELDS: &str = "id,scheduled_task_id,series_id,performer_id,assignee_ids,name,state,\
        status,start_at,end_at,started_at,ended_at,priority,deadlined,published,edited,\
        location_id,tags,order_steps_required,error_count,warning_count,step_count,\
        executed_step_count";
    let code = |codes: [&str; 4], wanted| codes.iter().position(|code| *code == wanted);
    let mut pairs = Vec::new();
    for filter in list.filters {
        let mut add = |test: &str, value| pairs.push((format!("filter{test}"), value));
        match *filter {
            Filter::Location(n) => add("[location_id][_eq]", location_id(n)),
            Filter::State(state) => {
                let states = ["PENDING", "IN_PROGRESS", "COMPLETED", ""];
                add("[state][_eq]", code(states, state)?.to_string());
            }
            Filter::Priority(priority) => {
                let priorities = ["MINOR", "NORMAL", "MAJOR", "CRITICAL"];
                add("[priority][_eq]", code(priorities, priority)?.to_string());
            }
            Filter::Published(published) => add("[published][_eq]", published.to_string()),
            Filter::Tag(_) => return None,
            Filter::Name(text) => add("[name_folded][_contains]", text.to_owned()),
            Filter::Within(from, to) => {
                add("[start_at][_gt]", from.to_owned());
                add("[end_at][_lt]", to.to_owned());
            }
        }
    }
    let rest = [
        ("sort", columns(list.order, ["name_folded", "start_at"])),
        ("limit", "50".to_owned()),
        ("meta", "filter_count".to_owned()),
        ("fields", FIELDS.to_owned()),
    ];
    let rest = rest.map(|(name, value)| (name.to_owned(), value));
    Some(path("/items/task_executions", pairs.into_iter().chain(rest)))
}

/// An order as a list of columns, given those of the name and of the start.
fn columns(order: Order, [name, start]: [&str; 2]) -> String {
    match order {
        Order::Id => "id".to_owned(),
        Order::Name => format!("{name},id"),
        Order::EarliestFirst => format!("{start},id"),
        Order::LatestFirst => format!("-{start},id"),
    }
}

fn path<Name: AsRef<str>>(before: &str, pairs: impl IntoIterator<Item = (Name, String)>) -> String {
    let pairs = pairs.into_iter();
    let pairs =
        pairs.map(|(name, value)| format!("{}={}", escaped(name.as_ref()), escaped(&value)));
    format!("{before}?{}", pairs.collect::<Vec<_>>().join("&"))
}

/// The bytes of a UUID in base64 with the alphabet for URLs: TrailBase's form of ids.
pub(crate) fn base64(uuid: &str) -> String {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let number = u128::from_str_radix(&uuid.replace('-', ""), 16).expect("a UUID");
    // 22 characters have 132 bits; the last 4 are zero.
    let sextets = (0..22).map(|at| match at {
        21 => (number << 4) & 63,
        _ => (number >> (122 - 6 * at)) & 63,
    });
    let text: String = sextets.map(|sextet| char::from(ALPHABET[sextet as usize])).collect();
    format!("{text}==")
}
