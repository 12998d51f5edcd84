//! The measured servers: Patrol and its peers, in the same terms.

use patrol_tests::{
    bench::{
        company,
        load::{self, Answered, Requests, Target},
        plan::Plan,
        process::Process,
        store::Store,
    },
    execution_id,
};
use serde_json::Value;

use crate::{
    group::Group,
    languages::{self, Language},
    lists::{self, List},
    reply,
};

/// Connections for the short rounds of all lists: enough to keep two cores busy, and so few that slow
/// lists get responses in a round, and soon end after it.
pub(crate) const CONNECTIONS: u32 = 4;

/// Seconds of a short round.
pub(crate) const SECONDS: u64 = 1;

/// The store with the data.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Over {
    Sqlite,
    Postgres,
}

impl Over {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

/// Where the parts of a response are, as JSON pointers from the whole document or the list item.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) record: &'static str,
    pub(crate) items: &'static str,
    pub(crate) count: &'static str,
    /// The form of an id.
    pub(crate) id: fn(&str) -> String,
}

/// The shape of Patrol's responses, and of peers with the same form.
pub(crate) const OURS: Shape =
    Shape { record: "", items: "/data", count: "/meta/count", id: str::to_owned };

/// The start of the path of Patrol's records.
pub(crate) const OUR_RECORDS: &str = "/v1/task-executions/";

/// The processes of a server.
pub(crate) enum Server {
    Patrol(Process),
    Peer(Group),
}

/// A server that is measured.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    pub(crate) version: String,
    pub(crate) over: Over,
    pub(crate) server: Server,
    pub(crate) token: String,
    pub(crate) records: &'static str,
    pub(crate) language: Language,
    pub(crate) shape: Shape,
    /// How many times as fast as this server Patrol should be; `None` for Patrol itself.
    pub(crate) goals: Option<Expected>,
}

/// How many times as fast as a server Patrol should be.
#[derive(Clone, Copy)]
pub(crate) struct Expected {
    /// In reading by id.
    pub(crate) record: f64,
    /// In the first list, if that differs from the goal for all lists.
    pub(crate) list: Option<f64>,
}

/// The content of a record, whatever its shape.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Record {
    name: String,
    steps: usize,
}

/// The content of a list, whatever its shape.
#[derive(PartialEq, Eq, Clone, Debug)]
pub(crate) struct Listed {
    count: u64,
    ids: Vec<String>,
}

impl Listed {
    /// The same content with ids in another form.
    fn in_form(&self, form: fn(&str) -> String) -> Self {
        Self { count: self.count, ids: self.ids.iter().map(|id| form(id)).collect() }
    }

    fn in_brief(&self) -> String {
        let Self { count, ids } = self;
        format!("{} of {count}, from {:?}", ids.len(), &ids[..ids.len().min(3)])
    }
}

/// The kind of request.
#[derive(Clone, Copy)]
pub(crate) enum What {
    Records,
    /// The first list, in long rounds.
    List,
    /// A list, in short rounds.
    Shortly(&'static List),
}

impl Subject {
    pub(crate) fn patrol(over: Over, store: &Store, version: String) -> Self {
        Self {
            name: "Patrol",
            version,
            over,
            server: Server::Patrol(store.serve().0),
            token: store.token().to_owned(),
            records: OUR_RECORDS,
            language: languages::patrol,
            shape: OURS,
            goals: None,
        }
    }

    /// Its name and its store, which distinguishes the two Patrols.
    pub(crate) fn title(&self) -> String {
        format!("{} on {}", self.name, self.over.name())
    }

    /// The content of its response for a record.
    pub(crate) fn record(&self) -> Result<Record, String> {
        let id = execution_id(company::COMPLETED);
        let answer = self.get(&format!("{}{id}", self.records))?;
        let found = part(&answer, self.shape.record)?;
        if found["id"] != (self.shape.id)(&id) {
            return Err(format!("it answers another record than {id}: {found}"));
        }
        let steps = part(found, "/steps")?.as_array().ok_or("its steps are no list")?.len();
        Ok(Record { name: text(found, "/name")?, steps })
    }

    /// The content of its response for a list; `None` if its language cannot express it.
    pub(crate) fn listed(&self, list: &List) -> Option<Result<Listed, String>> {
        let path = (self.language)(list)?;
        Some(self.get(&path).and_then(|page| self.in_page(&page)))
    }

    /// Whether it answers a list as Patrol does; `None` if its language cannot express it.
    pub(crate) fn agrees(&self, list: &List, expected: &Listed) -> Option<Result<(), String>> {
        let expected = expected.in_form(self.shape.id);
        Some(self.listed(list)?.and_then(|listed| {
            let differ = || {
                let (theirs, ours) = (listed.in_brief(), expected.in_brief());
                format!("it answers {theirs} where Patrol answers {ours}")
            };
            (listed == expected).then_some(()).ok_or_else(differ)
        }))
    }

    fn in_page(&self, page: &Value) -> Result<Listed, String> {
        let Shape { items, count, .. } = self.shape;
        let items = part(page, items)?.as_array().ok_or("its list is none")?;
        let ids = items.iter().map(|item| text(item, "/id")).collect::<Result<_, _>>()?;
        let count = part(page, count)?.as_u64().ok_or("its count is no number")?;
        Ok(Listed { count, ids })
    }

    /// A round of load.
    pub(crate) fn round(&self, what: What, store: &Store, plan: &Plan) -> Result<Answered, String> {
        let target = Target { address: self.address(), token: &self.token };
        let path = |list| (self.language)(list).ok_or("it cannot be asked for this list");
        match what {
            What::Records => {
                let ids = store.completed();
                let requests = Requests::Each { before: self.records, ids: &ids, after: "" };
                load::attempt(target, requests, load::CONNECTIONS, plan.seconds)
            }
            What::List => {
                let path = path(&lists::ALL[0])?;
                load::attempt(target, Requests::Same(&path), load::CONNECTIONS, plan.seconds)
            }
            What::Shortly(list) => {
                let path = path(list)?;
                let round = load::attempt(target, Requests::Same(&path), CONNECTIONS, SECONDS);
                // What is still being answered would disturb the next server.
                load::settle();
                round
            }
        }
    }

    /// The memory of all its processes, in MB, without PostgreSQL.
    pub(crate) fn memory(&self) -> f64 {
        match &self.server {
            Server::Patrol(process) => process.memory("VmRSS"),
            Server::Peer(group) => group.memory(),
        }
    }

    fn address(&self) -> &str {
        match &self.server {
            Server::Patrol(process) => process.address(),
            Server::Peer(group) => group.address(),
        }
    }

    fn get(&self, path: &str) -> Result<Value, String> {
        reply::get(self.address(), path, &self.token)
    }
}

fn part<'a>(document: &'a Value, pointer: &str) -> Result<&'a Value, String> {
    document.pointer(pointer).ok_or_else(|| format!("it answers nothing at {pointer:?}"))
}

fn text(document: &Value, pointer: &str) -> Result<String, String> {
    let found = part(document, pointer)?.as_str();
    found.map(str::to_owned).ok_or_else(|| format!("it answers no text at {pointer:?}"))
}
