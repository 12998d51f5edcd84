//! Jobs that run on one of two nodes.

use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    thread,
    time::Duration,
};

use patrol_test_servers::postgres::query;
use patrol_tests::{Server, Store, company};

use patrol_tests::within;

/// The most time until another node takes over a job.
const TAKEN_OVER: Duration = Duration::from_secs(60);

/// Answers each request on the connection after two seconds, like a bucket that has deleted an
/// object.
fn delete_slowly(stream: TcpStream) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    while let Some(Ok(line)) = lines.next() {
        if line.is_empty() {
            thread::sleep(Duration::from_secs(2));
            let _ = (&stream).write_all(b"HTTP/1.1 204 No Content\r\n\r\n");
        }
    }
}

/// A bucket so slow that the clean-up of a hundred photos takes minutes.
fn slow_bucket() -> Vec<(&'static str, String)> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            thread::spawn(move || delete_slowly(stream.unwrap()));
        }
    });
    vec![
        ("PATROL_PHOTOS_URL", "s3://patrol".to_owned()),
        ("AWS_ENDPOINT", format!("http://{address}")),
        ("AWS_ALLOW_HTTP", "true".to_owned()),
        ("AWS_DISABLE_BULK_DELETE", "true".to_owned()),
        ("AWS_REGION", "us-east-1".to_owned()),
        ("AWS_ACCESS_KEY_ID", "key".to_owned()),
        ("AWS_SECRET_ACCESS_KEY", "secret".to_owned()),
    ]
}

/// The id of the run with the lease of the clean-up, or an empty text.
fn holder(store: &Store) -> String {
    let holder = "SELECT coalesce(max(holder), '') FROM jobs WHERE name = 'tidy-photos'";
    query(&store.url(), holder).pop().unwrap()
}

fn runs(server: &Server) -> u32 {
    let metrics = server.api().outside("/metrics").text().to_owned();
    let name = "patrol_job_runs_total{name=\"tidy-photos\"} ";
    let runs = metrics.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    runs.parse().unwrap()
}

#[test]
fn another_node_takes_over_the_job_of_a_killed_node() {
    let store = Store::postgres().and(&company::company());
    store.execute(
        "INSERT INTO photo_announcements (photo_id, announced_at, condemned)
         SELECT gen_random_uuid(), now() - interval '1 hour', true FROM generate_series(1, 100)",
    );
    let start = || {
        let mut command = store.command(&["serve"]);
        command.envs(slow_bucket());
        Server::run(command)
    };
    let one = start();
    within(TAKEN_OVER, "the first node runs it", || runs(&one) == 1);
    let first = holder(&store);
    assert_ne!(first, "");
    let other = start();
    // Longer than a lease without renewal.
    thread::sleep(Duration::from_secs(20));
    assert_eq!((runs(&one), runs(&other), holder(&store)), (1, 0, first.clone()));
    one.kill();
    within(TAKEN_OVER, "the other node runs it", || runs(&other) == 1);
    let second = holder(&store);
    assert!(second != first && !second.is_empty(), "{first} {second}");
    // When a node stops, the next one gets the job at once.
    other.terminate();
    within(TAKEN_OVER, "the lease is given back", || holder(&store).is_empty());
}
