//! Proxies with the configurations of the book.

use std::{
    fs,
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
};

use patrol_test_servers::{debian, free_port};
use patrol_tests::Certificate;
use tempfile::TempDir;

/// The page with the configurations.
const PAGE: &str = include_str!("../../../docs/reverse-proxies.md");

/// A reverse proxy of Debian.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Nginx,
    Haproxy,
    Caddy,
}

/// A proxy that runs. Killed when dropped.
pub(crate) struct Proxy {
    pub(crate) kind: Kind,
    /// Its port on 127.0.0.1.
    pub(crate) port: u16,
    child: Child,
    folder: TempDir,
}

impl Kind {
    pub(crate) const ALL: [Self; 3] = [Self::Nginx, Self::Haproxy, Self::Caddy];

    /// The name of the program, of the Debian package, and of the language of the block in the book.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Nginx => "nginx",
            Self::Haproxy => "haproxy",
            Self::Caddy => "caddy",
        }
    }

    /// The configuration in the book.
    fn block(self) -> &'static str {
        let fence = match self {
            Self::Caddy => "```caddyfile\n",
            Self::Nginx => "```nginx\n",
            Self::Haproxy => "```haproxy\n",
        };
        let (_, after) = PAGE.split_once(fence).expect("the page has the configuration");
        after.split_once("```").expect("an end of the block").0
    }

    /// The line with the port, in the book and for a test.
    fn listener(self, port: u16) -> (&'static str, String) {
        match self {
            Self::Nginx => ("listen 443 ssl;", format!("listen 127.0.0.1:{port} ssl;")),
            Self::Haproxy => ("bind :443 ", format!("bind 127.0.0.1:{port} ")),
            Self::Caddy => ("patrol.example.org {", format!("patrol.example.org:{port} {{")),
        }
    }
}

/// What a proxy passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Passes {
    Api,
    /// The pages, too: as the book says, with `/` in the place of `/v1/`.
    Site,
}

impl Proxy {
    /// Starts a proxy for three nodes.
    pub(crate) fn start(
        kind: Kind,
        passes: Passes,
        nodes: &[String],
        certificate: &Certificate,
    ) -> Self {
        let program = debian::program(kind.name(), &Kind::ALL.map(Kind::name));
        let folder = TempDir::with_prefix("patrol-proxy-").unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        for (name, content) in [
            ("cert.pem", certificate.pem.clone()),
            ("key.pem", certificate.key.clone()),
            ("both.pem", format!("{}{}", certificate.pem, certificate.key)),
        ] {
            fs::write(path(name), content).unwrap();
        }
        let port = free_port();
        let (listener, own) = kind.listener(port);
        let mut replacements = vec![(listener.to_owned(), own)];
        replacements.push(("/etc/patrol/tls".to_owned(), folder.path().display().to_string()));
        if passes == Passes::Site {
            replacements.push(("/v1/".to_owned(), "/".to_owned()));
        }
        for (number, node) in nodes.iter().enumerate() {
            replacements.push((format!("10.0.0.{}:8080", number + 1), node.clone()));
        }
        let mut text = kind.block().to_owned();
        for (from, to) in replacements {
            assert!(text.contains(&from), "{from} is not in the configuration of {kind:?}");
            text = text.replace(&from, &to);
        }
        let file = PathBuf::from(path("patrol.conf"));
        let mut command = Command::new(program);
        match kind {
            Kind::Nginx => {
                fs::write(&file, text).unwrap();
                fs::write(path("nginx.conf"), nginx_around(&folder)).unwrap();
                command.args(["-p", &path(""), "-c", &path("nginx.conf"), "-e", &path("log")]);
            }
            Kind::Haproxy => {
                fs::write(&file, text).unwrap();
                command.arg("-db").arg("-f").arg(file);
            }
            Kind::Caddy => {
                // No interface for administrators, and no listener on port 80.
                let options = "{\n    admin off\n    auto_https disable_redirects\n}\n\n";
                fs::write(&file, format!("{options}{text}")).unwrap();
                command.args(["run", "--adapter", "caddyfile", "--config"]).arg(file);
                command.env("HOME", path("")).env("XDG_DATA_HOME", path("data"));
                command.env("XDG_CONFIG_HOME", path("config"));
            }
        }
        let log = fs::File::create(path("log")).unwrap();
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        let child = command.spawn().unwrap();
        Self { kind, port, child, folder }
    }
}

/// The main file, which Debian's package brings; here without a daemon.
fn nginx_around(folder: &TempDir) -> String {
    let path = |name: &str| folder.path().join(name).display().to_string();
    let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|name| format!("    {name}_temp_path {};\n", path(name)))
        .concat();
    format!(
        "daemon off;\nmaster_process off;\npid {};\nerror_log {} notice;\n\
         events {{\n}}\nhttp {{\n    access_log off;\n{temporary}    include {};\n}}\n",
        path("pid"),
        path("log"),
        path("patrol.conf")
    )
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // The process may have ended by itself.
        drop(self.child.kill());
        drop(self.child.wait());
        if thread::panicking() {
            let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            eprintln!("log of {}:\n{log}", self.kind.name());
        }
    }
}
