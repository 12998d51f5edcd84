//! The memory for request bodies.

#[cfg(target_os = "linux")]
use patrol_tests::{
    Form, Running, Store, Wire, company,
    company::{GUARD, MANAGER},
    execution_id, planned,
};

#[cfg(target_os = "linux")]
use super::{head, rename};

const MIB: usize = 1 << 20;

/// The number of bodies whose last byte is held back, and the memory budget for them.
const BODIES: usize = 120;
const BUDGET: usize = 32 * MIB;

/// The sizes of the pieces in which the bodies arrive.
const PIECES: [usize; 5] = [1, 700, 9_000, 70_000, 300_000];

#[cfg(target_os = "linux")]
#[test]
fn bodies_that_do_not_end_take_at_most_twice_their_budget() {
    let store = Store::with(&company::company().and([planned(1)]));
    let running = Running::set(store, &[("PATROL_BODIES", "32MiB")]);
    let path = format!("/v1/task-executions/{}", execution_id(1));
    let head = head(&running, &format!("PATCH {path} HTTP/1.1"));
    let head = format!("{head}Content-Length: {}\r\n\r\n", 2 * MIB);
    let part = vec![b' '; 2 * MIB - 1];
    let photo = Form::default().file("photo", &part);
    let photo_head = format!(
        "POST /v1/users/{GUARD}/photo HTTP/1.1\r\nHost: x\r\nAuthorization: {}\r\n\
         Content-Type: {}\r\nContent-Length: {}\r\n\r\n",
        running.store.token(MANAGER),
        photo.content_type(),
        photo.body().len(),
    );
    let photo_part = photo.body().get(..part.len()).expect("a longer form").to_vec();
    let before = running.server.peak_memory();
    let mut open: Vec<_> = (0..BODIES)
        .map(|n| {
            let mut wire = Wire::connect(running.server.address());
            wire.send(if n % 2 == 0 { &head } else { &photo_head });
            wire
        })
        .collect();
    let mut sent = 0;
    for piece in PIECES.iter().cycle() {
        let next = sent..(sent + piece).min(part.len());
        for (n, wire) in open.iter_mut().enumerate() {
            wire.send(&(if n % 2 == 0 { &part } else { &photo_part })[next.clone()]);
        }
        sent = next.end;
        if sent == part.len() {
            break;
        }
    }
    // The last sixteenth is reserved for small bodies.
    let mut small = Wire::connect(running.server.address());
    small.send(rename(&running, "small"));
    assert_eq!(small.read_status(), 200);
    // Threads read bodies in any order and answer 400 to those that took 30 s, so a body that
    // comes now finds no memory as soon as the others have been read.
    let refused = (0..60).find_map(|_| {
        let mut wire = Wire::connect(running.server.address());
        wire.send(&head);
        wire.send(&part);
        let answer = wire.read_to_end_within(std::time::Duration::from_secs(3));
        open.push(wire);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        answer.starts_with("HTTP/1.1 503").then_some(answer)
    });
    let refused = refused.expect("a body for which there is no memory is refused");
    assert!(refused.contains("\r\nretry-after: 1\r\n"), "{refused}");
    let grown = running.server.peak_growth(before);
    eprintln!("{grown} bytes for {BODIES} bodies of 2 MiB");
    assert!(grown <= 2 * BUDGET, "{grown} bytes for {BODIES} bodies of 2 MiB");
    drop(open);
    // All memory is available again.
    let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
    loop {
        let body = format!("{{\"name\":\"large\"{}}}", " ".repeat(MIB));
        let answer = running.admin.text("PATCH", &path["/v1".len()..], body);
        if answer.status == 200 {
            break;
        }
        assert!(std::time::Instant::now() < until, "{}", answer.status);
    }
}
