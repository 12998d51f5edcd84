//! A serving demo with an administrator who keeps the rights.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{
    data_set::DataSet,
    provider::{JWT_SETTINGS, key, signed},
    schema::Description,
    server::Server,
    store::Store,
};

/// The administrator: not a user of the demo.
const ADMINISTRATOR: &str = "0190de31-0000-7000-8000-000000000001";

/// How long the import of the demo may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Longer than any run.
const DAY: i64 = 86_400;

/// A demo, and a credential for it that cannot be revoked: a JWT.
#[derive(Debug)]
pub struct Demo {
    server: Server,
    store: Store,
    token: String,
}

impl Demo {
    /// A demo on this store, which is empty.
    ///
    /// # Panics
    /// When the demo is not there in time.
    #[must_use]
    pub fn on(store: Store) -> Self {
        let (key, public) = key("verification");
        fs::write(store.path("keys.json"), json!({ "keys": [public] }).to_string())
            .expect("a file");
        let mut command = store.command(&["serve", "--demo", "--demo-walk=false"]);
        command.envs(JWT_SETTINGS);
        let server = Server::run(command);
        // The token is printed when the demo is complete.
        let until = Instant::now() + PATIENCE;
        while !server.output().contains("ptl_") {
            assert!(Instant::now() < until, "no demo; the log:\n{}", server.log());
            thread::sleep(Duration::from_millis(20));
        }
        let _ = store
            .import(&DataSet::new([json!({
                "kind": "user",
                "id": ADMINISTRATOR,
                "firstName": "Verification",
                "lastName": "Administrator",
                "language": "en",
                "role": "ADMIN",
                "status": "ACTIVE",
            })]))
            .exited(0);
        let token = signed(&key, "verification", ADMINISTRATOR, DAY);
        Self { server, store, token }
    }

    /// The URL of the API document.
    #[must_use]
    pub fn document(&self) -> String {
        format!("http://{}/openapi.json", self.server.address())
    }

    /// The API document.
    #[must_use]
    pub fn document_text(&self) -> String {
        self.server.api().outside("/openapi.json").ok().to_string()
    }

    /// How many operations the document has.
    #[must_use]
    pub fn operations(&self) -> usize {
        let document = serde_json::from_str(&self.document_text()).expect("JSON");
        Description(&document).operations().count()
    }

    /// A path in the directory of the demo.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.store.path(name)
    }

    /// A command that knows the demo and runs in this directory.
    #[must_use]
    pub fn command(&self, program: &Path, directory: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(directory).envs([
            ("VERIFY_BASE", format!("http://{}/v1", self.server.address())),
            ("VERIFY_TOKEN", self.token.clone()),
            ("VERIFY_ADMINISTRATOR", ADMINISTRATOR.to_owned()),
        ]);
        command
    }
}
