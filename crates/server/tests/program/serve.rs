//! `serve`.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    os::unix::net::UnixDatagram,
    thread::sleep,
    time::{Duration, Instant},
};

use crate::workspace::{COMPANY, Server, Workspace};

#[test]
fn the_server_logs_its_address_and_a_signal_ends_it_with_exit_0() {
    let workspace = Workspace::new();
    for signal in ["TERM", "INT"] {
        let server = workspace.serve(&[]);
        assert!(server.listening.contains(&format!("address={}", server.address)));
        assert!(server.get("/health/live", "").starts_with("HTTP/1.1 200"));
        assert!(server.get("/health/ready", "").starts_with("HTTP/1.1 200"));
        server.signal(signal);
        let done = server.ended();
        assert_eq!((done.code, done.out.as_str()), (Some(0), ""), "{done:?}");
        assert!(done.err.contains("stopped"), "{done:?}");
    }
}

#[test]
fn systemd_is_told_when_the_server_is_ready() {
    let workspace = Workspace::new();
    let socket = workspace.path("notify");
    let systemd = UnixDatagram::bind(&socket).unwrap();
    systemd.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let server = workspace.serve_with(&[], &[("NOTIFY_SOCKET", socket.to_str().unwrap())]);
    let mut message = [0; 64];
    let length = systemd.recv(&mut message).unwrap();
    assert_eq!(&message[..length], b"READY=1\n");
    assert_eq!(server.stop().code, Some(0));
}

#[test]
fn the_log_can_be_json() {
    let server = Workspace::new().serve(&["--log-format", "json"]);
    assert!(server.listening.starts_with('{') && server.listening.ends_with("}\n"));
    let address = format!("\"address\":\"{}\"", server.address);
    assert!(server.listening.contains(&address), "{}", server.listening);
    assert!(server.listening.contains("\"message\":\"listening\""), "{}", server.listening);
}

#[test]
fn a_demo_prints_its_address_and_a_fresh_token_each_time() {
    let workspace = Workspace::new();
    let mut tokens = Vec::new();
    for _ in 0..2 {
        let mut server = workspace.serve(&["--demo"]);
        assert_eq!(server.line(), format!("http://{}/v1", server.address));
        let token = server.line();
        assert!(token.starts_with("ptl_"), "{token}");
        let answer = server.get("/v1/scheduled-tasks?limit=1", &token);
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        assert!(answer.contains("\"count\":12"), "{answer}");
        assert_eq!(server.stop().code, Some(0));
        tokens.push(token);
    }
    assert_ne!(tokens[0], tokens[1]);
    // The last use is stored at shutdown.
    let listed = workspace.run(&["token", "list"]).ok();
    assert_eq!(listed.lines().count(), 2, "{listed}");
    let is_used = |line: &&str| line.split('\t').nth(4).is_some_and(|at| at.ends_with('Z'));
    assert_eq!(listed.lines().filter(is_used).count(), 2, "{listed}");
}

/// The values of the lines with these names that `serve --demo` has printed.
fn printed(out: &str, name: &str) -> Vec<String> {
    let values = out.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    values.map(str::to_owned).collect()
}

