//! A server with a company's data, and an administrator who talks to it.

use serde_json::Value;

use crate::{
    client::Api,
    company::{self, ADMIN},
    execution::execution_id,
    server::Server,
    store::Store,
};

/// A server on a store of its own.
#[derive(Debug)]
pub struct Running {
    /// The server. Stops before its store goes.
    pub server: Server,
    /// What it serves.
    pub store: Store,
    /// The administrator's client.
    pub admin: Api,
}

impl Running {
    /// A server with the company and these further records.
    #[must_use]
    pub fn with(records: impl IntoIterator<Item = Value>) -> Self {
        Self::on(Store::with(&company::company().and(records)))
    }

    /// A server on a store that has the company.
    #[must_use]
    pub fn on(store: Store) -> Self {
        let token = store.token(ADMIN);
        let server = Server::start(&store);
        let admin = server.api().with_token(&token);
        Self { server, store, admin }
    }

    /// A client of another user.
    #[must_use]
    pub fn api(&self, user: &str) -> Api {
        self.server.api().with_token(&self.store.token(user))
    }

    /// The full record of the execution `n`.
    #[must_use]
    pub fn read(&self, n: u32) -> Value {
        self.admin.get(&format!("/task-executions/{}", execution_id(n))).ok()
    }

    /// The summary of the execution `n`.
    #[must_use]
    pub fn summary(&self, n: u32) -> Value {
        let list = self.admin.get("/task-executions/info").ok();
        let id = execution_id(n);
        let items = list["data"].as_array().expect("data is an array");
        items.iter().find(|item| item["id"] == *id).expect("the execution is in the list").clone()
    }
}
