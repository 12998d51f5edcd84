//! A store with the data of the clients, and the nodes that serve it.

use std::{
    env,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use patrol_tests::{Server, company, program};

use crate::{
    cleanup::Cleanup,
    client::Client,
    guard,
    load::{GUARDS, WORKERS},
    machine, worker,
};

/// A store.
pub(crate) struct Site<'a> {
    cleanup: &'a Cleanup,
    directory: PathBuf,
    url: String,
    /// The administrator's token.
    pub(crate) token: String,
}

impl<'a> Site<'a> {
    /// A SQLite store with the data.
    pub(crate) fn sqlite(cleanup: &'a Cleanup, name: &str) -> Self {
        let url = format!("sqlite:{}", cleanup.directory(name).join("patrol.db").display());
        Self::new(cleanup, name, url)
    }

    /// A store at a URL with the data.
    pub(crate) fn new(cleanup: &'a Cleanup, name: &str, url: String) -> Self {
        let directory = cleanup.directory(name);
        let mut site = Self { cleanup, directory, url, token: String::new() };
        site.import();
        site.token = site.token_of(company::ADMIN);
        site
    }

    /// The file of a SQLite store.
    pub(crate) fn database(&self) -> PathBuf {
        self.directory.join("patrol.db")
    }

    /// The directory of the store.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// A new token of a user.
    pub(crate) fn token_of(&self, user: &str) -> String {
        let mut create = self.patrol(&["token", "create", "--name", "chaos", "--user", user]);
        let created = create.output().expect("the program starts");
        assert!(created.status.success(), "{}", String::from_utf8_lossy(&created.stderr));
        String::from_utf8(created.stdout).expect("a token").trim_end().to_owned()
    }

    /// The administrator's client of a node.
    pub(crate) fn client(&self, node: &Node<'_>) -> Client {
        Client::new(&node.address, &self.token)
    }

    /// A new node.
    pub(crate) fn node(&self) -> Node<'a> {
        self.node_at(&free_address())
    }

    /// A new node at this address, once it listens.
    pub(crate) fn node_at(&self, address: &str) -> Node<'a> {
        let mut command = self.patrol(&["serve"]);
        command.env("PATROL_LOG", "warn,patrol::command=info");
        let server = Server::run_at(command, address);
        Node { cleanup: self.cleanup, address: address.to_owned(), server: Some(server) }
    }

    fn patrol(&self, arguments: &[&str]) -> Command {
        let mut command = self.cleanup.command(program());
        for (name, _) in env::vars_os() {
            if name.to_string_lossy().starts_with("PATROL_") {
                command.env_remove(name);
            }
        }
        command
            .args(arguments)
            .current_dir(&self.directory)
            .env("PATROL_DATABASE_URL", &self.url)
            .env("PATROL_PHOTOS_URL", format!("file:{}", self.directory.join("photos").display()));
        command
    }

    fn import(&self) {
        let data = company::company()
            .and(worker::executions(WORKERS))
            .and(guard::executions(worker::last_execution(WORKERS), GUARDS))
            .and(worker::users(WORKERS))
            .and(worker::points(WORKERS));
        let mut import = self.patrol(&["import", "-"]);
        import.stdin(Stdio::piped()).stderr(Stdio::piped());
        let mut import = import.spawn().expect("the program starts");
        let mut pipe = import.stdin.take().expect("standard input is piped");
        // A program that refuses its input stops reading and reports the reason.
        drop(pipe.write_all(data.to_string().as_bytes()));
        drop(pipe);
        let output = import.wait_with_output().expect("the program ends");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// A serving process. Killed when dropped.
pub(crate) struct Node<'a> {
    cleanup: &'a Cleanup,
    /// Host and port.
    pub(crate) address: String,
    server: Option<Server>,
}

impl Node<'_> {
    /// The peak memory of the process, in MB.
    pub(crate) fn peak(&self) -> f64 {
        self.figure("VmHWM")
    }

    /// The memory of the process, in MB.
    pub(crate) fn memory(&self) -> f64 {
        self.figure("VmRSS")
    }

    /// Stops it with SIGTERM and waits for the end.
    pub(crate) fn stop(mut self) {
        let Some(mut server) = self.server.take() else { return };
        server.terminate();
        let status = server.wait();
        self.cleanup.forget(server.process());
        assert!(status.success(), "{status}; its log:\n{}", server.log());
    }

    /// Kills it, like `kill -9`.
    pub(crate) fn kill(self) {
        drop(self);
    }

    fn figure(&self, name: &str) -> f64 {
        let process = self.server.as_ref().map(Server::process);
        process.and_then(|process| machine::memory(process, name)).unwrap_or_default()
    }
}

impl Drop for Node<'_> {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            let process = server.process();
            server.kill();
            self.cleanup.forget(process);
        }
    }
}

/// A free address.
pub(crate) fn free_address() -> String {
    format!("127.0.0.1:{}", patrol_test_servers::free_port())
}
