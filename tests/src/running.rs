//! A server with the data of a company, and an administrator's client.

use serde_json::{Value, json};

use crate::{
    client::Api,
    company::company,
    data_set::DataSet,
    execution::execution_id,
    server::Server,
    store::{Store, Template},
};

static COMPANY: Template = Template::new(company);

/// A server with its own store.
#[derive(Debug)]
pub struct Running {
    /// The server. Dropped before its store.
    pub server: Server,
    /// The store.
    pub store: Store,
    /// The administrator's client.
    pub admin: Api,
}

impl Running {
    /// A server with the company and these records.
    #[must_use]
    pub fn with(records: impl IntoIterator<Item = Value>) -> Self {
        let (store, records) = (Store::copy_of(&COMPANY), DataSet::new(records));
        Self::on(if records.records().is_empty() { store } else { store.and(&records) })
    }

    /// A server on a store with the company.
    #[must_use]
    pub fn on(store: Store) -> Self {
        Self::set(store, &[])
    }

    /// A server with these settings on a store with the company.
    #[must_use]
    pub fn set(store: Store, settings: &[(&str, &str)]) -> Self {
        let token = store.administrator();
        let mut command = store.command(&["serve"]);
        command.envs(settings.iter().copied());
        let server = Server::run(command);
        let admin = server.api().with_token(&token);
        Self { server, store, admin }
    }

    /// The same after a crash: another server at the same address, on the same store. `meanwhile` happens
    /// while there is none.
    #[must_use]
    pub fn restarted(self, meanwhile: impl FnOnce()) -> Self {
        let Self { server, store, admin } = self;
        let address = server.address().to_owned();
        server.kill();
        meanwhile();
        let server = Server::run_at(store.command(&["serve"]), &address);
        Self { server, store, admin }
    }

    /// A client of another user.
    #[must_use]
    pub fn api(&self, user: &str) -> Api {
        self.server.api().with_token(&self.store.token(user))
    }

    /// The full record of execution `n`.
    #[must_use]
    pub fn read(&self, n: u32) -> Value {
        self.admin.get(&format!("/task-executions/{}", execution_id(n))).ok()
    }

    /// The summary of execution `n`.
    #[must_use]
    pub fn summary(&self, n: u32) -> Value {
        let list = self.admin.get("/task-executions/info").ok();
        let id = execution_id(n);
        let items = list["data"].as_array().expect("data is an array");
        items.iter().find(|item| item["id"] == *id).expect("the execution is in the list").clone()
    }

    /// The full record of a user, read by an empty PATCH.
    #[must_use]
    pub fn user(&self, id: &str) -> Value {
        self.admin.patch(&format!("/users/{id}"), &json!({})).ok()
    }

    /// The value of a metric with these labels, if there is one.
    ///
    /// # Panics
    /// When it is not a number.
    #[must_use]
    pub fn metric(&self, name: &str, labels: &[&str]) -> Option<f64> {
        let answer = self.server.api().outside("/metrics");
        let line = answer.text().lines().find(|line| {
            line.split(['{', ' ']).next() == Some(name)
                && labels.iter().all(|label| line.contains(label))
        });
        line?.rsplit(' ').next().map(|value| value.parse().expect("a number"))
    }

    /// The whole store as a data set.
    #[must_use]
    pub fn exported(&self) -> String {
        self.store.run(&["export", "-"]).exited(0).stdout
    }
}