#[test]
fn a_demo_prints_the_site_and_a_new_password_each_time() {
    let workspace = Workspace::new();
    let start = |flags: &[&str]| {
        let mut server = workspace.serve(&[&["--demo"], flags].concat());
        let (_, token) = (server.line(), server.line());
        let answer = server.get("/v1/events?limit=1000", &token);
        let (address, done) = (server.address.clone(), server.stop());
        let passwords = ["password", "guard-password"];
        for password in passwords.iter().flat_map(|name| printed(&done.out, name)) {
            assert!(!done.err.contains(&password) && !answer.contains(&password));
        }
        (address, done.out, answer.matches(r#""member":"password""#).count())
    };
    let (address, first, changes) = start(&[]);
    assert_eq!(printed(&first, "site"), [format!("http://{address}")]);
    let [name] = &printed(&first, "name")[..] else { panic!("{first}") };
    assert!(name.contains('@'), "{first}");
    let [password] = &printed(&first, "password")[..] else { panic!("{first}") };
    let [guard] = &printed(&first, "guard-password")[..] else { panic!("{first}") };
    assert_eq!((password.len(), guard.len(), changes), (20, 20, 2), "{first}");
    let (_, second, changes) = start(&["--public-url", "https://patrol.example.org"]);
    assert_eq!(printed(&second, "site"), ["https://patrol.example.org"]);
    assert_eq!(printed(&second, "name").first(), Some(name));
    assert_ne!(printed(&second, "password").first(), Some(password));
    assert_eq!(printed(&second, "guard"), printed(&first, "guard"));
    assert_ne!(printed(&second, "guard-password").first(), Some(guard));
    assert_eq!((printed(&second, "password").len(), changes), (1, 4));
    let (_, without, changes) = start(&["--site", "false"]);
    for name in ["site", "name", "password", "guard", "guard-password"] {
        assert!(printed(&without, name).is_empty(), "{without}");
    }
    assert_eq!(changes, 4, "the passwords stay");
}

#[test]
fn demo_data_is_imported_into_an_empty_store_only() {
    let workspace = Workspace::with(COMPANY);
    let done = workspace.serve(&["--demo"]).stop();
    assert!(done.out.contains("no demo administrator"), "{done:?}");
    assert!(!done.out.contains("ptl_"), "{done:?}");
    assert_eq!(workspace.run(&["export", "-"]).ok().lines().count(), 3);
    assert_eq!(workspace.run(&["token", "list"]).ok(), "");
}

#[test]
fn an_address_in_use_is_exit_1() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let workspace = Workspace::new();
    let error = workspace.run(&["serve", "--listen", &address]).failed(1);
    assert!(error.contains(&address) && error.contains("--listen"), "{error}");
    let left = workspace.names();
    assert!(left.is_empty(), "files are left behind: {left:?}");
}

#[test]
fn commands_work_while_the_server_runs() {
    let workspace = Workspace::with(COMPANY);
    let server = workspace.serve(&[]);
    let line = ["token", "create", "--user", "0042", "--name", "script"];
    let token = workspace.run(&line).ok();
    let token = token.trim();
    assert!(server.get("/v1/task-executions/info", token).starts_with("HTTP/1.1 200"));
    workspace.run(&["backup", "copy.db"]).ok();
    workspace.run(&["migrate"]).ok();
    assert_eq!(workspace.run(&["export", "-"]).ok().lines().count(), 3);
    let id = workspace.run(&["token", "list"]).ok();
    workspace.run(&["token", "revoke", id.split('\t').next().unwrap()]).ok();
    // A revocation takes effect within 5 seconds.
    sleep(Duration::from_secs(5));
    assert!(server.get("/v1/task-executions/info", token).starts_with("HTTP/1.1 401"));
}

#[test]
fn no_token_is_logged() {
    let workspace = Workspace::with(COMPANY);
    let server = workspace.serve(&["--log", "trace"]);
    let token = workspace.run(&["token", "create", "--user", "0042", "--name", "script"]).ok();
    server.get("/v1/task-executions/info", token.trim());
    let done = server.stop();
    assert!(done.err.contains("/v1/task-executions/info"), "{done:?}");
    assert!(!done.err.contains(token.trim()), "{done:?}");
}

/// A request whose last byte is not sent yet, and that the server works on.
fn unfinished(workspace: &Workspace, server: &Server) -> TcpStream {
    let token = workspace.run(&["token", "create", "--user", "0042", "--name", "script"]).ok();
    let stream = server.send(&format!(
        "PATCH /v1/task-executions/0190a000-0000-7000-8000-0000000000ee HTTP/1.1\r\nHost: a\r\n\
         Authorization: {}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{{",
        token.trim()
    ));
    let until = Instant::now() + Duration::from_secs(20);
    let has_memory = |text: &str| {
        let taken = text.lines().find_map(|line| line.strip_prefix("http_bodies_memory_bytes "));
        taken.is_some_and(|taken| taken != "0")
    };
    while !has_memory(&server.get("/metrics", "")) {
        assert!(Instant::now() < until, "the server has not read the request");
        sleep(Duration::from_millis(20));
    }
    stream
}

#[test]
fn a_request_in_flight_is_finished() {
    let workspace = Workspace::with(COMPANY);
    let server = workspace.serve(&[]);
    let mut stream = unfinished(&workspace, &server);
    server.signal("TERM");
    sleep(Duration::from_millis(300));
    stream.write_all(b"}").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
    assert!(answer.contains("not.found"), "{answer}");
    assert_eq!(server.ended().code, Some(0));
}

#[test]
fn signals_that_come_together_are_one_request_to_stop() {
    let workspace = Workspace::with(COMPANY);
    let server = workspace.serve(&[]);
    let mut stream = unfinished(&workspace, &server);
    server.signal("TERM");
    server.signal("INT");
    sleep(Duration::from_millis(300));
    stream.write_all(b"}").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
    assert_eq!(server.ended().code, Some(0));
}

#[test]
fn a_later_signal_ends_the_server_at_once() {
    let workspace = Workspace::with(COMPANY);
    let server = workspace.serve(&[]);
    let _stream = unfinished(&workspace, &server);
    server.signal("TERM");
    sleep(Duration::from_millis(1_300));
    server.signal("INT");
    let start = Instant::now();
    let done = server.ended();
    assert!(start.elapsed().as_secs() < 15);
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.err.contains("stopped at once"), "{done:?}");
}
