//! haproxy, as an operator would set it up.

use std::{
    fmt::Write as _,
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{
    client::{Client, Silence},
    guard::Guard,
    site::free_address,
};

/// A proxy. Killed when dropped.
pub(crate) struct Proxy<'a> {
    guard: &'a Guard,
    child: Child,
    /// Host and port.
    pub(crate) address: String,
}

/// The lines that matter are in docs/reliability.md as well.
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

/// Makes sure that haproxy is there, or says what to do.
pub(crate) fn require() {
    let is_there = || Command::new("haproxy").arg("-v").output().is_ok();
    if is_there() {
        return;
    }
    eprintln!("haproxy is missing; trying apt-get install");
    for arguments in [&["update"][..], &["install", "-y", "--no-install-recommends", "haproxy"]] {
        let mut install = Command::new("apt-get");
        // What went wrong shows below.
        drop(install.args(arguments).env("DEBIAN_FRONTEND", "noninteractive").output());
    }
    assert!(is_there(), "make chaos needs haproxy: install it (Debian: apt install haproxy)");
}

impl<'a> Proxy<'a> {
    /// A proxy before these nodes, once it answers.
    pub(crate) fn start(guard: &'a Guard, directory: &Path, nodes: &[String]) -> Self {
        let address = free_address();
        let mut text = CONFIGURATION.to_owned();
        for (number, node) in nodes.iter().enumerate() {
            writeln!(text, "    server node{number} {node}").expect("it can be written");
        }
        writeln!(text, "\nfrontend api\n    bind {address}\n    default_backend nodes")
            .expect("it can be written");
        let file = directory.join("haproxy.cfg");
        fs::write(&file, text).expect("it can be written");
        let mut command = guard.command("haproxy");
        command.arg("-db").arg("-f").arg(file).stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let proxy = Self { guard, child: command.spawn().expect("haproxy starts"), address };
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
        self.guard.forget(self.child.id());
    }
}
