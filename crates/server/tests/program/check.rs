//! `check`, and where photos are.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, SystemTime},
};

use crate::site::{COMPANY, Site};

const PHOTO: &str = "0190a000-0000-7000-8000-0000000000a1";
const OTHER: &str = "0190a000-0000-7000-8000-0000000000a2";

#[test]
fn photos_that_no_user_has_are_removed_but_for_those_that_are_just_written() {
    let site = Site::with(COMPANY);
    assert_eq!(site.run(&["check"]).ok(), "photos: 0 found, 0 of no user removed\n");
    for name in [PHOTO, OTHER, "notes.txt"] {
        site.write(&format!("data/photos/{name}"), "x");
    }
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    let file = fs::File::options().write(true).open(site.path("data/photos").join(PHOTO)).unwrap();
    file.set_modified(old).unwrap();
    assert_eq!(site.run(&["check"]).ok(), "photos: 2 found, 1 of no user removed\n");
    assert!(!site.path("data/photos").join(PHOTO).exists());
    assert!(site.path("data/photos").join(OTHER).exists());
    assert!(site.path("data/photos/notes.txt").exists());
}

#[test]
fn without_a_store_nothing_is_looked_at() {
    let site = Site::new();
    for command in ["check", "backup"] {
        let line = [&[command][..], if command == "backup" { &["b.db"] } else { &[] }].concat();
        let error = site.run(&line).failed(1);
        assert!(error.contains("no store at data/patrol.db"), "{error}");
    }
    assert!(site.names().is_empty());
}

#[test]
fn a_folder_that_cannot_be_used_is_exit_1() {
    let site = Site::with(COMPANY);
    site.write("file", "");
    for command in ["serve", "check"] {
        let error = site.run(&[command, "--photos-url", "file:file/photos"]).failed(1);
        assert!(error.contains("file/photos") && error.contains("--photos-url"), "{error}");
    }
}

/// A server that speaks as much of S3 as a check needs: it holds one photo below `patrol/`.
fn s3() -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, seen) = (listener.local_addr().unwrap(), Arc::new(Mutex::new(Vec::new())));
    let requests = Arc::clone(&seen);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = BufReader::new(stream.unwrap());
            let (mut head, mut line) = (String::new(), String::new());
            while stream.read_line(&mut line).unwrap() > 2 {
                head.push_str(&line);
                line.clear();
            }
            let length = head.to_lowercase();
            let length = length.lines().find_map(|line| line.strip_prefix("content-length:"));
            let mut body = vec![0; length.map_or(0, |length| length.trim().parse().unwrap())];
            stream.read_exact(&mut body).unwrap();
            let answer = if head.starts_with("GET") {
                format!(
                    "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>patrol/{PHOTO}\
                     </Key><LastModified>2024-01-01T00:00:00.000Z</LastModified><ETag>\"e\"</ETag>\
                     <Size>1</Size></Contents></ListBucketResult>"
                )
            } else {
                format!("<DeleteResult><Deleted><Key>patrol/{PHOTO}</Key></Deleted></DeleteResult>")
            };
            requests.lock().unwrap().push(head + &String::from_utf8_lossy(&body));
            let answer = format!(
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{answer}",
                answer.len()
            );
            stream.get_mut().write_all(answer.as_bytes()).unwrap();
        }
    });
    (address, seen)
}

#[test]
fn photos_may_be_on_s3() {
    let site = Site::with(COMPANY);
    let (address, seen) = s3();
    let done = site
        .command(&["check", "--photos-url", "s3://company/patrol"])
        .env("AWS_ENDPOINT", format!("http://{address}"))
        .env("AWS_ALLOW_HTTP", "true")
        .env("AWS_ACCESS_KEY_ID", "anna")
        .env("AWS_SECRET_ACCESS_KEY", "hunter2")
        .output()
        .unwrap();
    let done = crate::site::Done::from(done);
    assert_eq!(done.ok(), "photos: 1 found, 1 of no user removed\n");
    let seen = seen.lock().unwrap();
    assert!(
        seen[0].starts_with("GET /company?") && seen[0].contains("prefix=patrol"),
        "{}",
        seen[0]
    );
    assert!(seen[1].contains(PHOTO), "{}", seen[1]);
    assert!(!seen.iter().any(|request| request.contains("hunter2")));
}

#[test]
fn s3_that_is_not_there_is_exit_1_and_no_secret_is_shown() {
    let site = Site::with(COMPANY);
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let done = site
        .command(&["check", "--log", "warn", "--photos-url", "s3://company/patrol"])
        .env("AWS_ENDPOINT", format!("http://user:hunter2@{free}"))
        .env("AWS_ALLOW_HTTP", "true")
        .env("AWS_ACCESS_KEY_ID", "anna")
        .env("AWS_SECRET_ACCESS_KEY", "hunter2")
        .output()
        .unwrap();
    let error = crate::site::Done::from(done).failed(1);
    assert!(error.contains("photos") && !error.contains("hunter2"), "{error}");
}
