//! A measured store, and what it is compared with.

use std::{env, fs, path::PathBuf, process::Command};

use patrol_tests::{
    Api,
    bench::{
        company,
        load::{self, Answered, Change, Requests, Target},
        plan::Plan,
        postgres::Cluster,
        process::{self, Process},
        store::{Import, Store, record_path},
    },
};

use crate::bare;

/// The start of the path of executions.
pub(crate) const EXECUTIONS: &str = "/v1/task-executions/";

/// The kind of a store.
#[derive(Clone, Copy)]
pub(crate) enum Kind<'a> {
    Sqlite,
    Postgres(&'a Cluster),
}

impl Kind<'_> {
    /// The name of the part about PostgreSQL.
    pub(crate) const POSTGRES: &'static str = "postgres";

    /// The name of the part.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres(_) => Self::POSTGRES,
        }
    }

    /// The name for readers.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres(_) => "PostgreSQL",
        }
    }

    /// The value for this kind of store.
    pub(crate) fn pick<T>(self, sqlite: T, postgres: T) -> T {
        match self {
            Self::Sqlite => sqlite,
            Self::Postgres(_) => postgres,
        }
    }
}

/// A store that is measured.
pub(crate) struct Subject<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) kind: Kind<'a>,
    pub(crate) store: Store,
    /// The figures of the import.
    pub(crate) import: Import,
}

impl<'a> Subject<'a> {
    /// A new store with this number of executions.
    pub(crate) fn fill(plan: &'a Plan, kind: Kind<'a>, executions: u32) -> Self {
        let (store, import) = match kind {
            Kind::Sqlite => Store::sqlite(executions),
            Kind::Postgres(cluster) => Store::postgres(cluster, executions),
        };
        Self { plan, kind, store, import }
    }

    /// The file of a store of SQLite.
    pub(crate) fn file(&self) -> PathBuf {
        self.store.file("patrol.db")
    }

    /// A new server.
    pub(crate) fn serve(&self) -> Process {
        self.store.serve().0
    }

    /// The administrator's client.
    pub(crate) fn api(&self, server: &Process) -> Api {
        self.store.api(server)
    }

    /// A server as the target of load.
    pub(crate) fn target<'b>(&'b self, server: &'b Process) -> Target<'b> {
        Target { address: server.address(), token: self.store.token() }
    }

    /// A round of load on the server.
    pub(crate) fn round(&self, server: &Process, requests: Requests<'_>) -> Answered {
        load::round(self.target(server), requests, self.plan.seconds)
    }

    /// A round of random reads of completed executions by id.
    pub(crate) fn reads(&self, server: &Process) -> Answered {
        let ids = self.store.completed();
        self.round(server, Requests::Each { before: EXECUTIONS, ids: &ids, after: "" })
    }

    /// A round of random changes of planned executions.
    pub(crate) fn changes(&self, server: &Process, what: Change, keyed: bool) -> Answered {
        let ids = self.store.pending();
        self.round(server, Requests::Change { before: EXECUTIONS, ids: &ids, what, keyed })
    }

    /// The bare handler, which returns the same bytes as the server.
    pub(crate) fn serve_bare(&self, server: &Process) -> Process {
        let api = self.api(server);
        for (name, path) in [("record.json", record_path()), ("page.json", page())] {
            let answer = api.outside(&path);
            assert_eq!(answer.status, 200, "{}", answer.text());
            fs::write(self.store.file(name), answer.body).expect("an answer is written");
        }
        let address = process::free_address();
        let mut command = Command::new(env::current_exe().expect("this bench has a path"));
        command.args([bare::BARE, &address]);
        command.args([self.store.file("record.json"), self.store.file("page.json")]);
        Process::start(command, address, &record_path(), self.store.token()).0
    }
}

/// The latest 50 completed executions of a location.
pub(crate) fn page() -> String {
    page_of(company::location_id(1), 50)
}

/// The same for the location with 49 executions: they fit on the page, so nothing has to be
/// counted.
pub(crate) fn uncounted_page() -> String {
    page_of(company::location_id(0), 50)
}

/// Only the count of the page's list.
pub(crate) fn page_count() -> String {
    page_of(company::location_id(1), 0)
}

fn page_of(location: String, limit: u32) -> String {
    format!(
        "/v1/task-executions/info?locationId={location}&state=COMPLETED&sort=startAt,desc&limit={limit}"
    )
}

/// The latest 50 of all completed executions, which are three quarters of all.
pub(crate) const BIG_PAGE: &str =
    "/v1/task-executions/info?state=COMPLETED&sort=startAt,desc&limit=50";
