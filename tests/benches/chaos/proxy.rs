//! haproxy with the configuration for operators.

use std::{
    fmt::Write as _,
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{
    cleanup::Cleanup,
    client::{Client, Silence},
    site::free_address,
};

/// A proxy. Killed when dropped.
pub(crate) struct Proxy<'a> {
    cleanup: &'a Cleanup,
    child: Child,
    /// Host and port.
    pub(crate) address: String,
}

/// docs/reliability.md shows the important lines as well.
const CONFIGURATION: &str = "
defaults
    mode http
    timeout connect 2s
    timeout client 75s
    timeout server 75s
    retries 3
    retry-on conn-failure
    option redispatch

backend nodes
    balance roundrobin
    option httpchk GET /health/ready
    http-check expect status 200
    default-server check inter 100ms fall 1 rise 2
";

/// Installs haproxy, or fails with advice.
pub(crate) fn require() {
    let is_there = || Command::new("haproxy").arg("-v").output().is_ok();
    if is_there() {
        return;
    }
    eprintln!("haproxy is missing; trying apt-get install");
    for arguments in [&["update"][..], &["install", "-y", "--no-install-recommends", "haproxy"]] {
        let mut install = Command::new("apt-get");
        // A failure is detected below.
        drop(install.args(arguments).env("DEBIAN_FRONTEND", "noninteractive").output());
    }
    assert!(is_there(), "make chaos needs haproxy: install it (Debian: apt install haproxy)");
}

impl<'a> Proxy<'a> {
    /// Starts a proxy for these nodes and waits until it answers.
    pub(crate) fn start(cleanup: &'a Cleanup, directory: &Path, nodes: &[String]) -> Self {
        let address = free_address();
        let mut text = CONFIGURATION.to_owned();
        for (number, node) in nodes.iter().enumerate() {
            writeln!(text, "    server node{number} {node}").expect("it can be written");
        }
        writeln!(text, "\nfrontend api\n    bind {address}\n    default_backend nodes")
            .expect("it can be written");
        let file = directory.join("haproxy.cfg");
        fs::write(&file, text).expect("it can be written");
        let mut command = cleanup.command("haproxy");
        command.arg("-db").arg("-f").arg(file).stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let proxy = Self { cleanup, child: command.spawn().expect("haproxy starts"), address };
        let start = Instant::now();
        let client = Client::new(&proxy.address, "none");
        while client.status("/health/live") != Ok::<_, Silence>(200) {
            assert!(start.elapsed() < Duration::from_secs(20), "haproxy does not answer");
            thread::sleep(Duration::from_millis(20));
        }
        proxy
    }
}

impl Drop for Proxy<'_> {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
        self.cleanup.forget(self.child.id());
    }
}
