//! Photos on S3.

use std::net::TcpListener;

use patrol_test_servers::s3::Server;

use crate::workspace::{COMPANY, Done, Workspace};

const PHOTO: &str = "0190a000-0000-7000-8000-0000000000a1";
const OTHER: &str = "0190a000-0000-7000-8000-0000000000a2";

#[test]
fn photos_may_be_on_s3() {
    let workspace = Workspace::with(COMPANY);
    let server = Server::start();
    let [orphan, young, other] =
        [format!("patrol/{PHOTO}"), format!("patrol/{OTHER}"), format!("elsewhere/{PHOTO}")];
    for key in [&orphan, &young, &other] {
        server.place(key, b"x");
    }
    server.age(&orphan);
    server.age(&other);
    let check = |variables: Vec<(String, String)>, bucket: &str| {
        let place = format!("s3://{bucket}/patrol");
        let mut command = workspace.command(&["check", "--log", "warn", "--photos-url", &place]);
        Done::from(command.envs(variables).output().unwrap())
    };
    // Without access or with the wrong bucket, the command must not report that there are no
    // photos.
    let mut stranger = server.environment();
    stranger.push(("AWS_SECRET_ACCESS_KEY".to_owned(), "hunter2".to_owned()));
    let error = check(stranger, server.bucket()).failed(1);
    assert!(error.contains("access is denied") && !error.contains("hunter2"), "{error}");
    let error = check(server.environment(), "nowhere").failed(1);
    assert!(error.contains("no such bucket"), "{error}");
    assert_eq!(server.keys().len(), 3);

    let done = check(server.environment(), server.bucket()).ok();
    assert_eq!(done, "photos: 2 found, 1 unused removed, 0 missing\n");
    assert_eq!(server.keys(), [other, young]);
}

#[test]
fn an_unreachable_s3_is_exit_1_and_no_secret_is_shown() {
    let workspace = Workspace::with(COMPANY);
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let done = workspace
        .command(&["check", "--log", "warn", "--photos-url", "s3://company/patrol"])
        .env("AWS_ENDPOINT", format!("http://user:hunter2@{free}"))
        .env("AWS_ALLOW_HTTP", "true")
        .env("AWS_ACCESS_KEY_ID", "anna")
        .env("AWS_SECRET_ACCESS_KEY", "hunter2")
        .output()
        .unwrap();
    let error = Done::from(done).failed(1);
    assert!(error.contains("photos") && !error.contains("hunter2"), "{error}");
}
