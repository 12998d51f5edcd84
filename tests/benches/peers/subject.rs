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

use crate::{group::Group, reply};

/// The location whose executions are listed: one in 99 of all.
pub(crate) const LOCATION: u32 = 36;

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
    pub(crate) start: &'static str,
}

/// The shape of Patrol's responses, and of peers with the same form.
pub(crate) const OURS: Shape =
    Shape { record: "", items: "/data", count: "/meta/count", start: "/startAt" };

/// The path of Patrol's page.
pub(crate) fn our_page() -> String {
    format!(
        "/v1/task-executions/info?locationId={}&sort=startAt,desc&limit=50",
        company::location_id(LOCATION)
    )
}

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
    pub(crate) page: String,
    pub(crate) shape: Shape,
    /// How many times as fast as this server Patrol should read by id; `None` for Patrol itself.
    pub(crate) goal: Option<f64>,
}

/// The content of responses, whatever their shape.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Told {
    name: String,
    steps: usize,
    count: u64,
    items: usize,
    first_start: String,
}

/// The kind of request.
#[derive(Clone, Copy)]
pub(crate) enum What {
    Records,
    Page,
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
            page: our_page(),
            shape: OURS,
            goal: None,
        }
    }

    /// Its name and its store, which distinguishes the two Patrols.
    pub(crate) fn title(&self) -> String {
        format!("{} on {}", self.name, self.over.name())
    }

    /// The content of its responses for a record and for the page.
    pub(crate) fn told(&self) -> Result<Told, String> {
        let Shape { record, items, count, start } = self.shape;
        let id = execution_id(company::COMPLETED);
        let answer = self.get(&format!("{}{id}", self.records))?;
        let found = part(&answer, record)?;
        if found["id"] != *id {
            return Err(format!("it answers another record than {id}: {found}"));
        }
        let page = self.get(&self.page)?;
        let listed = part(&page, items)?.as_array().ok_or("its list is none")?;
        let first = listed.first().ok_or("its list is empty")?;
        // Some servers write a space instead of the T, or leave out milliseconds.
        let first_start = text(first, start)?.replace('T', " ").chars().take(16).collect();
        Ok(Told {
            name: text(found, "/name")?,
            steps: part(found, "/steps")?.as_array().ok_or("its steps are no list")?.len(),
            count: part(&page, count)?.as_u64().ok_or("its count is no number")?,
            items: listed.len(),
            first_start,
        })
    }

    /// A round of load.
    pub(crate) fn round(&self, what: What, store: &Store, plan: &Plan) -> Result<Answered, String> {
        let target = Target { address: self.address(), token: &self.token };
        let ids = store.completed();
        let requests = match what {
            What::Records => Requests::Each { before: self.records, ids: &ids, after: "" },
            What::Page => Requests::Same(&self.page),
        };
        load::attempt(target, requests, plan.seconds)
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
